package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
)

// unruly is a program that says its version like the real one and then does what the file beside it says. It has no PATH,
// as the real ones.
const unruly = `#!/bin/sh
[ "$1" = --version ] && { echo '%s'; exit 0; }
read -r mode < '%s'
case "$mode" in
garbage) while :; do echo 'this is no JSON'; done ;;
exits) echo 'no such luck' >&2; exit 3 ;;
hangs) exec /bin/sleep 1000 ;;
floods) exec /usr/bin/yes '{"type":"news","method":"news"}' ;;
line) exec /usr/bin/tr '\0' x < /dev/zero ;;
forks) /bin/sleep 1000 & exec /usr/bin/setsid /bin/sleep 1001 ;;
dies) %s ;;
esac
`

// The handshakes of the two programs, up to where they were told what to do.
const (
	claudeDies = `read -r line
	echo '{"type":"control_response","response":{"subtype":"success","request_id":"initialize","response":{}}}'
	echo '{"type":"control_request","request_id":"1","request":{"subtype":"mcp_message","server_name":"host","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}}'
	read -r line; read -r line; echo 'out of memory' >&2; exit 7`
	codexDies = `while read -r line; do
		id=${line#*\"id\":}; id=${id%%,*}
		case "$line" in
		*'"method":"initialized"'*) ;;
		*'"method":"thread/start"'*) echo "{\"id\":$id,\"result\":{\"thread\":{\"id\":\"t1\"}}}" ;;
		*'"method":"turn/start"'*) echo "{\"id\":$id,\"result\":{}}"; echo 'out of memory' >&2; exit 7 ;;
		*) echo "{\"id\":$id,\"result\":{}}" ;;
		esac
	done`
)

// TestAHarnessThatMisbehavesFailsItsRun: whatever the program does, the run ends in time, says who and why, and leaves no
// process and no folder.
func TestAHarnessThatMisbehavesFailsItsRun(t *testing.T) {
	t.Parallel()
	for _, c := range commandLines {
		t.Run(c.harness, func(t *testing.T) {
			version, dies := "2.1.332 (Claude Code)", claudeDies
			if c.harness == "codex" {
				version, dies = "codex-cli 0.171.0", codexDies
			}
			dir := t.TempDir()
			mode, program := filepath.Join(dir, "mode"), filepath.Join(dir, "program")
			if err := os.WriteFile(program, fmt.Appendf(nil, unruly, version, mode, dies), 0o700); err != nil {
				t.Fatal(err)
			}
			g := newGateway(t, harnessScript)
			s := startOn(t, c, g, setup{flags: []string{"--session-start", "2s"}}, program)
			for _, fault := range []struct {
				mode string
				// says is what the run's error names beside the harness.
				says []string
			}{
				{"garbage", []string{"did not start", "this is no JSON", "3 times in a row"}},
				{"exits", []string{"did not start", "exit status 3", "no such luck", "3 times in a row"}},
				{"hangs", []string{"did not start", "context deadline exceeded"}},
				{"floods", []string{"did not start", "context deadline exceeded"}},
				{"line", []string{"did not start", "8 MiB"}},
				{"forks", []string{"did not start", "exit status 0"}},
				{"dies", []string{"ended", "exit status 7", "out of memory", "3 times in a row"}},
			} {
				t.Run(fault.mode, func(t *testing.T) {
					if err := os.WriteFile(mode, []byte(fault.mode+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
					s.t = t
					began := time.Now()
					id := s.ask("a", "Go never", "1")
					r := s.rests(id)
					t.Logf("after %s: %+v", time.Since(began).Round(time.Millisecond), r.Error)
					if r.Status != run.Failed || r.Error == nil || r.Error.Code != run.CodeRunFailed {
						t.Fatalf("the run is %s: %+v", r.Status, r.Error)
					}
					for _, part := range append(fault.says, c.harness) {
						if !strings.Contains(r.Error.Message, part) {
							t.Errorf("the error is %q, which does not say %q", r.Error.Message, part)
						}
					}
					if len(r.Error.Message) > 3000 {
						t.Errorf("the error has %d bytes", len(r.Error.Message))
					}
					if took := time.Since(began); took > 45*time.Second {
						t.Errorf("it took %s", took)
					}
					if starts := s.rows(id, run.RowHarnessStarted); len(starts) != 3 {
						t.Errorf("%d sessions: %v", len(starts), starts)
					}
					if r.Cost.USD == nil || *r.Cost.USD != 0 || r.Cost.HeldUSD != 0 {
						t.Errorf("cost %+v", r.Cost)
					}
					s.noneLeft(id)
				})
			}
			s.t = t
			if sent := g.Requests(); len(sent) > 0 {
				t.Errorf("%d requests were sent", len(sent))
			}
			if left := s.temporary(); len(left) > 0 {
				t.Errorf("left of what was tried: %v", left)
			}
			s.call("GET", "/v2/health", nil).want(t, http.StatusOK)
		})
	}
}

// temporary is what is left of the private folders in which the server tried its harnesses.
func (s *server) temporary() []string {
	var found []string
	for _, pattern := range []string{"version-*", "test-*"} {
		names, _ := filepath.Glob(filepath.Join(s.setup.dir, "tries", pattern))
		found = append(found, names...)
	}
	return found
}

// TestAHarnessIsToldOfAToolThatDoesNotExist: alone, and in one turn with one that does, and goes on.
func TestAHarnessIsToldOfAToolThatDoesNotExist(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, `
models:
  - {id: faux-1, context_window: 200000, max_output: 1000, prices: {input: 1, output: 2}}
rules:
  - when: {user: Fly.}
    replies:
      - tool_calls: [{name: fly, args: {to: the moon}}]
      - tool_calls:
          - {name: write, args: {path: a.txt, content: alpha}}
          - {name: fly, args: {to: mars}}
      - {text: 'The last tool said: {{tool_result}}'}
`)
		s := startOn(t, c, g, setup{}, "")
		r := s.completes(s.ask("a", "Fly.", "1"))
		if r.Result.FinalAnswer != "The last tool said: Tool fly not found" {
			t.Errorf("result %+v", r.Result)
		}
		said := map[any]int{}
		for _, row := range s.rows(r.ID, run.RowToolResult) {
			if missing := row["content"] == "Tool fly not found"; missing == (row["ok"] == true) {
				t.Errorf("result %v", row)
			}
			said[row["name"]]++
		}
		if said["fly"] != 2 || said["write"] != 1 || len(said) != 2 {
			t.Errorf("results %v", said)
		}
		if repeats := g.Repeats(); len(repeats) > 0 || len(g.Requests()) != 3 {
			t.Errorf("%d requests, repeated %+v", len(g.Requests()), repeats)
		}
		if starts := s.rows(r.ID, run.RowHarnessStarted); len(starts) != 1 {
			t.Errorf("%d sessions: %v", len(starts), starts)
		}
		s.noneLeft(r.ID)
	})
}
