package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/run"
)

// NewRun is a run to be made. Config is what the revision was resolved to; it never changes after.
type NewRun struct {
	// ID is the run's id ("": one is made).
	ID      string
	AgentID string
	// Revision is the agent's revision (0: the present one).
	Revision int64
	Kind     string
	Config   run.Config
	Input    run.Input
	// FirstMessage opens the conversation ("": the run has none).
	FirstMessage string
	MaxCostUSD   *run.USD
	Labels       map[string]string
	Source       string
	Session      string
	Idempotency  *Idempotency
}

// CreateRun makes a queued run. replayed says that the same request was answered before, and the run is that answer. It
// is refused with run.ErrStoreFull while the disk has only the room that running runs need.
func (s *Store) CreateRun(ctx context.Context, ask NewRun) (created run.Run, replayed bool, err error) {
	if err := s.writer.disk.admit(); err != nil {
		return run.Run{}, false, err
	}
	err = s.writer.do(ctx, func(t *txn) (err error) {
		created, replayed, err = t.create(ask)
		return err
	})
	if err != nil {
		return run.Run{}, false, err
	}
	return created, replayed, nil
}

func (t *txn) create(ask NewRun) (run.Run, bool, error) {
	var first run.Run
	if seen, err := t.recall(ask.Idempotency, &first); err != nil || seen {
		return first, seen, err
	}
	if ask.ID == "" {
		ask.ID = run.NewID(t.now)
	}
	if ask.Labels == nil {
		ask.Labels = map[string]string{}
	}
	revision, err := t.runnable(ask.AgentID, ask.Revision)
	if err != nil {
		return first, false, err
	}
	ask.Revision = revision
	h := &head{id: ask.ID, kind: ask.Kind, labelled: len(ask.Labels) > 0, queuedAt: t.now}
	h.projection.Cap = roundDown(ask.MaxCostUSD)
	if err := t.insertRun(h, ask); err != nil {
		return first, false, err
	}
	t.job[h.id] = h
	if err := t.addAll(h, openingRows(ask)); err != nil {
		return first, false, err
	}
	shown := run.Run{
		ID: ask.ID, AgentID: ask.AgentID, AgentRevision: ask.Revision, Kind: ask.Kind, Harness: ask.Config.Harness,
		Model: ask.Config.Model.ID, Effort: ask.Config.Effort, Place: ask.Config.Place, Labels: ask.Labels,
		Source: ask.Source, Session: ask.Session, CreatedAt: t.now,
	}
	if err := json.Unmarshal(t.input(ask), &shown.Input); err != nil {
		return first, false, fmt.Errorf("read the input of run %s back: %w", h.id, err)
	}
	project(&shown, &h.projection)
	return shown, false, t.remember(ask.Idempotency, shown)
}

// openingRows are the first rows of a run's journal.
func openingRows(ask NewRun) []run.Row {
	rows := []run.Row{
		run.NewRow(run.RowStatus, "created", run.StatusChange{Status: run.Queued, State: run.StateQueued}, nil),
	}
	if ask.FirstMessage != "" {
		message := run.UserMessage{Content: ask.FirstMessage, Files: ask.Input.Files, Origin: originUser}
		rows = append(rows, run.NewRow(run.RowUserMessage, "message/first", message, nil))
	}
	return rows
}

func (t *txn) addAll(h *head, rows []run.Row) error {
	for _, row := range rows {
		if _, _, err := t.add(h, row); err != nil {
			return err
		}
	}
	return nil
}

// runnable is the revision of an agent that a run is to have.
func (t *txn) runnable(agentID string, revision int64) (int64, error) {
	var current int64
	var archived bool
	err := t.row(t.statements.agentHead, agentID).Scan(&current, &archived)
	switch {
	case isNoRows(err):
		return 0, noAgent(agentID)
	case err != nil:
		return 0, fmt.Errorf("read agent %s: %w", agentID, err)
	case archived:
		return 0, run.Errorf(run.ErrAgentNotRunnable, "agent %s is archived: unarchive it first", agentID).
			With("agent_id", agentID)
	case revision == 0:
		return current, nil
	case revision < 1 || revision > current:
		return 0, run.Errorf(run.ErrNotFound, "agent %s has no revision %d", agentID, revision)
	}
	return revision, nil
}

func (t *txn) input(ask NewRun) []byte {
	data, err := json.Marshal(ask.Input)
	if err != nil {
		panic(fmt.Sprintf("store: encode a run's input: %v", err)) // strings always encode
	}
	return t.w.options.Redact(data)
}

func (t *txn) insertRun(h *head, ask NewRun) error {
	config, err := json.Marshal(ask.Config)
	if err != nil {
		return run.Errorf(run.ErrInvalid, "the configuration of run %s: %w", ask.ID, err)
	}
	digest, err := t.addBlob(config)
	if err != nil {
		return err
	}
	place, err := encode(ask.Config.Place)
	if err != nil {
		return err
	}
	labels, err := encode(ask.Labels)
	if err != nil {
		return err
	}
	created := t.now.UnixMilli()
	// What depends on the status is written with the first rows, at the end of the job.
	result, err := t.exec(t.statements.addRun, ask.ID, ask.AgentID, ask.Revision, ask.Kind, ask.Config.Harness,
		ask.Config.Model.ID, ask.Config.Effort, place, ask.Source, ask.Session, labels, created, created)
	if isDuplicate(err) {
		return run.Errorf(run.ErrConflict, "there is a run %s already", ask.ID)
	}
	if err != nil {
		return fmt.Errorf("write run %s: %w", ask.ID, err)
	}
	if h.no, err = result.LastInsertId(); err != nil {
		return fmt.Errorf("write run %s: %w", ask.ID, err)
	}
	if _, err := t.exec(t.statements.addSpec, h.no, string(t.input(ask)), digest); err != nil {
		return fmt.Errorf("write run %s: %w", ask.ID, err)
	}
	return t.addLabels(h, ask.AgentID, ask.Labels, created)
}
