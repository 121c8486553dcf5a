package workflows

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

// notesDocument maps an extraction over notes and then sums up.
const notesDocument = `{"v":2,"name":"notes","schemas":{
 "Input":{"type":"object","properties":{"notes":{"type":"array","items":{"type":"string"}}},"required":["notes"]},
 "Change":{"type":"object","properties":{"what":{"type":"string"}},"required":["what"],"additionalProperties":false},
 "Summary":{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"],"additionalProperties":false}},
 "input":{"schemaId":"Input"},"output":{"schemaId":"Summary","path":"summary"},
 "root":{"node":"chain","steps":[
  {"node":"map","label":"each","itemsPath":"notes","as":"changes","maxConcurrency":2,
   "body":{"node":"extract","label":"change","instructions":"Find the change.","state":{"text":"{item}"},"out":"Change","as":"change"}},
  {"node":"extract","label":"sum","instructions":"Sum up.","state":{"changes":"{changes}"},"out":"Summary","as":"summary"}]}}`

func (b *bench) newDocumentRun(limit *run.USD, document, input string, change func(*run.Config)) string {
	b.t.Helper()
	config := b.config()
	config.Workflow = []byte(document)
	if change != nil {
		change(&config)
	}
	created, _, err := b.store.CreateRun(b.t.Context(), store.NewRun{
		ID: run.NewID(time.Now()), AgentID: "a", Revision: 1, Kind: run.KindWorkflow, Config: config,
		Input: run.Input{Content: input, Object: []byte(input)}, FirstMessage: input, MaxCostUSD: limit, Source: "api",
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return created.ID
}

// driveDocument goes on with a document's run in Temporal's test environment, and tells whether the worker lived.
func (b *bench) driveDocument(w *process, runID string) (lived bool) {
	b.t.Helper()
	return b.lives(w, runID, func() error {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(quiet())
		environment := suite.NewTestWorkflowEnvironment()
		environment.SetTestTimeout(time.Minute)
		Register(environment, w.steps)
		environment.ExecuteWorkflow(RunName, Input{RunID: runID, Kind: run.KindWorkflow, MaxSteps: b.config().MaxSteps})
		return environment.GetWorkflowError()
	})
}

// quiet is a logger for Temporal's client and test environment, which say a lot.
func quiet() sdklog.Logger { return sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)) }

// echoModel answers each session by the node it belongs to.
func echoModel() *scriptedModel {
	return &scriptedModel{answer: func(_ context.Context, _ int, request models.Request) (models.Answer, error) {
		if strings.Contains(request.Instructions, "Sum up") {
			return models.Answer{Text: fmt.Sprintf(`{"summary":%q}`, request.Messages[0].Text)}, nil
		}
		return models.Answer{Text: fmt.Sprintf(`{"what":%q}`, request.Messages[0].Text)}, nil
	}}
}

func TestADocumentRunsToItsOutput(t *testing.T) {
	t.Parallel()
	b := newBench(t, echoModel())
	id := b.newDocumentRun(nil, notesDocument, `{"notes":["one","two","three"]}`, nil)
	if !b.driveDocument(b.newWorker(0, false), id) {
		t.Fatal("the worker died")
	}
	got := b.run(id)
	const want = `{"summary":"{\"changes\":[{\"what\":\"{\\\"text\\\":\\\"one\\\"}\"},{\"what\":\"{\\\"text\\\":\\\"two\\\"}\"},` +
		`{\"what\":\"{\\\"text\\\":\\\"three\\\"}\"}]}"}`
	if got.Status != run.Completed || got.Result == nil {
		t.Fatalf("the run is %s: %+v", got.Status, got.Error)
	}
	if diff := cmp.Diff(want, string(got.Result.Output)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if got.Usage.Requests != 4 {
		t.Errorf("%d requests", got.Usage.Requests)
	}
	started := b.rows(id, run.RowNodeStarted)
	if len(started) < 4 {
		t.Errorf("%d nodes started", len(started))
	}
}

// TestADocumentSurvivesACrashAtEveryAppend kills the worker at each append to the journal, before and after it took
// effect: the result is that of the undisturbed run, and no answer that came was asked for again.
func TestADocumentSurvivesACrashAtEveryAppend(t *testing.T) {
	t.Parallel()
	const input = `{"notes":["one","two","three"]}`
	calm := newBench(t, echoModel())
	undisturbed := calm.newDocumentRun(nil, notesDocument, input, nil)
	calm.driveDocument(calm.newWorker(0, false), undisturbed)
	want := string(calm.run(undisturbed).Result.Output)
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			b := newBench(t, echoModel())
			id := b.newDocumentRun(nil, notesDocument, input, nil)
			if b.driveDocument(b.newWorker(at, after), id) {
				if at < 6 {
					t.Fatalf("only %d appends", at-1)
				}
				break
			}
			if !b.driveDocument(b.newWorker(0, false), id) {
				t.Fatal("the second worker died")
			}
			got := b.run(id)
			if got.Status != run.Completed || string(got.Result.Output) != want {
				t.Fatalf("crash at append %d (after: %t): %s %+v", at, after, got.Status, got.Error)
			}
			b.checkAskedOnce(id, at)
		}
	}
}

