package claudeagent

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

func TestAProgramThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mode, want string }{
		{"exits", "ended by itself: exit status 3: no such luck with [secret]"},
		{"garbage", "it wrote 21 lines that are no JSON objects, the last one \"warning 20: no JSON"},
		{"refuses", "it refused to start: the key is bad"},
		{"hangs", "it did not begin to speak its protocol: context deadline exceeded"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, saysWell)
			spec := j.spec(fakeProgram(t, c.mode))
			spec.Say = "hello"
			limit := patient
			if c.mode == "hangs" {
				limit = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			session, err := New(slog.New(slog.DiscardHandler)).Open(ctx, spec, j)
			if err == nil {
				_ = session.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1000 {
				t.Errorf("the error is %q", err)
			}
			if left := marked(t, spec.Marker); len(left) > 0 {
				t.Errorf("these processes are left: %v", left)
			}
		})
	}
}

func TestAProgramThatMisbehavesIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mode, want string }{
		{"garbage later", "given up: it wrote 21 lines that are no JSON objects, the last one \"garbage\""},
		{"long line", "given up: it wrote a line of more than 8 MiB"},
		{"deaf", "given up: it left 256 lines unread"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, saysWell)
			spec := j.spec(fakeProgram(t, "'"+c.mode+"'"))
			spec.Say = "hello"
			session := j.open(spec, j)
			select {
			case <-session.Done():
			case <-time.After(patient):
				t.Fatal("the session goes on")
			}
			if err := session.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the session ended with %v", err)
			}
			if err := session.Say("more"); err == nil {
				t.Error("it can still be told something")
			}
		})
	}
}

// TestCloseEndsAnyProgram closes sessions of programs that do not want to end; journal.open checks that nothing is left.
func TestCloseEndsAnyProgram(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"stubborn", "floods"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, saysWell)
			spec := j.spec(fakeProgram(t, mode))
			spec.Say = "hello"
			session := j.open(spec, j)
			if mode == "stubborn" {
				j.turn(session)
			}
			j.closed(spec, session)
			select {
			case <-session.Done():
			default:
				t.Error("the session is closed and not done")
			}
			if err := session.Err(); err != nil {
				t.Errorf("a closed session ended with %v", err)
			}
		})
	}
}

// TestCallsOfTools makes calls as a program does and looks at what it is answered.
func TestCallsOfTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, want string }{
		{"read", `{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"did {\"path\":\"a\"}","type":"text"}],"isError":false}}`},
		{"missing", `{"error":{"code":-32602,"message":"there is no tool missing"},"id":1,"jsonrpc":"2.0"}`},
		{"unlisted", `{"error":{"code":-32602,"message":"no answer asked for the call c1"},"id":1,"jsonrpc":"2.0"}`},
	} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, saysWell)
			spec := j.spec(fakeProgram(t, c.tool))
			spec.Say = "hello"
			session := j.open(spec, j)
			if got := j.turn(session); got != c.want {
				t.Errorf("the program was answered\n%s, want\n%s", got, c.want)
			}
		})
	}
}

func TestACallThatTheHostCannotAnswerEndsTheSession(t *testing.T) {
	t.Parallel()
	j := newJournal(t, saysWell)
	j.answerCall = func(context.Context, cli.Call) (cli.Result, error) {
		return cli.Result{}, errors.New("the journal is full")
	}
	spec := j.spec(fakeProgram(t, "read"))
	spec.Say = "hello"
	session := j.open(spec, j)
	<-session.Done()
	if err := session.Err(); err == nil || !strings.Contains(err.Error(), "the call c1 of read was not answered: the journal is full") {
		t.Errorf("the session ended with %v", err)
	}
}

// TestClosingEndsCalls closes a session while the host is at work on a call.
func TestClosingEndsCalls(t *testing.T) {
	t.Parallel()
	j := newJournal(t, saysWell)
	under, over := make(chan struct{}), make(chan struct{})
	j.answerCall = func(ctx context.Context, _ cli.Call) (cli.Result, error) {
		defer close(over)
		close(under)
		<-ctx.Done()
		return cli.Result{}, ctx.Err()
	}
	spec := j.spec(fakeProgram(t, "read"))
	spec.Say = "hello"
	session := j.open(spec, j)
	<-under
	j.closed(spec, session)
	select {
	case <-over:
	default:
		t.Error("the call goes on after Close")
	}
}

func TestWhatNobodyCanGoOnWithIsRefused(t *testing.T) {
	t.Parallel()
	j := newJournal(t, saysWell)
	asks := models.Message{Role: models.RoleUser, Text: "hello"}
	for name, change := range map[string]func(*cli.Spec){
		"nothing said":       func(*cli.Spec) {},
		"a question at last": func(s *cli.Spec) { s.History = []models.Message{asks} },
		"an answer at last":  func(s *cli.Spec) { s.History = []models.Message{asks, {Role: models.RoleAssistant, Text: "hi"}} },
		"no folder":          func(s *cli.Spec) { s.Say, s.Dir = "hello", filepath.Join(s.Dir, "none") },
		"no program":         func(s *cli.Spec) { s.Say, s.Program = "hello", filepath.Join(s.Dir, "none") },
		"a folder it can't use": func(s *cli.Spec) {
			s.Say = "hello"
			if err := os.WriteFile(filepath.Join(s.Dir, "home"), nil, 0o600); err != nil {
				t.Error(err)
			}
		},
	} {
		spec := j.spec(fakeProgram(t, "hangs"))
		change(&spec)
		if session, err := New(slog.New(slog.DiscardHandler)).Open(t.Context(), spec, j); err == nil {
			t.Errorf("%s: it opened", name)
			_ = session.Close()
		}
	}
}

func TestAFolderThatTheProgramWouldNotFindIsRefused(t *testing.T) {
	t.Parallel()
	j := newJournal(t, saysWell)
	spec := j.spec(fakeProgram(t, "hangs"))
	spec.Say, spec.History = "hello", history()
	spec.Dir = filepath.Join(spec.Dir, strings.Repeat("d", maxSlug))
	if err := os.Mkdir(spec.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := New(slog.New(slog.DiscardHandler)).Open(t.Context(), spec, j); err == nil || !strings.Contains(err.Error(), "200 characters") {
		t.Errorf("it says %v", err)
	}
}

func TestVersionOfAProgram(t *testing.T) {
	t.Parallel()
	driver := New(slog.New(slog.DiscardHandler))
	if got, err := driver.Version(t.Context(), fakeProgram(t, "version"), t.TempDir()); err != nil || got != "9.8.7-rc.1" {
		t.Errorf("the version is %q (%v)", got, err)
	}
	if got, err := driver.Version(t.Context(), "/bin/echo", t.TempDir()); err == nil {
		t.Errorf("a program that has none has the version %q", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if got, err := driver.Version(ctx, fakeProgram(t, "hangs"), t.TempDir()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a program that hangs has the version %q (%v)", got, err)
	}
}
