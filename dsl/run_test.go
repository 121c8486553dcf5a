package dsl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
)

// testHost answers by functions and records what it is asked.
type testHost struct {
	generate func(ctx context.Context, ask dsl.Generation) (dsl.Submission, error)
	judge    func(ask dsl.Judgment) (dsl.Judged, error)
	effect   func(ctx context.Context, ask dsl.Attempt) (dsl.Settled, error)

	mutex  sync.Mutex
	asked  []string
	waits  []float64
	events map[string][]string
}

func (h *testHost) note(format string, args ...any) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.asked = append(h.asked, fmt.Sprintf(format, args...))
}

func (h *testHost) Generate(ctx context.Context, ask dsl.Generation) (dsl.Submission, error) {
	h.note("generate %s %s", ask.Path, ask.User)
	return h.generate(ctx, ask)
}

func (h *testHost) Judge(_ context.Context, ask dsl.Judgment) (dsl.Judged, error) {
	h.note("judge %s %s/%d %s", ask.Path, ask.Purpose, ask.Request, dsl.JSON(ask.State))
	return h.judge(ask)
}

func (h *testHost) Effect(ctx context.Context, ask dsl.Attempt) (dsl.Settled, error) {
	h.note("effect %s %d within %g", ask.Path, ask.Number, ask.DeadlineSeconds)
	return h.effect(ctx, ask)
}

func (h *testHost) Wait(_ context.Context, ask dsl.Pause) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.waits = append(h.waits, ask.Seconds)
	return nil
}

func (h *testHost) Observe(event dsl.Event) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.events == nil {
		h.events = map[string][]string{}
	}
	h.events[event.Path] = append(h.events[event.Path], event.Type+" "+event.Label+" "+dsl.JSON(event.Detail))
}

func parsed(t testing.TB, text string) *dsl.Object {
	t.Helper()
	value, err := dsl.Decode([]byte(text))
	if err != nil {
		t.Fatalf("the test's own JSON: %v", err)
	}
	object, ok := value.(*dsl.Object)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return object
}

// document makes a workflow of a root node; V is a schema with a text v, Any takes everything.
func document(t testing.TB, root string) *dsl.Workflow {
	t.Helper()
	doc := parsed(t, `{"v":2,"name":"test","schemas":{
		"V":{"type":"object","properties":{"v":{"type":"string"}},"required":["v"]},
		"N":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]},
		"Yes":{"type":"object","properties":{"ok":{"type":"boolean","description":"Is it?"}},"required":["ok"]},
		"Any":{"type":"object"}},"output":{"schemaId":"Any"},"root":`+root+`}`)
	if issues := dsl.Validate(doc, dsl.Check{}); len(issues) > 0 {
		t.Fatalf("the test's document is not valid: %+v", issues)
	}
	workflow, err := dsl.Build(doc)
	if err != nil {
		t.Fatal(err)
	}
	return workflow
}

func failureOf(t *testing.T, err error) *dsl.Failure {
	t.Helper()
	var failure *dsl.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("the run ends with %v, want a failure", err)
	}
	return failure
}

const agentNode = `{"node":"agent","label":"a","instructions":"i","state":{"x":"{item}"},"out":"V","as":"a"}`

func answering(v string) func(context.Context, dsl.Generation) (dsl.Submission, error) {
	return func(context.Context, dsl.Generation) (dsl.Submission, error) {
		return dsl.Submission{Value: dsl.ObjectOf("v", v)}, nil
	}
}