// checkAskedOnce: each request of the run has one answer, and no attempt followed one that was answered.
func (b *bench) checkAskedOnce(id string, at int) {
	b.t.Helper()
	answered := map[string]int{}
	for _, row := range b.rows(id, run.RowAnswer) {
		var answer run.Answer
		if err := row.Decode(&answer); err != nil {
			b.t.Fatal(err)
		}
		answered[answer.Request]++
	}
	for _, row := range b.rows(id, run.RowRequestStarted) {
		var started run.RequestStarted
		if err := row.Decode(&started); err != nil {
			b.t.Fatal(err)
		}
		if answered[started.Request] != 1 || started.Attempt > 2 {
			b.t.Errorf("crash at append %d: request %s attempt %d, answered %d times", at, started.Request, started.Attempt,
				answered[started.Request])
		}
	}
	if len(answered) != 4 {
		b.t.Errorf("crash at append %d: %d requests answered", at, len(answered))
	}
}

// TestACapInTheMiddleOfAMapPausesAndARaiseCompletes: concurrent nodes hold against one cap; what waits for it waits with
// the run, and a raise sends it.
func TestACapInTheMiddleOfAMapPausesAndARaiseCompletes(t *testing.T) {
	t.Parallel()
	b := newBench(t, echoModel())
	const input = `{"notes":["1","2","3","4","5","6","7","8"]}`
	onlyWhole := func(c *run.Config) { c.Model.MinOutput = 1000 }
	free := b.newDocumentRun(nil, notesDocument, input, onlyWhole)
	b.driveDocument(b.newWorker(0, false), free)
	var first run.RequestStarted
	if err := b.rows(free, run.RowRequestStarted)[0].Decode(&first); err != nil {
		b.t.Fatal(err)
	}
	// An answer costs 110 microdollars: this buys three, and what the fourth holds is more than is left.
	limit := first.HeldUSD.Plus(run.Dollar / 1_000_000 * 250)
	id := b.newDocumentRun(&limit, notesDocument, input, onlyWhole)
	b.driveDocument(b.newWorker(0, false), id)
	paused := b.run(id)
	if paused.Status != run.InputRequired || paused.Pending == nil || paused.Pending.Kind != run.PendingBudget {
		t.Fatalf("the run is %s, pending %+v, error %+v", paused.Status, paused.Pending, paused.Error)
	}
	if paused.Usage.Requests != 3 {
		t.Errorf("%d requests were answered, %s spent of %s", paused.Usage.Requests, *paused.Pending.SpentUSD, limit)
	}
	if paused.Cost.HeldUSD != 0 {
		t.Errorf("%s are still held", paused.Cost.HeldUSD)
	}
	raised := run.Dollar
	if _, err := b.store.SetCap(t.Context(), id, &raised); err != nil {
		t.Fatal(err)
	}
	b.driveDocument(b.newWorker(0, false), id)
	if got := b.run(id); got.Status != run.Completed || got.Usage.Requests != 9 {
		t.Errorf("after the raise: %s, %d requests, %+v", got.Status, got.Usage.Requests, got.Error)
	}
}

