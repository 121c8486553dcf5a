package door_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// record is a store that answers as a test wants.
type record struct {
	mu      sync.Mutex
	appends []journal.Append
	fail    error
}

func (r *record) ClaimRun(_ context.Context, open journal.Open) (journal.Opened, error) {
	return journal.Opened{Claim: journal.Claim{RunID: open.RunID, Epoch: 1, Worker: open.Holder.Worker}}, r.fail
}

func (r *record) Append(_ context.Context, ask journal.Append) (journal.Appended, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.appends = append(r.appends, ask)
	return journal.Appended{Seqs: []int64{7}}, r.fail
}

func (r *record) Rows(context.Context, string, int64, int) ([]run.Row, error) {
	return []run.Row{run.NewRow(run.RowWarning, "k", run.Warning{Code: "c"}, run.ToolProof{Path: "p"})}, r.fail
}

func (r *record) Config(context.Context, string) (run.Config, error) {
	return run.Config{Model: run.Model{Provider: "openai"}}, nil
}

// house is a door over a socket, with what is behind it.
type house struct {
	record *record
	hub    *door.Hub
	feed   *door.Feed
	path   string
	server *http.Server
	local  *door.Local
}

func build(t *testing.T) (*house, *door.Client) {
	t.Helper()
	h := &house{
		record: &record{}, hub: door.NewHub(time.Minute), feed: door.NewFeed(), path: filepath.Join(t.TempDir(), "door.sock"),
	}
	h.listen(t)
	client := door.NewClient("unix:"+h.path, "token", nil)
	if err := client.Hello(t.Context(), run.Holder{Worker: "w"}); err != nil {
		t.Fatal(err)
	}
	return h, client
}

func (h *house) listen(t *testing.T) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", h.path)
	if err != nil {
		t.Fatal(err)
	}
	h.local = &door.Local{
		Record: h.record, Hub: h.hub, Feed: h.feed, WorkDir: func(id string) string { return "/runs/" + id },
		Endpoint: func(run.Model) (door.Endpoint, error) {
			return door.Endpoint{BaseURL: "http://model", KeyName: "KEY"}, nil
		},
		Reveal: func(name string) (string, error) { return "value of " + name, nil },
	}
	h.server = &http.Server{Handler: door.NewServer(h.local, h.hub, "token"), ReadHeaderTimeout: time.Minute}
	go func() { _ = h.server.Serve(listener) }()
	t.Cleanup(func() { _ = h.server.Close() })
}

var claim = journal.Claim{RunID: "run_x", Epoch: 1, Worker: "w"}

func TestEveryCallCrossesTheSocket(t *testing.T) {
	t.Parallel()
	h, client := build(t)
	opened, err := client.Open(t.Context(), journal.Open{RunID: "run_x", Holder: run.Holder{Worker: "w"}})
	if err != nil || opened.Claim != claim || opened.WorkDir != "/runs/run_x" || opened.Endpoint.BaseURL != "http://model" {
		t.Errorf("open: %+v, %v", opened, err)
	}
	ask := journal.Append{Claim: claim, After: 3, IfHead: true, Rows: []run.Row{run.NewRow(run.RowWarning, "k", run.Warning{Code: "c"}, nil)}}
	if appended, err := client.Append(t.Context(), ask); err != nil || len(appended.Seqs) != 1 || appended.Seqs[0] != 7 {
		t.Errorf("append: %+v, %v", appended, err)
	}
	if diff := cmp.Diff([]journal.Append{ask}, h.record.appends); diff != "" {
		t.Errorf("the append arrived changed:\n%s", diff)
	}
	rows, err := client.Rows(t.Context(), claim, 0, 10)
	if err != nil || len(rows) != 1 || len(rows[0].Private) == 0 {
		t.Errorf("rows: %+v, %v", rows, err)
	}
	if value, err := client.Secret(t.Context(), claim, "KEY"); err != nil || value != "value of KEY" {
		t.Errorf("secret: %q, %v", value, err)
	}
	deltas, stop := h.feed.Subscribe("run_x")
	defer stop()
	if err := client.Deltas(t.Context(), claim, []door.Delta{{Text: "hi"}}); err != nil {
		t.Error(err)
	}
	if got := <-deltas; got.Text != "hi" {
		t.Errorf("delta %+v", got)
	}
}

