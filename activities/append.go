package activities

import (
	"context"
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// fullWait is how long an append waits before it asks a full disk again.
const fullWait = time.Second

// later folds a row now and writes it with the next append: a tool call's end shares its commit with the next begin.
// Until then a crash finds the call begun and not ended, which is what recovery is for.
func (s *session) later(row run.Row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.deferred) == 0 {
		s.since = time.Now()
	}
	s.deferred = append(s.deferred, row)
	return s.tree.Apply(row)
}

func (s *session) late() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.deferred) > 0 && time.Since(s.since) > flushEvery
}

func (s *session) flush(ctx context.Context) error {
	_, err := s.append(ctx, journal.Append{})
	return err
}

// append writes the deferred rows and then those of the request, and folds what the journal has now: the rows of other
// writers too. With IfHead it is errMoved where there are any of those; they are folded, and nothing else is written.
func (s *session) append(ctx context.Context, request journal.Append) (journal.Appended, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	deferred := s.deferred
	s.deferred = nil
	after := s.tree.Head()
	s.mu.Unlock()
	if len(deferred) == 0 && len(request.Rows) == 0 && request.Begin == nil {
		return journal.Appended{}, nil
	}
	rows := request.Rows
	request.Claim, request.After = s.opened.Claim, after
	request.Rows = append(append(make([]run.Row, 0, len(deferred)+len(rows)), deferred...), rows...)
	appended, err := s.write(ctx, request)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || appended.Moved {
		s.deferred = append(deferred, s.deferred...)
	}
	if err != nil {
		return appended, err
	}
	if appended.Moved {
		if err := s.apply(appended.Missed); err != nil {
			return appended, err
		}
		return appended, errMoved
	}
	return appended, s.settle(appended, len(deferred), rows)
}

// settle folds an append's outcome in the journal's order; the deferred rows were folded when they were made.
func (s *session) settle(appended journal.Appended, deferred int, rows []run.Row) error {
	own := make(map[int64]struct{}, len(appended.Seqs))
	for _, seq := range appended.Seqs {
		own[seq] = struct{}{}
	}
	missed := appended.Missed[:0:0]
	for _, row := range appended.Missed {
		if _, mine := own[row.Seq]; !mine {
			missed = append(missed, row)
		}
	}
	fresh := make([]run.Row, 0, len(rows)+1)
	for i, row := range rows {
		row.Seq, row.At = appended.Seqs[deferred+i], appended.At
		fresh = append(fresh, row)
	}
	if appended.Began != nil {
		fresh = append(fresh, *appended.Began)
	}
	s.tree.Passed(appended.Seqs[:deferred])
	return s.apply(merge(missed, fresh))
}

func (s *session) apply(rows []run.Row) error {
	for _, row := range rows {
		if err := s.tree.Apply(row); err != nil {
			return err
		}
	}
	return nil
}

// merge puts two runs of rows, each in seq order, into one.
func merge(a, b []run.Row) []run.Row {
	merged := make([]run.Row, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Seq < b[0].Seq {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// write asks the door until the disk has room: what was done and paid is never dropped for lack of it.
func (s *session) write(ctx context.Context, request journal.Append) (journal.Appended, error) {
	for {
		appended, err := s.options.Door.Append(ctx, request)
		if run.CodeOf(err) != run.ErrStoreFull {
			return appended, err
		}
		s.options.Log.Warn("the disk is full: waiting to record a step", "run", s.runID)
		select {
		case <-ctx.Done():
			return appended, err
		case <-time.After(fullWait):
		}
	}
}