// everyKind is a document that maps, branches, loops, routes, verifies, calls a tool, asks a judge and runs a child; the
// built binary is crashed on it too.
func everyKind(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../e2e/testdata/every-kind.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// everyModel answers the sessions of that document: the first draft is doubted, the second is not.
func everyModel() *scriptedModel {
	return &scriptedModel{answer: func(_ context.Context, turn int, request models.Request) (models.Answer, error) {
		asked := request.Messages[0].Text
		switch {
		case strings.Contains(request.Instructions, "judge") && strings.Contains(asked, `"sound"`):
			if strings.Contains(asked, "draft 1") {
				return models.Answer{Text: `{"sound":{"probability_yes":0.1}}`}, nil
			}
			return models.Answer{Text: `{"sound":{"probability_yes":0.9}}`}, nil
		case strings.Contains(request.Instructions, "judge"):
			return models.Answer{Text: `{"kind":{"probabilities":{"x":0.2,"y":0.8}}}`}, nil
		case request.Instructions == "Count.":
			var n int
			if _, err := fmt.Sscanf(asked, `{"n":%d}`, &n); err != nil {
				return models.Answer{}, err
			}
			return models.Answer{Text: fmt.Sprintf(`{"n":%d}`, n+1)}, nil
		case request.Instructions == "Draft.":
			return models.Answer{Text: fmt.Sprintf(`{"text":"draft %d"}`, turn)}, nil
		}
		return models.Answer{Text: fmt.Sprintf(`{"text":%q}`, request.Instructions+asked)}, nil
	}}
}

// TestEveryKindOfNodeSurvivesACrashAtEveryAppend is the sweep over a document that uses all of the language.
func TestEveryKindOfNodeSurvivesACrashAtEveryAppend(t *testing.T) {
	t.Parallel()
	const input = `{"notes":["one","two","three"]}`
	calm := newBench(t, everyModel())
	undisturbed := calm.newDocumentRun(nil, everyKind(t), input, nil)
	calm.driveDocument(calm.newWorker(0, false), undisturbed)
	whole := calm.run(undisturbed)
	if whole.Status != run.Completed {
		t.Fatalf("undisturbed: %s %+v", whole.Status, whole.Error)
	}
	want := string(whole.Result.Output)
	answers := len(calm.rows(undisturbed, run.RowAnswer))
	crashed := 0
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			b := newBench(t, everyModel())
			id := b.newDocumentRun(nil, everyKind(t), input, nil)
			if b.driveDocument(b.newWorker(at, after), id) {
				break
			}
			crashed++
			if !b.driveDocument(b.newWorker(0, false), id) {
				t.Fatal("the second worker died")
			}
			got := b.run(id)
			if got.Status != run.Completed || string(got.Result.Output) != want {
				t.Fatalf("crash at append %d (after: %t): %s %+v\n%+v", at, after, got.Status, got.Error, got.Result)
			}
			if again := len(b.rows(id, run.RowAnswer)); again != answers {
				t.Errorf("crash at append %d (after: %t): %d answers, undisturbed %d", at, after, again, answers)
			}
			if got := b.file(id, "out.txt"); got != "draft 2" {
				t.Errorf("crash at append %d (after: %t): the file holds %q", at, after, got)
			}
		}
	}
	if crashed < 40 {
		t.Errorf("only %d crashes", crashed)
	}
}

