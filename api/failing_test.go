package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

// failing is a store whose every call fails once it is told to; subscriptions and health still work.
type failing struct {
	*store.Store
	told atomic.Pointer[error]
}

func (f *failing) fail(err error) { f.told.Store(&err) }

func (f *failing) err() error {
	if told := f.told.Load(); told != nil {
		return *told
	}
	return nil
}

func failed[T any](f *failing, call func() (T, error)) (T, error) {
	if err := f.err(); err != nil {
		var zero T
		return zero, err
	}
	return call()
}

func (f *failing) CreateAgentOnce(
	ctx context.Context, def run.Definition, warnings []run.Issue, idem store.Idempotency,
) (run.Agent, bool, error) {
	if err := f.err(); err != nil {
		return run.Agent{}, false, err
	}
	return f.Store.CreateAgentOnce(ctx, def, warnings, idem)
}

func (f *failing) PutDefinition(
	ctx context.Context, id, etag string, def run.Definition, warnings []run.Issue,
) (run.Agent, error) {
	return failed(f, func() (run.Agent, error) { return f.Store.PutDefinition(ctx, id, etag, def, warnings) })
}

func (f *failing) Agent(ctx context.Context, id string) (run.Agent, error) {
	return failed(f, func() (run.Agent, error) { return f.Store.Agent(ctx, id) })
}

func (f *failing) Agents(ctx context.Context, archived bool, page store.Page) ([]run.Agent, string, error) {
	if err := f.err(); err != nil {
		return nil, "", err
	}
	return f.Store.Agents(ctx, archived, page)
}

func (f *failing) Revisions(ctx context.Context, id string, page store.Page) ([]run.Revision, string, error) {
	if err := f.err(); err != nil {
		return nil, "", err
	}
	return f.Store.Revisions(ctx, id, page)
}

func (f *failing) Revision(ctx context.Context, id string, n int64) (run.Revision, error) {
	return failed(f, func() (run.Revision, error) { return f.Store.Revision(ctx, id, n) })
}

func (f *failing) SetAgentArchived(ctx context.Context, id string, archived bool) (run.Agent, error) {
	return failed(f, func() (run.Agent, error) { return f.Store.SetAgentArchived(ctx, id, archived) })
}

func (f *failing) Run(ctx context.Context, id string) (run.Run, error) {
	return failed(f, func() (run.Run, error) { return f.Store.Run(ctx, id) })
}

func (f *failing) Runs(ctx context.Context, filter store.RunFilter, page store.Page) ([]run.Run, string, error) {
	if err := f.err(); err != nil {
		return nil, "", err
	}
	return f.Store.Runs(ctx, filter, page)
}

func (f *failing) Timeline(ctx context.Context, id string, after int64, limit int) ([]run.Row, bool, error) {
	if err := f.err(); err != nil {
		return nil, false, err
	}
	return f.Store.Timeline(ctx, id, after, limit)
}

func (f *failing) SetLabels(ctx context.Context, id string, labels map[string]string) (run.Run, error) {
	return failed(f, func() (run.Run, error) { return f.Store.SetLabels(ctx, id, labels) })
}

func (f *failing) SetRunArchived(ctx context.Context, id string, archived bool) (run.Run, error) {
	return failed(f, func() (run.Run, error) { return f.Store.SetRunArchived(ctx, id, archived) })
}

func (f *failing) Message(ctx context.Context, id, content string, idem *store.Idempotency) (store.Outcome, error) {
	return failed(f, func() (store.Outcome, error) { return f.Store.Message(ctx, id, content, idem) })
}

func (f *failing) Stop(ctx context.Context, id string) (store.Outcome, error) {
	return failed(f, func() (store.Outcome, error) { return f.Store.Stop(ctx, id) })
}

func (f *failing) Cancel(ctx context.Context, id string) (store.Outcome, error) {
	return failed(f, func() (store.Outcome, error) { return f.Store.Cancel(ctx, id) })
}

func (f *failing) Pause(ctx context.Context, id string) (store.Outcome, error) {
	return failed(f, func() (store.Outcome, error) { return f.Store.Pause(ctx, id) })
}

func (f *failing) Resume(ctx context.Context, id string) (store.Outcome, error) {
	return failed(f, func() (store.Outcome, error) { return f.Store.Resume(ctx, id) })
}

