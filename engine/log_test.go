package engine

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

func recorder() (*bytes.Buffer, *slog.Logger) {
	var out bytes.Buffer
	return &out, slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

func TestServerLogIsOneLevelDown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		say  func(log.Logger)
		want string
	}{
		"debug":   {func(l log.Logger) { l.Debug("x") }, ""},
		"info":    {func(l log.Logger) { l.Info("x") }, ""},
		"warning": {func(l log.Logger) { l.Warn("x", tag.Attempt(2)) }, "level=DEBUG msg=x component=temporal attempt=2\n"},
		"error": {
			func(l log.Logger) { l.Error("x", tag.Error(errors.New("no disk"))) },
			"level=WARN msg=x component=temporal error=\"no disk\"\n",
		},
		"a thought-to-be impossible state": {
			func(l log.Logger) { l.DPanic("x") }, "level=ERROR msg=x component=temporal\n",
		},
		"with tags": {
			func(l log.Logger) { log.With(l, tag.ShardID(1)).Error("x") },
			"level=WARN msg=x component=temporal shard-id=1\n",
		},
	} {
		out, logger := recorder()
		c.say(newServerLog(logger, &server{}))
		if got := out.String(); got != c.want {
			t.Errorf("%s: logged %q, want %q", name, got, c.want)
		}
	}
}

func TestAStoppingServerIsSilent(t *testing.T) {
	t.Parallel()
	out, logger := recorder()
	s := &server{}
	s.muted.Store(true)
	newServerLog(logger, s).Error("connection lost")
	if out.Len() > 0 {
		t.Errorf("logged %q", out)
	}
}

func TestFatalEndsTheGoroutineAndIsReported(t *testing.T) {
	t.Parallel()
	out, logger := recorder()
	s := &server{failed: make(chan error, 1)}
	ended := make(chan bool, 2)
	for range 2 {
		go func() {
			defer func() { ended <- recover() == nil }()
			newServerLog(logger, s).Fatal("cannot go on", tag.Error(errors.New("no disk")))
			ended <- false
		}()
	}
	for range 2 {
		if !<-ended {
			t.Fatal("Fatal returned or panicked")
		}
	}
	if err := <-s.failed; err.Error() != "cannot go on: no disk" {
		t.Errorf("reported %v", err)
	}
	if got := strings.Count(out.String(), "level=ERROR"); got != 2 {
		t.Errorf("%d lines at error, want 2", got)
	}
}

func TestPanicPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("Panic returned")
		}
	}()
	newServerLog(orDiscard(nil), &server{}).Panic("x")
}

func TestSDKLogIsOneLevelDown(t *testing.T) {
	t.Parallel()
	out, logger := recorder()
	l := sdkLog(logger)
	l.Debug("dropped")
	l.Info("Started Worker", "Queue", "runs")
	l.Warn("poll failed")
	l.Error("task failed")
	want := "level=DEBUG msg=\"Started Worker\" component=temporal-sdk Queue=runs\n" +
		"level=INFO msg=\"poll failed\" component=temporal-sdk\n" +
		"level=WARN msg=\"task failed\" component=temporal-sdk\n"
	if got := out.String(); got != want {
		t.Errorf("logged\n%swant\n%s", got, want)
	}
}

func TestALineIsNotRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	lines := newSaid(func() time.Time { return now })
	for _, c := range []struct {
		after  time.Duration
		msg    string
		untold int
		again  bool
	}{
		{msg: "full"},
		{msg: "full", again: true},
		{msg: "other"},
		{msg: "full", after: quiet - 1, again: true},
		{msg: "full", after: 1, untold: 2},
		{msg: "full", again: true},
	} {
		now = now.Add(c.after)
		if untold, again := lines.lately(c.msg); untold != c.untold || again != c.again {
			t.Errorf("%q at %s: kept back %d, again %t; want %d, %t", c.msg, now.Sub(time.Unix(0, 0)), untold, again, c.untold, c.again)
		}
	}
}
