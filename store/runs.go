package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/run"
)

// Run is a run as it is now, or run.ErrNotFound.
func (s *Store) Run(ctx context.Context, id string) (run.Run, error) {
	shown, _, err := s.runAndHead(ctx, id)
	return shown, err
}

// runAndHead is a run and the seq of its last row, of one moment.
func (s *Store) runAndHead(ctx context.Context, id string) (run.Run, int64, error) {
	var row runRow
	err := row.scan(s.reads.run.QueryRowContext(ctx, id))
	if isNoRows(err) {
		return run.Run{}, 0, noRun(id)
	}
	if err != nil {
		return run.Run{}, 0, fmt.Errorf("read run %s: %w", id, err)
	}
	shown, err := row.run()
	return shown, row.Head, err
}

// Config is what a run was resolved to when it was made.
func (s *Store) Config(ctx context.Context, id string) (run.Config, error) {
	var config run.Config
	var data []byte
	err := s.reads.config.QueryRowContext(ctx, id).Scan(&data)
	if isNoRows(err) {
		return config, noRun(id)
	}
	if err != nil {
		return config, fmt.Errorf("read the configuration of run %s: %w", id, err)
	}
	return config, wrapf(json.Unmarshal(data, &config), "read the configuration of run %s", id)
}

// shown is a run as this transaction has it.
func (t *txn) shown(h *head) (run.Run, error) {
	var row runRow
	if err := row.scan(t.row(t.statements.run, h.id)); err != nil {
		return run.Run{}, fmt.Errorf("read run %s: %w", h.id, err)
	}
	shown, err := row.run()
	if err != nil {
		return run.Run{}, err
	}
	// The row is written at the end of the job; the head has what it will say.
	project(&shown, &h.projection)
	shown.Claim = run.Claim{Epoch: h.epoch, Holder: h.holder}
	return shown, nil
}

// SetRunArchived archives a run that has ended or waits, which takes it out of the lists, or brings it back.
func (s *Store) SetRunArchived(ctx context.Context, id string, archived bool) (run.Run, error) {
	return s.edit(ctx, id, func(t *txn, h *head) error {
		if archived && driven(h.projection.State) {
			return run.Errorf(run.ErrNotArchivable, "run %s is %s: only a run that has ended or waits can be archived", h.id,
				h.projection.Status).With("status", h.projection.Status)
		}
		if archived == h.archived {
			return nil
		}
		var at any
		if archived {
			at = t.now.UnixMilli()
		}
		h.archived, h.changed = archived, true
		_, err := t.exec(t.statements.archiveRun, archived, at, h.no)
		return wrapf(err, "archive run %s", h.id)
	})
}

// SetLabels gives a run other labels in place of those it has.
func (s *Store) SetLabels(ctx context.Context, id string, labels map[string]string) (run.Run, error) {
	if labels == nil {
		labels = map[string]string{}
	}
	return s.edit(ctx, id, func(t *txn, h *head) error {
		text, err := encode(labels)
		if err != nil {
			return err
		}
		if _, err := t.exec(t.statements.setLabels, text, h.no); err != nil {
			return fmt.Errorf("write the labels of run %s: %w", h.id, err)
		}
		if _, err := t.exec(t.statements.dropLabels, h.no); err != nil {
			return fmt.Errorf("write the labels of run %s: %w", h.id, err)
		}
		var agent string
		var created int64
		if err := t.row(t.statements.runOrigin, h.no).Scan(&agent, &created); err != nil {
			return fmt.Errorf("read run %s: %w", h.id, err)
		}
		h.labelled, h.changed = len(labels) > 0, true
		return t.addLabels(h, agent, labels, created)
	})
}

// edit changes a run in a transaction and shows what became of it.
func (s *Store) edit(ctx context.Context, id string, change func(*txn, *head) error) (run.Run, error) {
	var edited run.Run
	err := s.writer.do(ctx, func(t *txn) error {
		h, err := t.head(id)
		if err != nil {
			return err
		}
		if err := change(t, h); err != nil {
			return err
		}
		edited, err = t.shown(h)
		return err
	})
	if err != nil {
		return run.Run{}, err
	}
	return edited, nil
}

func (t *txn) addLabels(h *head, agent string, labels map[string]string, created int64) error {
	for name, value := range labels {
		_, err := t.exec(t.statements.addLabel, h.no, name, value, agent, h.archived, string(h.projection.Status), created)
		if err != nil {
			return fmt.Errorf("write label %q of run %s: %w", name, h.id, err)
		}
	}
	return nil
}