// gateDocument looks something up, and escalates where the input lacks an address.
const gateDocument = `{"v":2,"name":"gate","schemas":{
 "In":{"type":"object","properties":{"name":{"type":"string"},"address":{"type":"string"}},"required":["name"],"additionalProperties":false},
 "T":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}},
 "input":{"schemaId":"In"},"output":{"schemaId":"T","path":"letter"},
 "root":{"node":"chain","steps":[
  {"node":"extract","label":"look up","instructions":"Look up.","state":{"n":"{name}"},"out":"T","as":"found"},
  {"node":"call","label":"note","via":"tool","tool":"write","args":{"path":"note.txt","content":"{found.text}"},"out":"T","as":"noted","deadline_s":5},
  {"node":"code","label":"known","code":"(s) => ({to: s.address || ''})"},
  {"node":"escalate","label":"lacks","when":{"predicate":"empty","path":"to"},"kind":"missing_input","stage":"address","summary":"Where does {name} live?"},
  {"node":"extract","label":"write","instructions":"Write.","state":{"f":"{found}","to":"{to}"},"out":"T","as":"letter"}]}}`

// TestAnEscalatedRunGoesOnWithWhatItLacked: what was asked before is not asked again, and what follows reads the supply.
func TestAnEscalatedRunGoesOnWithWhatItLacked(t *testing.T) {
	t.Parallel()
	b := newBench(t, everyModel())
	document := strings.Replace(gateDocument, `"out":"T","as":"noted"`, `"out":"Any","as":"noted"`, 1)
	document = strings.Replace(document, `"schemas":{`, `"schemas":{"Any":{"type":"object"},`, 1)
	id := b.newDocumentRun(nil, document, `{"name":"Ada"}`, nil)
	b.driveDocument(b.newWorker(0, false), id)
	r := b.run(id)
	if r.Status != run.Failed || r.Error == nil || r.Error.Code != run.CodeEscalated || r.Error.Message != "Where does Ada live?" {
		t.Fatalf("the run is %s: %+v", r.Status, r.Error)
	}
	if _, err := b.store.Message(t.Context(), id, `{"address":"12 Square"}`, nil); err != nil {
		t.Fatal(err)
	}
	b.driveDocument(b.newWorker(0, false), id)
	if r = b.run(id); r.Status != run.Completed || !strings.Contains(r.Result.FinalAnswer, "12 Square") {
		t.Fatalf("after the supply: %s %+v %+v", r.Status, r.Error, r.Result)
	}
	if r.Usage.Requests != 2 || r.Usage.ToolCalls != 1 {
		t.Errorf("%d requests and %d calls: what was asked before was asked again", r.Usage.Requests, r.Usage.ToolCalls)
	}
	if _, err := b.store.Message(t.Context(), id, `{}`, nil); run.CodeOf(err) != run.ErrNotContinuable {
		t.Errorf("a completed workflow takes a message: %v", err)
	}
}

// TestASupplyThatChangesWhatWasAskedAsksAnew: the node whose prompt is another is asked again, under its own name.
func TestASupplyThatChangesWhatWasAskedAsksAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t, everyModel())
	document := strings.Replace(gateDocument, `"out":"T","as":"noted"`, `"out":"Any","as":"noted"`, 1)
	document = strings.Replace(document, `"schemas":{`, `"schemas":{"Any":{"type":"object"},`, 1)
	id := b.newDocumentRun(nil, document, `{"name":"Ada"}`, nil)
	b.driveDocument(b.newWorker(0, false), id)
	if _, err := b.store.Message(t.Context(), id, `{"name":"Bob","address":"1 Lane"}`, nil); err != nil {
		t.Fatal(err)
	}
	b.driveDocument(b.newWorker(0, false), id)
	r := b.run(id)
	if r.Status != run.Completed || r.Usage.Requests != 3 || r.Usage.ToolCalls != 2 {
		t.Errorf("%s after %d requests and %d calls: %+v", r.Status, r.Usage.Requests, r.Usage.ToolCalls, r.Error)
	}
	if got := b.file(id, "note.txt"); !strings.Contains(got, "Bob") {
		t.Errorf("the note says %q", got)
	}
}

