package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agentrun/agentrun/run"
)

// add writes a row at the end of a run's journal, folds it into the run, and returns it as it was written. A row whose
// key is there already is not written again: added is false, and of the row only the seq that the key has is sure.
func (t *txn) add(h *head, row run.Row) (written run.Row, added bool, err error) {
	if row, err = t.prepared(h, row); err != nil {
		return row, false, err
	}
	next := h.projection
	if err := next.Apply(row); err != nil {
		return row, false, badRow(row, err.Error())
	}
	body, bodyBlob := pack(row.Body)
	private, privateBlob := pack(row.Private)
	result, err := t.w.statements.addRow.Exec(h.id, row.Seq, row.At.UnixMilli(), string(row.Type), row.Key, body, private)
	if err != nil {
		return row, false, fmt.Errorf("write row %d of run %s: %w", row.Seq, h.id, err)
	}
	if n, err := result.RowsAffected(); err != nil {
		return row, false, fmt.Errorf("write row %d of run %s: %w", row.Seq, h.id, err)
	} else if n == 0 {
		row.Seq, err = t.seqOf(h.id, row.Key)
		return row, false, err
	}
	for _, data := range [][]byte{bodyBlob, privateBlob} {
		if _, err := t.addBlob(data); err != nil {
			return row, false, err
		}
	}
	h.seq, h.projection, h.dirty = row.Seq, next, true
	if row.Type == run.RowStatus {
		h.settle(t.now)
	}
	t.pages += 2 + (len(row.Body)+len(row.Private))/pageBytes
	return row, true, nil
}

// prepared is the row as it will be in the journal: in its place, and without secrets.
func (t *txn) prepared(h *head, row run.Row) (run.Row, error) {
	if row.Type == "" || row.Key == "" {
		return row, badRow(row, "a row needs a type and a key")
	}
	row.Seq, row.At = h.seq+1, t.now
	row.Body = t.w.options.Redact(row.Body)
	if !json.Valid(row.Body) {
		return row, badRow(row, "its body is not JSON")
	}
	if len(row.Private) > 0 {
		if row.Private = t.w.options.Redact(row.Private); !json.Valid(row.Private) {
			return row, badRow(row, "its private part is not JSON")
		}
	}
	return row, nil
}

func badRow(row run.Row, why string) error {
	return run.Invalid(run.Issue{Path: "rows", Code: "malformed", Message: fmt.Sprintf("row %q (%s): %s", row.Key, row.Type, why)})
}

// seqOf is the seq of the row with a key, or 0.
func (t *txn) seqOf(runID, key string) (int64, error) {
	var seq int64
	err := t.w.statements.seqOfKey.QueryRow(runID, key).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return seq, wrapf(err, "find row %q of run %s", key, runID)
}

// collect reads the rows of a query that selects rowColumns.
func collect(found *sql.Rows, err error) ([]run.Row, error) {
	if err != nil {
		return nil, fmt.Errorf("read journal rows: %w", err)
	}
	defer found.Close()
	var rows []run.Row
	for found.Next() {
		var row run.Row
		var at int64
		var body, private []byte
		if err := found.Scan(&row.Seq, &at, &row.Type, &row.Key, &body, &private); err != nil {
			return nil, fmt.Errorf("read a journal row: %w", err)
		}
		row.At, row.Body, row.Private = fromMillis(at), body, private
		rows = append(rows, row)
	}
	return rows, wrapf(found.Err(), "read journal rows")
}