// TestRunIsRepeatable runs a document with concurrent parts many times: what is asked at each path, and what happened
// there, must be the same each time.
func TestRunIsRepeatable(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"chain","steps":[
		{"node":"map","label":"m","itemsPath":"items","as":"out","maxConcurrency":3,"body":{"node":"chain","steps":[`+agentNode+`,
			{"node":"judge","label":"j","state":{"v":"{a.v}"},"out":"Yes","as":"j"}]}},
		{"node":"parallel","label":"p","branches":[
			{"node":"agent","label":"b","instructions":"i","state":{},"out":"V","as":"b"},
			{"node":"loop","label":"l","maxIters":3,"until":{"predicate":"field_true","path":"never"},
				"body":{"node":"call","label":"c","via":"tool","tool":"t","args":{},"out":"N","as":"c","deadline_s":5}}]},
		{"node":"sift","label":"s","itemsPath":"items","out":"Yes","as":"s"}]}`)
	var first *testHost
	var output string
	for range 20 {
		host := &testHost{
			generate: answering("x"),
			judge: func(ask dsl.Judgment) (dsl.Judged, error) {
				answers := dsl.NewObject(1)
				for _, question := range ask.Questions {
					answers.Set(question.ID, dsl.ObjectOf("type", "noul", "noul", 0.75))
				}
				return dsl.Judged{Answers: answers}, nil
			},
			effect: func(context.Context, dsl.Attempt) (dsl.Settled, error) {
				return dsl.Settled{Result: dsl.ObjectOf("n", 1.0)}, nil
			},
		}
		result, err := workflow.Run(t.Context(), host, dsl.Options{MaxQuestionsPerRequest: 2}, parsed(t, `{"never":false,"items":[1,2,3,4,5,6,7]}`))
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(host.asked)
		if first == nil {
			first, output = host, dsl.JSON(result.Output)
			continue
		}
		if diff := cmp.Diff(first.asked, host.asked); diff != "" {
			t.Fatalf("another run asks otherwise (-first +now):\n%s", diff)
		}
		if diff := cmp.Diff(first.events, host.events); diff != "" {
			t.Fatalf("other things happen (-first +now):\n%s", diff)
		}
		if diff := cmp.Diff(output, dsl.JSON(result.Output)); diff != "" {
			t.Fatalf("another output (-first +now):\n%s", diff)
		}
	}
}

// TestMapBoundsItsTasks shows that a map starts no more tasks than it may, and takes its items in order.
func TestMapBoundsItsTasks(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"map","label":"m","itemsPath":"items","as":"out","maxConcurrency":4,"body":`+agentNode+`}`)
	items := make([]any, 10_000)
	for i := range items {
		items[i] = float64(i)
	}
	tasks := &countingTasks{}
	host := &testHost{generate: answering("x")}
	result, err := workflow.Run(t.Context(), host, dsl.Options{Tasks: tasks}, dsl.ObjectOf("items", items))
	if err != nil {
		t.Fatal(err)
	}
	if tasks.started != 4 {
		t.Errorf("it started %d tasks, want 4", tasks.started)
	}
	out, _ := result.State.Get("out")
	if list, ok := out.([]any); !ok || len(list) != len(items) {
		t.Errorf("there are not %d results", len(items))
	}
	if first := host.asked[0]; !slices.Contains([]string{"0", "1", "2", "3"}, strings.Split(first, "/")[3]) {
		t.Errorf("the first item is %s", first)
	}
}

type countingTasks struct {
	mutex   sync.Mutex
	started int
}

func (c *countingTasks) Go(fn func()) {
	c.mutex.Lock()
	c.started++
	c.mutex.Unlock()
	go fn()
}

func (*countingTasks) Block(fn func()) { fn() }

func TestLongLoop(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"loop","label":"l","maxIters":5000,"until":{"predicate":"gte","path":"n","n":1e9},
		"body":{"node":"code","label":"c","as":"n","expr":"n + 1"}}`)
	result, err := workflow.Run(t.Context(), &testHost{}, dsl.Options{}, dsl.ObjectOf("n", 0.0))
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := result.State.Get("n"); n != 5000.0 {
		t.Errorf("after 5,000 iterations n is %v", n)
	}
}

// TestFirstFailureStopsTheOthers shows that a failing item cancels its siblings and that none is begun after it.
func TestFirstFailureStopsTheOthers(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"map","label":"m","itemsPath":"items","as":"out","maxConcurrency":2,"body":`+agentNode+`}`)
	other := make(chan struct{})
	host := &testHost{generate: func(ctx context.Context, ask dsl.Generation) (dsl.Submission, error) {
		if ask.Item.Index == 0 {
			close(other)
			<-ctx.Done()
			return dsl.Submission{}, fmt.Errorf("the session ends: %w", ctx.Err())
		}
		<-other
		return dsl.Submission{Value: dsl.ObjectOf("nope", 1.0)}, nil
	}}
	_, err := workflow.Run(t.Context(), host, dsl.Options{}, parsed(t, `{"items":[1,2,3,4]}`))
	failure := failureOf(t, err)
	if failure.Code != dsl.CodeOutputInvalid || failure.ExecutionPath != "/root/items/1/body" {
		t.Errorf("the run fails with %s at %s", failure.Code, failure.ExecutionPath)
	}
	if len(host.asked) != 2 {
		t.Errorf("%d items were asked, want 2", len(host.asked))
	}
	want := []string{`map.failed m {"completed":0,"of":4,"message":` + dsl.JSON(failure.Error()) + `}`}
	if diff := cmp.Diff(want, host.events["/root"]); diff != "" {
		t.Errorf("events of the map (-want +got):\n%s", diff)
	}
}

