package codex

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// teller answers calls and remembers them.
type teller struct {
	nobody

	err error
	mu  sync.Mutex
	got []string
}

func (t *teller) Call(_ context.Context, call cli.Call) (cli.Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.got = append(t.got, call.ID+" "+call.Name+" "+string(call.Args))
	return cli.Result{Text: "the host's words"}, t.err
}

func outputs(r *request) string {
	var out []string
	for _, one := range r.items {
		if one.Type == typeOutput {
			out = append(out, one.CallID+"="+string(one.Output)+string(one.fields["output"]))
		}
	}
	return strings.Join(out, " ")
}

func TestWhatTheProgramAnswersItselfIsTheHosts(t *testing.T) {
	t.Parallel()
	call := models.Call{ID: "c1", Name: "nothing", Args: json.RawMessage(`{}`)}
	nothing := strings.Replace(calls1, `"read"`, `"nothing"`, 1)
	cases := map[string]struct {
		before func(*calls)
		items  []string
		want   string
		told   int
	}{
		"a call it passed on":          {func(c *calls) { _, _ = c.pass(cli.Call{ID: "c1"}) }, []string{calls1, results1}, `c1="r1""r1"`, 1},
		"a call of before":             {func(c *calls) { c.known["c1"] = true }, []string{calls1, results1}, `c1="r1""r1"`, 0},
		"a call that was seen to":      {func(c *calls) { c.begin([]models.Call{call, call}) }, []string{nothing, results1}, `c1="the host's words""the host's words"`, 1},
		"a call that nobody saw":       {func(*calls) {}, []string{nothing, results1}, `c1="the host's words""the host's words"`, 1},
		"a result of no call":          {func(*calls) {}, []string{results1}, `c1="r1""r1"`, 0},
		"a call it passed on after":    {func(c *calls) { c.begin([]models.Call{call}); _, _ = c.pass(cli.Call{ID: "c1"}) }, []string{nothing, results1}, `c1="r1""r1"`, 1},
		"a call of a tool that exists": {func(c *calls) { c.begin([]models.Call{{ID: "c1", Name: "read", Args: json.RawMessage(`{}`)}}) }, nil, "", 0},
		"arguments that were no JSON":  {func(c *calls) { c.begin([]models.Call{{ID: "c1", Name: "read", Args: json.RawMessage(`"{"`)}}) }, nil, "", 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := &teller{}
			c := newCalls(t.Context(), cli.Spec{Tools: testTools}, host, func(err error) { t.Errorf("the session fails: %v", err) })
			tc.before(c)
			for range 2 {
				r := requestOf(t, tc.items...)
				if err := c.fill(r); err != nil {
					t.Fatal(err)
				}
				if got := outputs(r); got != tc.want {
					t.Errorf("results %s, want %s", got, tc.want)
				}
			}
			c.settle()
			if len(host.got) != tc.told {
				t.Errorf("the host was asked %q", host.got)
			}
		})
	}
}

func TestHistoryHasItsResults(t *testing.T) {
	t.Parallel()
	spec := cli.Spec{History: []models.Message{{Role: models.RoleTool, CallID: "c1"}}}
	c := newCalls(t.Context(), spec, nobody{}, nil)
	r := requestOf(t, calls1, results1)
	if err := c.fill(r); err != nil || outputs(r) != `c1="r1""r1"` {
		t.Errorf("results %s, %v", outputs(r), err)
	}
}

func TestACallThatTheHostDoesNotAnswerFailsTheSession(t *testing.T) {
	t.Parallel()
	var failed error
	host := &teller{err: errors.New("the database is gone")}
	c := newCalls(t.Context(), cli.Spec{}, host, func(err error) { failed = err })
	if err := c.fill(requestOf(t, calls1, results1)); err == nil {
		t.Error("it is filled")
	}
	if failed == nil || !strings.Contains(failed.Error(), "c1 of the tool read: the database is gone") {
		t.Errorf("the session fails of %v", failed)
	}
}

func TestNobodyWaitsForTheCallsOfASessionThatEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := newCalls(ctx, cli.Spec{}, nobody{}, func(error) {})
	c.own["c1"] = &outcome{done: make(chan struct{})}
	cancel()
	c.settle()
	if err := c.fill(requestOf(t, calls1, results1)); !errors.Is(err, context.Canceled) {
		t.Errorf("the fault is %v", err)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "{}", `{"a":1}`: `{"a":1}`, `[1]`: `[1]`, `{"a`: `"{\"a"`, "<b>": `"<b>"`, "nul": `"nul"`,
	} {
		if got := string(arguments(text)); got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
}
