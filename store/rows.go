package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agentrun/agentrun/run"
)

// add writes a row at the end of a run's journal, folds it into the run, and returns it as it was written. A row whose
// key is there already is not written again: added is false, and of the row only its seq and time are those of the journal.
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
	result, err := t.exec(t.statements.addRow, position(h.no, row.Seq), h.no, row.At.UnixMilli(), string(row.Type), row.Key, body, private)
	if err != nil {
		return row, false, fmt.Errorf("write row %d of run %s: %w", row.Seq, h.id, err)
	}
	if n, err := result.RowsAffected(); err != nil {
		return row, false, fmt.Errorf("write row %d of run %s: %w", row.Seq, h.id, err)
	} else if n == 0 {
		row.Seq, row.At, err = t.seqOf(h, row.Key)
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
	if row.Seq, row.At = h.seq+1, t.now; row.Seq >= seqSpan {
		return row, run.Errorf(run.ErrTooLarge, "run %s has %d journal rows: it can have no more", h.id, h.seq)
	}
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

// seqOf is the seq and the time of the row with a key; the seq is 0 where there is none.
func (t *txn) seqOf(h *head, key string) (int64, time.Time, error) {
	var pos, at int64
	err := t.row(t.statements.seqOfKey, h.no, key).Scan(&pos, &at)
	if isNoRows(err) {
		return 0, time.Time{}, nil
	}
	return pos % seqSpan, fromMillis(at), wrapf(err, "find row %q of run %s", key, h.id)
}

// seqSpan is one more than the largest seq a run can have. A row lies at its run's number times it, plus its seq.
const seqSpan = 1 << 24

func position(no, seq int64) int64 { return no*seqSpan + seq }

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
		row.Seq %= seqSpan
		row.At, row.Body, row.Private = fromMillis(at), body, private
		rows = append(rows, row)
	}
	return rows, wrapf(found.Err(), "read journal rows")
}
