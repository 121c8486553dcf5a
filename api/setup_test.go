package api

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

const ownersToken = "ar_local_test_0123456789abcdef"

// bench is a server's face over a real store, with everything behind it that a test may look at or turn.
type bench struct {
	testing.TB
	server *Server
	http   *httptest.Server
	store  *store.Store
	feed   *door.Feed
	driver *driver
	log    *lockedBuffer
	dir    string
}

// setup starts a server; change may alter its options first.
func setup(tb testing.TB, change ...func(*Options)) *bench {
	tb.Helper()
	dir := tb.TempDir()
	kept, err := store.Open(tb.Context(), store.Options{Dir: dir, ReserveBytes: -1})
	if err != nil {
		tb.Fatal(err)
	}
	b := &bench{TB: tb, store: kept, feed: door.NewFeed(), driver: &driver{}, log: &lockedBuffer{}, dir: dir}
	options := Options{
		Store: kept, Models: catalogue{}, Driver: b.driver, Deltas: b.feed, Token: ownersToken, Loopback: true,
		Files: NewRunFiles(func(id string) string { return filepath.Join(dir, "runs", id, "work") },
			places.Options{NoSync: true}),
		Capabilities: capabilitiesHere,
		Log:          slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&options)
	}
	if b.server, err = New(options); err != nil {
		tb.Fatal(err)
	}
	b.http = httptest.NewServer(b.server)
	tb.Cleanup(func() {
		b.server.Close()
		b.http.Close()
		if err := kept.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}

// capabilitiesHere is a server with pi, and one of everything that is known but not available.
func capabilitiesHere() Capabilities {
	both := []string{run.PlaceRunner, run.PlaceSandbox}
	return Capabilities{
		Version: "test",
		Harnesses: []Harness{
			{ID: "pi", Available: true, SupportedRunners: []string{"native"}, DefaultRunner: "native"},
			{ID: "codex", Reason: "not in this version", SupportedRunners: []string{"process"}, DefaultRunner: "process"},
		},
		Models: ModelSource{Source: "faux", Default: "faux/small", Count: 2},
		Tools: []Tool{
			{Name: "read", Available: true, Harnesses: []string{"pi"}, Replay: run.ReplaySafe, Places: both},
			{Name: "write", Available: true, Harnesses: []string{"pi"}, Replay: run.ReplayNever, Places: both},
			{Name: "bash", Available: true, Harnesses: []string{"pi"}, Places: []string{run.PlaceSandbox}},
			{Name: "web_fetch", Missing: []string{"PARALLEL_API_KEY"}, Replay: run.ReplaySafe},
		},
		Places: []PlaceOffer{
			{Mode: run.PlaceRunner, Available: true},
			{Mode: run.PlaceSandbox, Box: "docker", Reason: "no daemon answers"},
		},
		Limits: ServerLimits{MaxConcurrentRuns: 3},
	}
}

// catalogue has one model with a key, one without and one default.
type catalogue struct{}

func (catalogue) Model(id string) (run.Model, run.Offer, bool) {
	switch id {
	case "", "faux/small":
		return run.Model{ID: "faux/small", Name: "small", Provider: "faux", API: "responses"}, run.Offer{Available: true}, true
	case "openai/luna":
		return run.Model{ID: "openai/luna"}, run.Offer{Reason: "OPENAI_API_KEY is not set"}, true
	}
	return run.Model{}, run.Offer{}, false
}

func (catalogue) Judge() (run.Model, bool) { return run.Model{}, false }

func (catalogue) List() []run.Model { return nil }

// driver notes what it is told.
type driver struct {
	mu         sync.Mutex
	nudges     []string
	dispatched int
	onNudge    func(runID string, kind run.RowType)
}

func (d *driver) Nudge(runID string, kind run.RowType) {
	d.mu.Lock()
	d.nudges = append(d.nudges, string(kind))
	f := d.onNudge
	d.mu.Unlock()
	if f != nil {
		f(runID, kind)
	}
}

func (d *driver) Dispatch() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dispatched++
}

func (d *driver) told() (nudges []string, dispatched int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.nudges), d.dispatched
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// reply is a whole response.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// send makes a request with the owner's token. Headers come in pairs; an empty value takes the header away.
func (b *bench) send(method, path, body string, headers ...string) reply {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.http.URL+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ownersToken)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			req.Host = headers[i+1]
		case headers[i+1] == "":
			req.Header.Del(headers[i])
		default:
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	return b.do(req)
}

func (b *bench) do(req *http.Request) reply {
	b.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return reply{b.TB, res.StatusCode, res.Header, data}
}

func (b *bench) get(path string, headers ...string) reply {
	b.Helper()
	return b.send(http.MethodGet, path, "", headers...)
}

// want fails unless the status is as said, and decodes the body into v where there is one.
func (r reply) want(status int, v ...any) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	for _, into := range v {
		if err := json.Unmarshal(r.body, into); err != nil {
			r.t.Fatalf("%v: %s", err, r.body)
		}
	}
	return r
}

// problem fails unless the response is a whole problem of a status and code, and returns it.
func (r reply) problem(status int, code string) Problem {
	r.t.Helper()
	var p Problem
	r.want(status, &p)
	if r.header.Get("Content-Type") != problemMedia {
		r.t.Errorf("Content-Type %q", r.header.Get("Content-Type"))
	}
	if p.Code != code || p.Status != status || p.Title == "" || p.Detail == "" || p.Type == "" || p.Details == nil {
		r.t.Fatalf("problem %s, want code %s", r.body, code)
	}
	return p
}

// faults are a problem's issues as "path code".
func (p *Problem) faults() []string {
	list := make([]string, 0, len(p.Errors))
	for _, issue := range p.Errors {
		list = append(list, issue.Path+" "+issue.Code)
	}
	return list
}

const helper = `{"id":"helper","name":"Helper","instructions":"Help.","tools":["read","write"]}`

// agent creates the agent of a definition.
func (b *bench) agent(definition string) run.Agent {
	b.Helper()
	var agent run.Agent
	b.send(http.MethodPost, "/v2/agents", `{"definition":`+definition+`}`).want(http.StatusCreated, &agent)
	return agent
}

// start makes a run of an agent.
func (b *bench) start(agent, body string) run.Run {
	b.Helper()
	var r run.Run
	b.send(http.MethodPost, "/v2/agents/"+agent+"/runs", body).want(http.StatusCreated, &r)
	return r
}
