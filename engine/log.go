package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

func orDiscard(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// serverLog passes on what the server says, one level down: it calls an error what it then retries, and what it calls
// information is of use only to its developers. A server that is being stopped says nothing.
type serverLog struct {
	log    *slog.Logger
	server *server
	said   *said
	// tags are kept as they come: loggers with tags are made for every request, lines are rare.
	tags []tag.Tag
}

var (
	_ log.Logger     = (*serverLog)(nil)
	_ log.WithLogger = (*serverLog)(nil)
)

func newServerLog(log *slog.Logger, server *server) *serverLog {
	return &serverLog{log: log.With("component", "temporal"), server: server, said: newSaid(time.Now)}
}

// Debug is dropped.
func (l *serverLog) Debug(string, ...tag.Tag) {}

// Info is dropped.
func (l *serverLog) Info(string, ...tag.Tag) {}

// Warn is logged as debug.
func (l *serverLog) Warn(msg string, tags ...tag.Tag) { l.write(slog.LevelDebug, msg, tags) }

// Error is logged as a warning.
func (l *serverLog) Error(msg string, tags ...tag.Tag) { l.write(slog.LevelWarn, msg, tags) }

// DPanic is logged as an error: the server goes on after it.
func (l *serverLog) DPanic(msg string, tags ...tag.Tag) { l.write(slog.LevelError, msg, tags) }

// Panic is logged as an error and panics, which the server recovers where it can.
func (l *serverLog) Panic(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	panic(msg)
}

// Fatal must not return. Where the server would end the process, this ends the goroutine and reports the reason.
func (l *serverLog) Fatal(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	l.server.fail(fatal(msg, tags))
	runtime.Goexit()
}

// With gives a logger that adds tags.
func (l *serverLog) With(tags ...tag.Tag) log.Logger {
	return &serverLog{log: l.log, server: l.server, said: l.said, tags: slices.Concat(l.tags, tags)}
}

func (l *serverLog) write(level slog.Level, msg string, tags []tag.Tag) {
	ctx := context.Background()
	if l.server.muted.Load() || !l.log.Enabled(ctx, level) {
		return
	}
	untold, again := l.said.lately(msg)
	if again {
		return
	}
	attrs := make([]slog.Attr, 0, len(l.tags)+len(tags)+1)
	if untold > 0 {
		attrs = append(attrs, slog.Int("repeated", untold))
	}
	for _, t := range slices.Concat(l.tags, tags) {
		attrs = append(attrs, slog.Any(t.Key(), t.Value()))
	}
	l.log.LogAttrs(ctx, level, msg, attrs...)
}

// quiet is how long a line that was just said is not said again: with a full disk the server repeats itself hundreds of
// times a second.
const quiet = 10 * time.Second

// said remembers the lines of late.
type said struct {
	now func() time.Time

	mu    sync.Mutex
	lines map[string]*line
}

type line struct {
	at     time.Time
	untold int
}

func newSaid(now func() time.Time) *said { return &said{now: now, lines: map[string]*line{}} }

// lately tells whether a line was said within the quiet time; if not, how often it was kept back since it was.
func (s *said) lately(msg string) (untold int, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	last := s.lines[msg]
	if last == nil {
		last = &line{}
		s.lines[msg] = last
	} else if now.Sub(last.at) < quiet {
		last.untold++
		return 0, true
	}
	untold, last.at, last.untold = last.untold, now, 0
	return untold, false
}

// fatal makes an error of a last log line and the error it carries.
func fatal(msg string, tags []tag.Tag) error {
	for _, t := range tags {
		if t.Key() == "error" {
			return fmt.Errorf("%s: %v", msg, t.Value())
		}
	}
	return errors.New(msg)
}

// sdkLog gives the SDK's client and workers a logger, one level down for the same reason.
func sdkLog(log *slog.Logger) sdklog.Logger {
	return sdklog.NewStructuredLogger(slog.New(demote{orDiscard(log).Handler()}).With("component", "temporal-sdk"))
}

// demote is a handler that takes one level off every record.
type demote struct{ slog.Handler }

const oneLevel = slog.LevelWarn - slog.LevelInfo

// Enabled tells whether a record would be logged once it is a level lower.
func (d demote) Enabled(ctx context.Context, level slog.Level) bool {
	return d.Handler.Enabled(ctx, level-oneLevel)
}

// slowTask begins the SDK's advice that a workflow task is slow: ours last as long as the steps in them.
const slowTask = "[TMPRL1104]"

// Handle logs a record a level lower.
func (d demote) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, slowTask) {
		return nil
	}
	r.Level -= oneLevel
	return d.Handler.Handle(ctx, r)
}

// WithAttrs keeps the demotion.
func (d demote) WithAttrs(attrs []slog.Attr) slog.Handler { return demote{d.Handler.WithAttrs(attrs)} }

// WithGroup keeps the demotion.
func (d demote) WithGroup(name string) slog.Handler { return demote{d.Handler.WithGroup(name)} }
