package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// everyScript answers the sessions of testdata/every-kind.json; its judge doubts the first draft.
const everyScript = `
models: [{id: faux-1, max_output: 1000, context_window: 200000, prices: {input: 1, output: 2}}]
rules:
  - {when: {system_matches: judge, user_matches: '"sound"', body_matches: draft 1}, reply: {delay: 20ms, output: {sound: {probability_yes: 0.1}}}}
  - {when: {system_matches: judge, user_matches: '"sound"'}, reply: {delay: 20ms, output: {sound: {probability_yes: 0.9}}}}
  - {when: {system_matches: judge}, reply: {delay: 20ms, output: {kind: {probabilities: {x: 0.2, y: 0.8}}}}}
  - {when: {system_matches: ^Count, user_matches: '"n":0'}, reply: {delay: 20ms, output: {n: 1}}}
  - {when: {system_matches: ^Count}, reply: {delay: 20ms, output: {n: 2}}}
  - {when: {system_matches: ^Draft, user_matches: A review}, reply: {delay: 20ms, output: {text: draft 2}}}
  - {when: {system_matches: ^Draft}, reply: {delay: 20ms, output: {text: draft 1}}}
  - {reply: {delay: 20ms, output: {text: fine}}}
`

// TestADocumentSurvivesACrashAtEveryPoint kills the worker, and the server with it, at every point of requests and calls,
// early and late in a document of every kind of node: the output is that of an undisturbed run, each answer came once,
// and a request was asked again only where the crash cut it.
func TestADocumentSurvivesACrashAtEveryPoint(t *testing.T) {
	t.Parallel()
	g := newGateway(t, everyScript)
	s := start(t, setup{tags: "failpoints", env: g.env(), flags: []string{"--drain-timeout", "1s"}})
	document, err := os.ReadFile("testdata/every-kind.json")
	if err != nil {
		t.Fatal(err)
	}
	s.workflow("every", document)
	input := []byte(`{"notes":["one","two","three"]}`)
	calm := s.completes(s.give("every", input, nil))
	asked := len(g.Requests())
	for _, action := range []string{"kill", "kill-server"} {
		for _, at := range []struct {
			point string
			nth   []int
			// again is how many requests may be asked once more: those under way when the process died.
			again int
		}{
			{"request.before_begin", []int{1, 4, 9}, 2},
			{"request.begun", []int{1, 5, 10}, 2},
			{"request.sending", []int{2, 6, 11}, 2},
			{"request.answered", []int{1, 4, 8, 12}, 2},
			{"request.ended", []int{3, 7, 13}, 2},
			{"effect.before", []int{1}, 0},
			{"effect.begun", []int{1}, 0},
			{"effect.acted", []int{1}, 0},
			{"effect.ended", []int{1}, 0},
			{"settle.before", []int{1}, 0},
		} {
			for _, n := range at.nth {
				t.Run(fmt.Sprintf("%s at %s %d", action, at.point, n), func(t *testing.T) {
					s.t = t
					before := len(g.Requests())
					var r run.Run
					s, r = s.crashDocument(at.point, n, action, input)
					if string(r.Result.Output) != string(calm.Result.Output) || r.Usage.Requests != calm.Usage.Requests ||
						r.Usage.ToolCalls != calm.Usage.ToolCalls {
						t.Errorf("output %s, usage %+v; undisturbed %s, %+v", r.Result.Output, r.Usage, calm.Result.Output, calm.Usage)
					}
					if again := len(g.Requests()) - before - asked; again < 0 || again > at.again {
						t.Errorf("%d requests were asked again", again)
					}
				})
			}
		}
	}
}

// crashDocument runs the document with one crash, and gives the server that lives after it.
func (s *server) crashDocument(point string, n int, action string, input []byte) (*server, run.Run) {
	s.t.Helper()
	s, id := s.crashing(fmt.Sprintf("%s %d %s", point, n, action), func() string { return s.give("every", input, nil) })
	return s, s.completes(id)
}
