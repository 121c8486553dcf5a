package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/engine"
	"github.com/agentrun/agentrun/workflows"
)

// fakeTemporal starts workflows in memory; only what the dispatcher calls is there.
type fakeTemporal struct {
	client.Client
	mu       sync.Mutex
	started  []string
	options  []client.StartWorkflowOptions
	failures int
	status   enums.WorkflowExecutionStatus
	missing  bool
}

func (f *fakeTemporal) ExecuteWorkflow(
	_ context.Context, options client.StartWorkflowOptions, _ any, _ ...any,
) (client.WorkflowRun, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failures > 0 {
		f.failures--
		return nil, errors.New("away")
	}
	f.started = append(f.started, options.ID)
	f.options = append(f.options, options)
	return nil, nil
}

func (f *fakeTemporal) DescribeWorkflowExecution(
	context.Context, string, string,
) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if f.missing {
		return nil, &serviceerror.NotFound{}
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{
		WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: f.status},
	}, nil
}

func (f *fakeTemporal) starts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.started)
}

// fakeRecord says which runs can go on.
type fakeRecord struct {
	mu      sync.Mutex
	resting map[string]bool
	driven  map[string]bool
	all     []string
}

func (r *fakeRecord) Runnable(_ context.Context, runID string) (door.Start, bool, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return door.Start{RunID: runID}, r.driven[runID], !r.resting[runID], nil
}

func (r *fakeRecord) Unfinished(context.Context) ([]string, error) { return r.all, nil }

func working(t *testing.T, temporal *fakeTemporal, record *fakeRecord, limit int) *Dispatcher {
	t.Helper()
	return dispatching(t, New(temporal, record, limit, true, nobody, slog.New(slog.DiscardHandler)))
}

// nobody is no worker to ask.
func nobody(door.Start) string { return "" }

func dispatching(t *testing.T, d *Dispatcher) *Dispatcher {
	t.Helper()
	d.patience = 0
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); d.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return d
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not seen: " + what)
		}
	}
}

func TestRunsStartFirstInFirstOutWithinTheLimit(t *testing.T) {
	t.Parallel()
	temporal := &fakeTemporal{}
	d := working(t, temporal, &fakeRecord{}, 2)
	for i := range 5 {
		id := fmt.Sprint("run", i)
		d.Ready(id)
		d.Ready(id) // a second word about the same run changes nothing
	}
	until(t, "two starts", func() bool { return len(temporal.starts()) == 2 })
	d.Rested("run0")
	d.Rested("run0")
	until(t, "a third start", func() bool { return len(temporal.starts()) == 3 })
	time.Sleep(20 * time.Millisecond)
	if n := len(temporal.starts()); n != 3 || len(d.Running()) != 2 {
		t.Fatalf("%d starts and %d running under a limit of 2", n, len(d.Running()))
	}
	for _, id := range []string{"run1", "run2", "run3"} {
		d.Rested(id)
		time.Sleep(5 * time.Millisecond)
	}
	until(t, "all starts", func() bool { return len(temporal.starts()) == 5 })
	if started := temporal.starts(); slices.Contains(started[2:], "run0") || started[4] != "run4" {
		t.Errorf("started in the order %v", started)
	}
}