func (f *failing) SetCap(ctx context.Context, id string, limit *run.USD) (store.Outcome, error) {
	return failed(f, func() (store.Outcome, error) { return f.Store.SetCap(ctx, id, limit) })
}

// everyCall is one request of each route that asks the store.
var everyCall = []struct{ method, path, body string }{
	{http.MethodPost, "/v2/agents", `{"definition":` + helper + `}`},
	{http.MethodGet, "/v2/agents", ""},
	{http.MethodGet, "/v2/agents/helper", ""},
	{http.MethodPut, "/v2/agents/helper/definition", helperRevised},
	{http.MethodGet, "/v2/agents/helper/revisions", ""},
	{http.MethodGet, "/v2/agents/helper/revisions/1", ""},
	{http.MethodPost, "/v2/agents/helper/archive", ""},
	{http.MethodPost, "/v2/agents/helper/runs", `{"input":{"content":"hi"}}`},
	{http.MethodGet, "/v2/agents/helper/runs", ""},
	{http.MethodGet, "/v2/runs", ""},
	{http.MethodGet, "/v2/runs/RUN", ""},
	{http.MethodPatch, "/v2/runs/RUN", `{"max_cost_usd":1}`},
	{http.MethodPatch, "/v2/runs/RUN", `{"labels":{}}`},
	{http.MethodGet, "/v2/runs/RUN/timeline", ""},
	{http.MethodGet, "/v2/runs/RUN/files", ""},
	{http.MethodGet, "/v2/runs/RUN/files/a", ""},
	{http.MethodGet, "/v2/runs/RUN/graph", ""},
	{http.MethodPost, "/v2/runs/RUN/messages", `{"content":"x"}`},
	{http.MethodPost, "/v2/runs/RUN/stop", ""},
	{http.MethodPost, "/v2/runs/RUN/cancel", ""},
	{http.MethodPost, "/v2/runs/RUN/pause", ""},
	{http.MethodPost, "/v2/runs/RUN/resume", ""},
	{http.MethodPost, "/v2/runs/RUN/archive", ""},
}

func TestEveryRouteSaysWhatTheStoreRefused(t *testing.T) {
	t.Parallel()
	broken := &failing{}
	b := setup(t, func(o *Options) {
		broken.Store = o.Store.(*store.Store)
		o.Store = broken
	})
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	for _, test := range []struct {
		err    error
		status int
		code   string
	}{
		{run.Errorf(run.ErrStoreFull, "no room"), http.StatusServiceUnavailable, run.ErrStoreFull},
		{run.Errorf(run.ErrUnavailable, "the queue is full"), http.StatusServiceUnavailable, run.ErrUnavailable},
		{run.Errorf(run.ErrConflict, "not now"), http.StatusConflict, run.ErrConflict},
		{errors.New("disk I/O error in /var/lib/secret"), http.StatusInternalServerError, codeInternal},
	} {
		broken.fail(test.err)
		for _, call := range everyCall {
			path := strings.Replace(call.path, "RUN", id, 1)
			got := b.send(call.method, path, call.body, "If-Match", "*")
			got.problem(test.status, test.code)
			if (test.status == http.StatusServiceUnavailable) != (got.header.Get("Retry-After") != "") {
				t.Errorf("%s %s: Retry-After %q", call.method, call.path, got.header.Get("Retry-After"))
			}
			if strings.Contains(string(got.body), "secret") {
				t.Errorf("%s %s: %s", call.method, call.path, got.body)
			}
		}
		got := b.get("/v2/runs/"+id+"/timeline", "Accept", eventStream)
		got.problem(test.status, test.code)
	}
}

func TestAStreamWhoseStoreFailsEndsWithoutAFinalEvent(t *testing.T) {
	t.Parallel()
	broken := &failing{}
	b := setup(t, func(o *Options) {
		broken.Store = o.Store.(*store.Store)
		o.Store = broken
	})
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	s := b.stream(id)
	s.seqs(2)
	broken.fail(errors.New("disk I/O error"))
	b.work(id) // the change makes the stream read, and fail
	s.ends("")
	if !strings.Contains(b.log.String(), "event=stream_ended") {
		t.Errorf("log: %s", b.log.String())
	}
}
