package store

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/agentrun/agentrun/run"
)

// RunFilter narrows a list of runs; the zero filter is every run that is not archived.
type RunFilter struct {
	Agent string
	// Status is any of these (none: any).
	Status []run.Status
	// Label is all of these.
	Label map[string]string
	// From and To bound when the runs were made; From is in, To is out.
	From, To *time.Time
	// Archived lists the archived runs in place of the others.
	Archived bool
	// Live lists only runs that have not ended.
	Live bool
}

// Runs is a page of runs, the newest first.
func (s *Store) Runs(ctx context.Context, filter RunFilter, page Page) ([]run.Run, string, error) {
	limit, after, err := startOf[int64](page)
	if err != nil {
		return nil, "", err
	}
	found, err := s.find(ctx, filter, limit+1, after)
	if err != nil {
		return nil, "", err
	}
	found, next := cut(found, limit, func(c place) place { return c })
	if len(found) == 0 {
		return []run.Run{}, "", nil
	}
	runs, err := s.shown(ctx, found)
	return runs, next, err
}

// place is a run's in the lists.
type place = cursor[int64]

// find is where the runs of a page are. One query reads one range of an index for each status and puts them together,
// so that its cost does not grow with the number of runs, whatever the filter.
func (s *Store) find(ctx context.Context, filter RunFilter, limit int, after *place) ([]place, error) {
	labels := sortedLabels(filter.Label)
	if len(labels) > 1 {
		if err := s.rarestFirst(ctx, labels); err != nil {
			return nil, err
		}
	}
	var arms []string
	var args []any
	no := noColumn(labels)
	for _, status := range filter.statuses() {
		arm, values := filter.arm(status, labels, after)
		arms = append(arms, "SELECT created_at, "+no+" FROM ("+arm+" ORDER BY created_at DESC, "+no+" DESC LIMIT ?)")
		args = append(append(args, values...), limit)
	}
	if len(arms) == 0 {
		return nil, nil
	}
	//nolint:gosec // put together from constants; what was asked is in args
	query := strings.Join(arms, " UNION ALL ") + " ORDER BY 1 DESC, 2 DESC LIMIT ?"
	rows, err := s.read.DB.QueryContext(ctx, query, append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	defer rows.Close()
	var found []place
	for rows.Next() {
		var c place
		if err := rows.Scan(&c.at, &c.id); err != nil {
			return nil, fmt.Errorf("list runs: %w", err)
		}
		found = append(found, c)
	}
	return found, wrapf(rows.Err(), "list runs")
}

// statuses are those a filter lets through, each once.
func (f RunFilter) statuses() []run.Status {
	var statuses []run.Status
	for _, status := range run.Statuses() {
		asked := len(f.Status) == 0 || slices.Contains(f.Status, status)
		if asked && (!f.Live || !status.Terminal()) {
			statuses = append(statuses, status)
		}
	}
	return statuses
}

// arm selects the runs of one status. With a label it reads the label's index, which repeats the columns it needs.
func (f RunFilter) arm(status run.Status, labels []label, after *place) (string, []any) {
	table, no := "runs", noColumn(labels)
	var where []string
	var args []any
	add := func(condition string, values ...any) {
		where = append(where, condition)
		args = append(args, values...)
	}
	if len(labels) > 0 {
		table = "labels"
		add("name = ? AND value = ?", labels[0].name, labels[0].value)
	}
	if f.Agent != "" {
		add("agent_id = ?", f.Agent)
	}
	add("archived = ? AND status = ?", number(f.Archived), string(status))
	if f.From != nil {
		add("created_at >= ?", ceilMillis(*f.From))
	}
	if f.To != nil {
		add("created_at < ?", ceilMillis(*f.To))
	}
	if after != nil {
		add("(created_at, "+no+") < (?, ?)", after.at, after.id)
	}
	if len(labels) > 1 {
		for _, more := range labels[1:] {
			add("EXISTS (SELECT 1 FROM labels AS more WHERE more.run_no = labels.run_no AND more.name = ? AND more.value = ?)",
				more.name, more.value)
		}
	}
	return "SELECT created_at, " + no + " FROM " + table + " WHERE " + strings.Join(where, " AND "), args
}

func noColumn(labels []label) string {
	if len(labels) > 0 {
		return "run_no"
	}
	return "no"
}

// shown reads the runs of a page, in its order.
func (s *Store) shown(ctx context.Context, found []place) ([]run.Run, error) {
	order := make(map[int64]int, len(found))
	marks := make([]string, len(found))
	args := make([]any, len(found))
	for i, c := range found {
		order[c.id], marks[i], args[i] = i, "?", c.id
	}
	var rows []runRow
	err := selectRuns(s.read, &rows).Where("r.no IN ("+strings.Join(marks, ", ")+")", args...).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	sort.Slice(rows, func(i, j int) bool { return order[rows[i].No] < order[rows[j].No] })
	runs := make([]run.Run, len(rows))
	for i := range rows {
		if runs[i], err = rows[i].run(); err != nil {
			return nil, err
		}
	}
	return runs, nil
}