// TestATightCapKeepsTheOthersInLine: beside a request that holds all that is left nobody asks again and again, and no row
// says that the cap was reached before the run waits for it.
func TestATightCapKeepsTheOthersInLine(t *testing.T) {
	t.Parallel()
	b := newBench(t, echoModel())
	document := strings.Replace(notesDocument, `"maxConcurrency":2`, `"maxConcurrency":16`, 1)
	notes := make([]string, 40)
	for i := range notes {
		notes[i] = fmt.Sprintf("%q", fmt.Sprint(i))
	}
	limit := run.Dollar / 1_000_000 * 6000 // all of it costs less; a few requests hold it
	id := b.newDocumentRun(&limit, document, `{"notes":[`+strings.Join(notes, ",")+`]}`, nil)
	b.driveDocument(b.newWorker(0, false), id)
	r := b.run(id)
	if r.Status != run.Completed && r.Status != run.InputRequired {
		t.Fatalf("%s %+v", r.Status, r.Error)
	}
	refused := 0
	for _, row := range b.rows(id, run.RowRequestStarted) {
		var started run.RequestStarted
		if err := row.Decode(&started); err != nil {
			t.Fatal(err)
		}
		if started.CapRefused {
			refused++
		}
	}
	if answered := len(b.rows(id, run.RowAnswer)); refused > 16+2*answered {
		t.Errorf("%d refusals for %d answers", refused, answered)
	}
	if waits := len(b.rows(id, run.RowSpendCap)); waits > 1 || (waits == 1) != (r.Status == run.InputRequired) {
		t.Errorf("%d rows say that the cap was reached; the run is %s", waits, r.Status)
	}
}

// TestAnEndlessLoopIsCancelled: a document that asks for nothing is still told what people want.
func TestAnEndlessLoopIsCancelled(t *testing.T) {
	t.Parallel()
	b := newBench(t, echoModel())
	const endless = `{"v":2,"name":"loop","schemas":{"O":{"type":"object"}},"output":{"schemaId":"O"},
		"root":{"node":"loop","label":"l","maxIters":1000000000,"until":{"predicate":"field_true","path":"no"},
		"body":{"node":"code","label":"g","expr":"{\"no\":false}"}}}`
	id := b.newDocumentRun(nil, endless, `{}`, nil)
	done := make(chan bool, 1)
	go func() { done <- b.driveDocument(b.newWorker(0, false), id) }()
	deadline := time.Now().Add(20 * time.Second)
	for len(b.rows(id, run.RowNodeStarted)) < 100 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := b.store.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-done
	if r := b.run(id); r.Status != run.Cancelled {
		t.Errorf("the run is %s", r.Status)
	}
}

// TestANodesOwnCapHoldsBelowTheRuns: a node that its own cap does not buy fails the run before anything is sent; one that
// it buys in part has its output limited.
func TestANodesOwnCapHoldsBelowTheRuns(t *testing.T) {
	t.Parallel()
	document := func(budget string) string {
		return `{"v":2,"name":"n","schemas":{"T":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},
			"output":{"schemaId":"T","path":"t"},
			"root":{"node":"agent","label":"one","instructions":"Do.","out":"T","as":"t","budget_usd":` + budget + `}}`
	}
	for name, c := range map[string]struct {
		budget  string
		status  run.Status
		limited bool
	}{
		"enough":     {"1", run.Completed, false},
		"in part":    {"0.004", run.Completed, true},
		"not at all": {"0.0000001", run.Failed, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, everyModel())
			id := b.newDocumentRun(nil, document(c.budget), `{}`, func(config *run.Config) { config.Model.MinOutput = 10 })
			b.driveDocument(b.newWorker(0, false), id)
			r := b.run(id)
			if r.Status != c.status || c.status == run.Failed && (r.Error.Code != run.CodeSpendCap || r.Usage.Requests != 0) {
				t.Fatalf("the run is %s: %+v", r.Status, r.Error)
			}
			var started run.RequestStarted
			if err := b.rows(id, run.RowRequestStarted)[0].Decode(&started); err != nil {
				t.Fatal(err)
			}
			if limited := started.OutputCeiling > 0 && started.OutputCeiling < 1000; limited != c.limited {
				t.Errorf("an output ceiling of %d tokens", started.OutputCeiling)
			}
		})
	}
}