// TestAWorkerStartsWhatItIsAsked: no more than starters are on their way to workers at once, a start of the dispatcher's
// own is for when there is nobody to ask, and a run that nobody opens holds its place for a while only.
func TestAWorkerStartsWhatItIsAsked(t *testing.T) {
	t.Parallel()
	temporal := &fakeTemporal{}
	asked := make(chan string, 100)
	away := make(chan struct{})
	ask := func(start door.Start) string {
		select {
		case <-away:
			return ""
		default:
			asked <- start.RunID
			return "w"
		}
	}
	d := dispatching(t, New(temporal, &fakeRecord{}, 100, true, ask, slog.New(slog.DiscardHandler)))
	for i := range starters + 2 {
		d.Ready(fmt.Sprint("run", i))
	}
	until(t, "as many as are started at once", func() bool { return len(asked) == starters })
	time.Sleep(20 * time.Millisecond)
	if n := len(asked); n != starters {
		t.Fatalf("%d on their way at once", n)
	}
	d.Opened(<-asked)
	d.Rested(<-asked)
	until(t, "the next two", func() bool { return len(asked) == starters })
	close(away)
	d.Opened(<-asked)
	d.Ready("alone")
	until(t, "a start of its own", func() bool { return slices.Equal(temporal.starts(), []string{"alone"}) })
	d.mu.Lock()
	opening := len(d.opening)
	d.mu.Unlock()
	if opening != starters-1 {
		t.Errorf("%d are waited for", opening)
	}
	until(t, "those that nobody opened are waited for no longer", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.opening) == 0 && len(d.running) == starters+2
	})
}

// TestARunThatIsDrivenIsNotStartedBesideItsDriver: it was opened since it was put in line. Started anew it is.
func TestARunThatIsDrivenIsNotStartedBesideItsDriver(t *testing.T) {
	t.Parallel()
	temporal := &fakeTemporal{}
	d := working(t, temporal, &fakeRecord{driven: map[string]bool{"driven": true}}, 5)
	d.Ready("driven")
	d.Ready("next")
	until(t, "the next one", func() bool { return slices.Equal(temporal.starts(), []string{"next"}) })
	d.Again("driven")
	until(t, "the driven one, anew", func() bool { return slices.Contains(temporal.starts(), "driven") })
}

// TestWhatAWorkerHadNotOpenedIsStartedAgain when it goes, and nothing of another worker's.
func TestWhatAWorkerHadNotOpenedIsStartedAgain(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	ask := func(start door.Start) string {
		asked <- start.RunID
		return "worker of " + start.RunID
	}
	d := dispatching(t, New(nil, &fakeRecord{}, 100, true, ask, slog.New(slog.DiscardHandler)))
	for _, id := range []string{"lost", "other", "held"} {
		d.Ready(id)
		until(t, "it is asked for", func() bool { return len(asked) == 1 })
		<-asked
	}
	until(t, "all are noted", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.asked) == 3
	})
	d.Gone("worker of held", map[string]bool{"held": true})
	d.Gone("worker of lost", nil)
	if got := <-asked; got != "lost" {
		t.Errorf("asked again for %s", got)
	}
	time.Sleep(20 * time.Millisecond)
	if len(asked) > 0 {
		t.Errorf("asked again for %s as well", <-asked)
	}
}

// TestARunWaitsForAWorkerToBeAsked rather than being started for nobody, and not for ever.
func TestARunWaitsForAWorkerToBeAsked(t *testing.T) {
	t.Parallel()
	d := New(nil, nil, 1, false, nil, nil)
	d.patience = time.Minute
	tries := 0
	d.offer = func(door.Start) string {
		if tries++; tries < 3 {
			return ""
		}
		return "w"
	}
	if worker, done := d.ask(t.Context(), door.Start{}, nil); worker != "w" || done || tries != 3 {
		t.Errorf("asked %q after %d tries, %v", worker, tries, done)
	}
	d.offer, d.patience = nobody, 50*time.Millisecond
	if worker, done := d.ask(t.Context(), door.Start{}, nil); worker != "" || done {
		t.Errorf("asked %q, %v", worker, done)
	}
	rested := make(chan struct{})
	close(rested)
	if _, done := d.ask(t.Context(), door.Start{}, rested); !done {
		t.Error("it waits for a worker at rest")
	}
}