// TestUnknownOutcomeHoldsAnEscalation shows that a run does not end as escalated while nobody knows what a sibling did.
func TestUnknownOutcomeHoldsAnEscalation(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"parallel","label":"p","branches":[
		{"node":"call","label":"c","via":"tool","tool":"t","args":{},"out":"N","as":"c","deadline_s":5},
		{"node":"chain","steps":[
			{"node":"agent","label":"b","instructions":"i","state":{},"out":"V","as":"b"},
			{"node":"escalate","label":"e","when":{"predicate":"field_equals","path":"b.v","value":"x"},"kind":"k","stage":"s","summary":"help"}]}]}`)
	begun := make(chan struct{})
	host := &testHost{
		generate: func(ctx context.Context, ask dsl.Generation) (dsl.Submission, error) {
			<-begun
			return answering("x")(ctx, ask)
		},
		effect: func(ctx context.Context, _ dsl.Attempt) (dsl.Settled, error) {
			close(begun)
			<-ctx.Done()
			return dsl.Settled{}, &dsl.EffectError{Code: dsl.CodeOutcomeUnknown, Interruption: "cancelled", Message: "who knows"}
		},
	}
	result, err := workflow.Run(t.Context(), host, dsl.Options{}, dsl.NewObject(0))
	failure := failureOf(t, err)
	if failure.Code != dsl.CodeOutcomeUnknown || len(failure.Others) != 2 || result.Escalation != nil {
		t.Errorf("the run ends with %+v, want the escalation held back beside the unknown outcome", failure)
	}
	if !strings.Contains(failure.Error(), "help") {
		t.Errorf("%q does not tell of the escalation", failure.Error())
	}
}

func TestCancelledRunEnds(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"map","label":"m","itemsPath":"items","as":"out","body":`+agentNode+`}`)
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("a person stopped the run")
	host := &testHost{generate: func(ctx context.Context, _ dsl.Generation) (dsl.Submission, error) {
		cancel(stopped)
		<-ctx.Done()
		return dsl.Submission{}, context.Cause(ctx)
	}}
	if _, err := workflow.Run(ctx, host, dsl.Options{}, parsed(t, `{"items":[1,2,3]}`)); !errors.Is(err, stopped) {
		t.Errorf("the run ends with %v, want what stopped it", err)
	}
}