func TestRefusalsKeepTheirCode(t *testing.T) {
	t.Parallel()
	h, client := build(t)
	for name, c := range map[string]struct {
		call func() error
		code string
	}{
		"a secret the run has no use for": {func() error {
			_, err := client.Secret(t.Context(), claim, "OTHER")
			return err
		}, run.ErrNotFound},
		"an unknown worker": {func() error {
			_, err := client.Append(t.Context(), journal.Append{Claim: journal.Claim{RunID: "run_x", Worker: "stranger"}})
			return err
		}, run.ErrFenced},
		"another server's token": {func() error {
			_, err := door.NewClient("unix:"+h.path, "wrong", nil).Rows(t.Context(), claim, 0, 1)
			return err
		}, "unauthenticated"},
	} {
		if code := run.CodeOf(c.call()); code != c.code {
			t.Errorf("%s: code %q, want %q", name, code, c.code)
		}
	}
	h.record.fail = run.Errorf(run.ErrStaleEpoch, "an older epoch")
	if _, err := client.Append(t.Context(), journal.Append{Claim: claim}); run.CodeOf(err) != run.ErrStaleEpoch {
		t.Errorf("a stale epoch: %v", err)
	}
	h.record.fail = errors.New("something else")
	if _, err := client.Rows(t.Context(), claim, 0, 1); run.CodeOf(err) != "internal" {
		t.Errorf("another failure: %v", err)
	}
}

func TestACallOutlivesAServerThatIsAwayForAMoment(t *testing.T) {
	t.Parallel()
	h, client := build(t)
	if err := h.server.Close(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := client.Rows(t.Context(), claim, 0, 1)
		done <- err
	}()
	time.Sleep(50 * time.Millisecond)
	h.listen(t)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAWorkerHearsItsNudgesUntilItIsFenced(t *testing.T) {
	t.Parallel()
	h, client := build(t)
	nudges, err := client.Nudges(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	h.hub.Nudge("w", door.Nudge{RunID: "run_x", Kind: run.RowStopRequested})
	h.hub.Nudge("nobody", door.Nudge{RunID: "run_y"})
	if got := <-nudges; got.RunID != "run_x" || got.Kind != run.RowStopRequested {
		t.Errorf("nudge %+v", got)
	}
	if !h.hub.Fence("w", "it stalled") || h.hub.Alive("w") {
		t.Error("the worker is still taken")
	}
	if _, more := <-nudges; more {
		t.Error("a fenced worker still hears nudges")
	}
	for name, err := range map[string]error{
		"hello": client.Hello(t.Context(), run.Holder{Worker: "w"}),
		"beat":  client.Beat(t.Context(), "w"),
	} {
		if run.CodeOf(err) != run.ErrFenced {
			t.Errorf("%s of a fenced worker: %v", name, err)
		}
	}
}

// TestOffersGoRoundTheWorkersThatListen: each in turn, none to one that does not listen or was fenced, and none is lost
// in a full line unsaid.
func TestOffersGoRoundTheWorkersThatListen(t *testing.T) {
	t.Parallel()
	hub := door.NewHub(time.Minute)
	heard := map[string]<-chan door.Nudge{}
	for _, worker := range []string{"a", "b", "deaf", "fenced"} {
		if err := hub.Hello(t.Context(), run.Holder{Worker: worker}); err != nil {
			t.Fatal(err)
		}
		if worker == "deaf" {
			continue
		}
		nudges, err := hub.Nudges(t.Context(), worker)
		if err != nil {
			t.Fatal(err)
		}
		heard[worker] = nudges
	}
	hub.Fence("fenced", "it stalled")
	for _, id := range []string{"run_1", "run_2", "run_3", "run_4"} {
		if hub.Offer(door.Start{RunID: id}) == "" {
			t.Fatalf("nobody takes %s", id)
		}
	}
	for _, worker := range []string{"a", "b"} {
		if n := len(heard[worker]); n != 2 {
			t.Errorf("%s was asked to start %d runs", worker, n)
		}
		if got := <-heard[worker]; got.Start == nil || got.Start.RunID != got.RunID {
			t.Errorf("%s was told %+v", worker, got)
		}
	}
	for hub.Offer(door.Start{RunID: "run_x"}) != "" {
		if len(heard["a"])+len(heard["b"]) > 10_000 {
			t.Fatal("offers without bound")
		}
	}
	hub.Fence("a", "it stalled")
	hub.Fence("b", "it stalled")
	if hub.Offer(door.Start{RunID: "run_5"}) != "" {
		t.Error("taken where no worker listens")
	}
}

func TestALeaseRunsOutAndIsForgiven(t *testing.T) {
	t.Parallel()
	hub := door.NewHub(20 * time.Millisecond)
	for _, worker := range []string{"a", "b"} {
		if err := hub.Hello(t.Context(), run.Holder{Worker: worker}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(30 * time.Millisecond)
	hub.Forgive()
	if late := hub.Expire(); len(late) != 0 {
		t.Errorf("forgiven workers expired: %v", late)
	}
	time.Sleep(30 * time.Millisecond)
	if err := hub.Beat(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if late := hub.Expire(); len(late) != 1 || late[0].Worker != "b" || hub.Live() != 1 {
		t.Errorf("expired %v, %d alive", late, hub.Live())
	}
}