func TestALostRunStartsAgainBeforeNewOnes(t *testing.T) {
	t.Parallel()
	temporal := &fakeTemporal{}
	d := working(t, temporal, &fakeRecord{}, 1)
	d.Ready("old")
	until(t, "the first start", func() bool { return len(temporal.starts()) == 1 })
	d.Ready("new")
	d.Again("old")
	until(t, "the second start", func() bool { return len(temporal.starts()) == 2 })
	if started := temporal.starts(); started[1] != "old" {
		t.Errorf("started %v", started)
	}
	if policy := temporal.options[1].WorkflowIDConflictPolicy; policy != enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING {
		t.Errorf("an execution that is still open is met with %v", policy)
	}
}

func TestARestingRunIsNotStarted(t *testing.T) {
	t.Parallel()
	temporal := &fakeTemporal{}
	d := working(t, temporal, &fakeRecord{resting: map[string]bool{"ended": true}}, 1)
	d.Ready("ended")
	d.Ready("next")
	until(t, "the next one", func() bool { return slices.Equal(temporal.starts(), []string{"next"}) })
}

func TestAStartIsTriedUntilTemporalIsBack(t *testing.T) {
	t.Parallel()
	temporal := &fakeTemporal{failures: 2}
	working(t, temporal, &fakeRecord{}, 1).Ready("run")
	until(t, "the start", func() bool { return len(temporal.starts()) == 1 })
}

func TestEveryUnfinishedRunIsResumed(t *testing.T) {
	t.Parallel()
	temporal := &fakeTemporal{}
	d := working(t, temporal, &fakeRecord{all: []string{"a", "b"}}, 5)
	if n, err := d.Resume(t.Context()); err != nil || n != 2 {
		t.Fatalf("resumed %d, %v", n, err)
	}
	until(t, "both", func() bool { return len(temporal.starts()) == 2 })
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		missing, resting bool
		status           enums.WorkflowExecutionStatus
		again            bool
	}{
		"it runs":               {status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING},
		"it continues as new":   {status: enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW},
		"somebody ended it":     {status: enums.WORKFLOW_EXECUTION_STATUS_TERMINATED, again: true},
		"it cannot be replayed": {status: enums.WORKFLOW_EXECUTION_STATUS_FAILED, again: true},
		"it is not there":       {missing: true, again: true},
		"its run has ended":     {status: enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, resting: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temporal := &fakeTemporal{missing: c.missing, status: c.status}
			record := &fakeRecord{resting: map[string]bool{}}
			d := working(t, temporal, record, 1)
			d.Ready("run")
			until(t, "the start", func() bool { return len(temporal.starts()) == 1 })
			record.mu.Lock()
			record.resting["run"] = c.resting
			record.mu.Unlock()
			d.check(t.Context(), "run")
			if c.again {
				until(t, "a second start", func() bool { return len(temporal.starts()) == 2 })
				return
			}
			time.Sleep(10 * time.Millisecond)
			if n := len(temporal.starts()); n != 1 {
				t.Errorf("%d starts", n)
			}
		})
	}
}

func TestOnlySilentRunsAreAskedAbout(t *testing.T) {
	t.Parallel()
	d := New(nil, nil, 5, false, nobody, nil)
	d.running["loud"], d.running["silent"] = time.Now(), time.Now().Add(-time.Minute)
	if got := d.silent(); !slices.Equal(got, []string{"silent"}) {
		t.Errorf("silent: %v", got)
	}
	if got := d.silent(); len(got) != 0 {
		t.Errorf("asked again at once: %v", got)
	}
	d.running["silent"] = time.Now().Add(-time.Minute)
	d.Alive("silent")
	d.Alive("unknown")
	if got := d.silent(); len(got) != 0 || len(d.running) != 2 {
		t.Errorf("after a sign of life: %v, running %v", got, d.running)
	}
}

func TestTheStatusAttributeIsTheEngines(t *testing.T) {
	t.Parallel()
	if workflows.StatusKey.GetName() != engine.AgentRunStatus.GetName() {
		t.Error("the workflow sets another attribute than the engine registers")
	}
}
