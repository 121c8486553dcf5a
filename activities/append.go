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
	return s.apply([]run.Row{row})
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

// part is one append that waits to be written. What comes while another is under way shares the next commit.
type part struct {
	request journal.Append
	done    chan struct{}
	// appended and err are its outcome once done is closed.
	appended journal.Appended
	err      error
}

// append writes the deferred rows and then those of the request, and folds what the journal has now: the rows of other
// writers too. With IfHead it is errMoved where there are any of those; they are folded, and nothing of it is written.
func (s *session) append(ctx context.Context, request journal.Append) (journal.Appended, error) {
	own := &part{request: request, done: make(chan struct{})}
	s.mu.Lock()
	s.parts = append(s.parts, own)
	s.mu.Unlock()
	s.writing.Lock()
	select {
	case <-own.done: // who wrote before took it along
	default:
		s.mu.Lock()
		parts := s.parts
		s.parts = nil
		s.mu.Unlock()
		s.writeAll(ctx, parts)
	}
	s.writing.Unlock()
	return own.appended, own.err
}

// writeAll writes parts in one commit and says what became of each. Where somebody else wrote to the run first, those
// that must not come after are told so, and the others are written by themselves.
func (s *session) writeAll(ctx context.Context, parts []*part) {
	moved := s.writeParts(ctx, parts)
	var left []*part
	for _, p := range parts {
		switch {
		case !moved:
			close(p.done)
		case p.request.IfHead:
			p.err = errMoved
			close(p.done)
		default:
			left = append(left, p)
		}
	}
	if len(left) > 0 {
		s.writeParts(ctx, left)
		for _, p := range left {
			close(p.done)
		}
	}
}

// writeParts writes the deferred rows and the parts in one commit. moved tells that nothing was written.
func (s *session) writeParts(ctx context.Context, parts []*part) (moved bool) {
	s.mu.Lock()
	deferred := s.deferred
	s.deferred = nil
	whole := journal.Append{Claim: s.opened.Claim, After: s.tree.Head()}
	s.mu.Unlock()
	whole.Rows = append(make([]run.Row, 0, len(deferred)), deferred...)
	for _, p := range parts {
		whole.Rows = append(whole.Rows, p.request.Rows...)
		whole.IfHead = whole.IfHead || p.request.IfHead
		switch {
		case p.request.Begin == nil:
		case whole.Begin == nil:
			whole.Begin = p.request.Begin
		default:
			whole.Further = append(whole.Further, *p.request.Begin)
		}
	}
	if len(whole.Rows) == 0 && whole.Begin == nil && !whole.IfHead {
		return false
	}
	appended, err := s.write(ctx, whole)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || appended.Moved {
		s.deferred = append(deferred, s.deferred...)
	}
	if err == nil && appended.Moved {
		err = s.apply(appended.Missed)
		moved = err == nil
	} else if err == nil {
		err = s.settle(appended, whole.Rows, len(deferred))
	}
	deal(parts, appended, err)
	return moved
}

// deal gives each part its own share of what was written.
func deal(parts []*part, appended journal.Appended, err error) {
	begun := appended.Further
	if appended.Began != nil {
		begun = append([]journal.Begun{{Row: *appended.Began, Grant: *appended.Grant}}, begun...)
	}
	for _, p := range parts {
		p.appended, p.err = journal.Appended{At: appended.At}, err
		if p.request.Begin != nil && len(begun) > 0 {
			p.appended.Began, p.appended.Grant = &begun[0].Row, &begun[0].Grant
			begun = begun[1:]
		}
	}
}

// settle folds an append's outcome in the journal's order; the deferred rows were folded when they were made.
func (s *session) settle(appended journal.Appended, rows []run.Row, deferred int) error {
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
		if i < deferred {
			continue
		}
		row.Seq, row.At = appended.Seqs[i], appended.At
		fresh = append(fresh, row)
	}
	if appended.Began != nil {
		fresh = append(fresh, *appended.Began)
	}
	for _, further := range appended.Further {
		fresh = append(fresh, further.Row)
	}
	s.tree.Passed(appended.Seqs[:deferred])
	return s.apply(merge(missed, fresh))
}

// apply folds rows; the session's lock is held.
func (s *session) apply(rows []run.Row) error {
	defer s.rang()
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
