package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// A child is this test binary started again, to play one scene with an engine of its own: what a restarted serve does.
const (
	childScene  = "AGENTRUN_ENGINE_SCENE"
	childDir    = "AGENTRUN_ENGINE_DIR"
	childReport = "AGENTRUN_ENGINE_REPORT"
)

// report is what a child saw.
type report struct {
	Error      string
	Start      time.Duration
	Stop       time.Duration
	Connection Connection
	ClusterID  string
	Events     int
	Open       []string
}

// scenes are what a child may do between start and stop.
var scenes = map[string]func(context.Context, *Engine, client.Client, *report) error{
	"write":   writeHistory,
	"reread":  rereadHistory,
	"idle":    func(context.Context, *Engine, client.Client, *report) error { return nil },
	"abandon": leaveClientsWaiting,
}

// play starts a child and waits for its end.
func play(t *testing.T, scene, dir string) report {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	child := exec.CommandContext(within(t), os.Args[0])
	child.Env = append(os.Environ(), childScene+"="+scene, childDir+"="+dir, childReport+"="+file)
	output, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("child %s: %v\n%s", scene, err, output)
	}
	if len(output) > 0 {
		t.Errorf("an engine writes to nothing but its logger; child %s wrote:\n%s", scene, output)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if r.Error != "" {
		t.Fatalf("child %s: %s", scene, r.Error)
	}
	return r
}

// playChild is the main function of a child.
func playChild(scene string) int {
	r := report{}
	if err := r.play(scene); err != nil {
		r.Error = err.Error()
	}
	data, err := json.Marshal(r)
	if err != nil {
		return 1
	}
	if os.WriteFile(os.Getenv(childReport), data, 0o600) != nil {
		return 1
	}
	return 0
}

func (r *report) play(scene string) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	began := time.Now()
	engine, err := Start(ctx, Options{Dir: os.Getenv(childDir), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	r.Start = time.Since(began)
	r.Connection = engine.Connection()
	r.ClusterID = readRecord(os.Getenv(childDir)).ClusterID
	c, err := Dial(ctx, engine.Connection(), nil)
	if err != nil {
		return err
	}
	if err := scenes[scene](ctx, engine, c, r); err != nil {
		return err
	}
	if scene != "abandon" {
		c.Close()
	}
	began = time.Now()
	err = engine.Stop(ctx)
	r.Stop = time.Since(began)
	return err
}

func writeHistory(ctx context.Context, _ *Engine, c client.Client, _ *report) error {
	w, err := newWorker(c, "lasting")
	if err != nil {
		return err
	}
	defer w.Stop()
	started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "lasting", TaskQueue: "lasting"}, steps, 2)
	if err != nil {
		return err
	}
	if err := started.Get(ctx, nil); err != nil {
		return err
	}
	_, err = c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "open", TaskQueue: "served by nobody"}, steps, 1)
	return err
}

func rereadHistory(ctx context.Context, _ *Engine, c client.Client, r *report) error {
	events := c.GetWorkflowHistory(ctx, "lasting", "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		if _, err := events.Next(); err != nil {
			return err
		}
		r.Events++
	}
	open, err := c.DescribeWorkflowExecution(ctx, "open", "")
	if err != nil {
		return err
	}
	r.Open = append(r.Open, open.GetWorkflowExecutionInfo().GetStatus().String())
	return nil
}

// leaveClientsWaiting stops the engine below a worker that polls and a client that waits for a workflow's end.
func leaveClientsWaiting(ctx context.Context, _ *Engine, c client.Client, _ *report) error {
	if _, err := newWorker(c, "polling"); err != nil {
		return err
	}
	started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "waiting", TaskQueue: "served by nobody"}, steps, 1)
	if err != nil {
		return err
	}
	waiting := make(chan struct{})
	go func() {
		close(waiting)
		_ = started.Get(ctx, nil)
	}()
	<-waiting
	return nil
}
