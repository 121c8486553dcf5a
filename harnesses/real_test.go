package harnesses_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/harnesses/claudeagent"
	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/clitest"
	"github.com/agentrun/agentrun/harnesses/codex"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
)

// testProcesses are the processes of probes and looks that run now: those that bear a test's mark.
func testProcesses() []string {
	var found []string
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range entries {
		data, _ := os.ReadFile(name)
		for variable := range strings.SplitSeq(string(data), "\x00") {
			if strings.HasPrefix(variable, process.MarkerName+"=test/") {
				found = append(found, filepath.Dir(name)+" "+variable)
			}
		}
	}
	return found
}

// TestTheRealPrograms: each is known with its version and is available, also under another version's bounds; a quick probe
// sends nothing, a live one makes one request at a cost that is known; nothing of them stays.
func TestTheRealPrograms(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // what they leave is seen; it also keeps other tests from running meanwhile
	log := slog.New(slog.DiscardHandler)
	for _, test := range []struct {
		id       string
		driver   cli.Driver
		real     func(testing.TB) string
		api      string
		from, to string
	}{
		{harnesses.ClaudeAgent, claudeagent.New(log), clitest.Claude, models.APIMessages, "2.1.300", "2.2.0"},
		{harnesses.Codex, codex.New(log), clitest.Codex, models.APIResponses, "0.171.0", "0.172.0"},
	} {
		t.Run(test.id, func(t *testing.T) {
			path := test.real(t)
			p := harnesses.Program{
				ID: test.id, Driver: test.driver, Path: path, APIs: []string{test.api}, From: test.from, Below: test.to,
			}
			r := harnesses.New(p)
			if state := stateOf(t, r); !state.Available || state.Version == "" || state.Warning != "" || state.Path != path ||
				state.Confined == (state.ConfinedReason != "") {
				t.Errorf("state %+v", state)
			}
			p.From, p.Below = "0.0.1", "0.0.2"
			if state := stateOf(t, harnesses.New(p)); !state.Available || state.Warning == "" {
				t.Errorf("under other bounds: state %+v", state)
			}
			g := newGateway(t, ready)
			want := []string{"program pass", "version pass", "model pass", "protocol pass", "cleanup pass"}
			for _, live := range []bool{false, true} {
				report, err := r.Probe(t.Context(), test.id, g.ask(test.api, live))
				if err != nil {
					t.Fatal(err)
				}
				requests := 0
				if live {
					want, requests = append(want, "request pass"), 1
				}
				if diff := cmp.Diff(want, verdicts(report)); diff != "" || report.Status != harnesses.Pass {
					t.Errorf("live %v: status %s, checks (-want +got):\n%s%+v", live, report.Status, diff, report.Checks)
				}
				if sent := g.Requests(); len(sent) != requests {
					t.Errorf("live %v: sent %+v", live, sent)
				} else if live && (report.CostUSD == nil || *report.CostUSD <= 0 || sent[0].OutputLimit != 1024) {
					t.Errorf("cost %v, a ceiling of %d tokens", report.CostUSD, sent[0].OutputLimit)
				}
			}
			dear := g.ask(test.api, true)
			dear.Cap = 1
			if report, err := r.Probe(t.Context(), test.id, dear); err != nil || report.Status != harnesses.Fail || len(g.Requests()) != 1 {
				t.Errorf("under a cap that buys nothing: %+v, %v, %d requests", report, err, len(g.Requests()))
			} else {
				holds(t, "the check", message(report, "request"), "one request needs up to")
			}
			if left := testProcesses(); len(left) > 0 {
				t.Errorf("processes left: %v", left)
			}
			if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
				t.Errorf("files left: %v, %v", left, err)
			}
		})
	}
}