func TestHostErrorEndsTheRunAsItIs(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"agent","label":"a","instructions":"i","state":{},"out":"V","as":"a"}`)
	full := errors.New("the disk is full")
	host := &testHost{generate: func(context.Context, dsl.Generation) (dsl.Submission, error) { return dsl.Submission{}, full }}
	if _, err := workflow.Run(t.Context(), host, dsl.Options{}, dsl.NewObject(0)); !errors.Is(err, full) {
		t.Errorf("the run ends with %v", err)
	}
}

func TestRetryAndBackoff(t *testing.T) {
	t.Parallel()
	call := func(retry string) string {
		return `{"node":"call","label":"c","via":"tool","tool":"t","args":{},"out":"N","as":"c","deadline_s":5,"retry":` + retry + `}`
	}
	failing := &dsl.EffectError{Message: "busy", Class: "http_5xx"}
	cases := []struct {
		name, retry string
		failure     *dsl.EffectError
		succeeds    int // at this attempt; 0: never
		attempts    int
		waits       []float64
		code        string
	}{
		{"success at the third", `{"attempts":3}`, failing, 3, 3, []float64{1, 2}, ""},
		{"too few attempts", `{"attempts":2,"backoff_s":0.5}`, failing, 3, 2, []float64{0.5}, "effect_transport"},
		{"no backoff", `{"attempts":3,"backoff_s":0}`, failing, 3, 3, nil, ""},
		{"another class", `{"attempts":3,"on":["timeout"]}`, failing, 3, 1, nil, "effect_transport"},
		{"the code that the class implies", `{"attempts":2,"on":["effect_transport"]}`, failing, 2, 2, []float64{1}, ""},
		{"no class", `{"attempts":3}`, &dsl.EffectError{Message: "no"}, 2, 1, nil, ""},
		{"an unknown outcome", `{"attempts":3}`, &dsl.EffectError{Code: dsl.CodeOutcomeUnknown, Class: "timeout"}, 2, 1, nil, dsl.CodeOutcomeUnknown},
		{"a late success", `{"attempts":3}`, &dsl.EffectError{Code: dsl.CodeDeadlineExceeded, Class: "timeout", Late: 1.0}, 2, 1, nil, dsl.CodeDeadlineExceeded},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			keys := map[string]bool{}
			host := &testHost{effect: func(_ context.Context, ask dsl.Attempt) (dsl.Settled, error) {
				keys[ask.IdempotencyKey] = true
				if ask.Number == c.succeeds {
					return dsl.Settled{Result: dsl.ObjectOf("n", 1.0)}, nil
				}
				return dsl.Settled{}, c.failure
			}}
			_, err := document(t, call(c.retry)).Run(t.Context(), host, dsl.Options{}, dsl.NewObject(0))
			if c.succeeds != c.attempts {
				failure := failureOf(t, err)
				if failure.Code != c.code || failure.Attempt != c.attempts || failure.Late != c.failure.Late {
					t.Errorf("it fails with %+v", failure)
				}
			} else if err != nil {
				t.Error(err)
			}
			if len(host.asked) != c.attempts || len(keys) != 1 {
				t.Errorf("%d attempts with %d keys, want %d with one", len(host.asked), len(keys), c.attempts)
			}
			if diff := cmp.Diff(c.waits, host.waits); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPollTime shows that a poll reads its time off the host's attempts, and gives each what is left of it.
func TestPollTime(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"call","label":"c","via":"tool","tool":"t","args":{},"out":"N","as":"c","deadline_s":4,
		"poll":{"until":{"predicate":"gte","path":"n","n":9},"interval_s":2,"deadline_s":10}}`)
	now := time.Unix(0, 0)
	host := &testHost{}
	host.effect = func(_ context.Context, _ dsl.Attempt) (dsl.Settled, error) {
		began := now.Add(time.Duration(len(host.waits)) * 2 * time.Second)
		now = now.Add(time.Second) // each attempt takes a second
		return dsl.Settled{Result: dsl.ObjectOf("n", 1.0), Began: began, EndedAt: began.Add(time.Second)}, nil
	}
	_, err := workflow.Run(t.Context(), host, dsl.Options{}, dsl.NewObject(0))
	if failure := failureOf(t, err); failure.Code != "effect_timeout" || failure.RetryClass != "timeout" {
		t.Errorf("it fails with %+v", failure)
	}
	want := []string{
		"effect /root 1 within 4", "effect /root 2 within 4", "effect /root 3 within 4", "effect /root 4 within 1",
	}
	if diff := cmp.Diff(want, host.asked); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

func TestComposedKeys(t *testing.T) {
	t.Parallel()
	child := func(root string) string {
		return `{"node":"workflow","label":"w","as":"w","out":"Any","input":{},"workflow":{"v":2,"name":"child","schemas":{"Any":{"type":"object"}},
			"input":{"schemaId":"Any"},"output":{"schemaId":"Any"},"root":` + root + `}}`
	}
	call := `{"node":"call","label":"c","via":"tool","tool":"t","args":{"b":1,"a":2},"out":"Any","as":"c","deadline_s":5}`
	flat := "w/c\ntool\nt\n" + `{"a":2,"b":1}`
	cases := []struct{ name, root, preimage string }{
		{"a child of plain steps", child(call), flat},
		{"a child in a parallel", `{"node":"parallel","label":"p","branches":[` + child(call) + `,{"node":"code","label":"x","code":"() => ({})"}]}`, flat},
		{
			"a child in a loop", `{"node":"loop","label":"l","maxIters":1,"until":{"predicate":"field_true","path":"never"},"body":` + child(call) + `}`,
			`["execution-path-v1","/root/iterations/0/body/workflow/root","w/c","tool","t",{"a":2,"b":1}]`,
		},
		{
			"a child with a loop", child(`{"node":"loop","label":"l","maxIters":1,"until":{"predicate":"field_true","path":"c.never"},"body":` + call + `}`),
			`["execution-path-v1","/root/workflow/root/iterations/0/body","w/c","tool","t",{"a":2,"b":1}]`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var key string
			host := &testHost{effect: func(_ context.Context, ask dsl.Attempt) (dsl.Settled, error) {
				key = ask.IdempotencyKey
				return dsl.Settled{Result: dsl.NewObject(0)}, nil
			}}
			if _, err := document(t, c.root).Run(t.Context(), host, dsl.Options{}, dsl.ObjectOf("never", false)); err != nil {
				t.Fatal(err)
			}
			if want := sha256Hex(c.preimage); key != want {
				t.Errorf("the key is %s, want that of %s", key, c.preimage)
			}
		})
	}
}
