package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestARunHasTheContractsShape(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	var shown map[string]json.RawMessage
	b.get("/v2/runs/"+r.ID).want(http.StatusOK, &shown)
	for name, want := range map[string]string{
		"status": `"queued"`, "state": `"queued"`, "place": `{"mode":"runner"}`, "input": `{"content":"hi"}`, "result": "null",
		"error": "null", "pending": "null", "cost": `{"usd":0,"known_usd":0,"held_usd":0}`, "max_cost_usd": "null",
		"labels": "{}", "claim": `{"epoch":0,"holder":null}`, "started_at": "null", "ended_at": "null", "archived_at": "null",
	} {
		if diff := cmp.Diff(want, string(shown[name])); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if at := string(shown["created_at"]); len(at) != len(`"2026-01-02T03:04:05.678Z"`) || !strings.HasSuffix(at, `Z"`) {
		t.Errorf("created_at %s", at)
	}
	b.work(r.ID).complete()
	b.get("/v2/runs/"+r.ID).want(http.StatusOK, &shown)
	for name, want := range map[string]string{
		"status": `"completed"`, "state": `"ended"`, "result": `{"final_answer":"done","output":null}`,
		"claim": `{"epoch":1,"holder":null}`,
	} {
		if diff := cmp.Diff(want, string(shown[name])); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	b.get("/v2/runs/run_nobody").problem(http.StatusNotFound, run.ErrNotFound)
}

func TestAnUnchangedRunIsNotSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	etag := b.get("/v2/runs/" + r.ID).header.Get("ETag")
	b.get("/v2/runs/"+r.ID, "If-None-Match", etag).want(http.StatusNotModified)
	b.work(r.ID)
	b.get("/v2/runs/"+r.ID, "If-None-Match", etag).want(http.StatusOK)
}

func TestACapIsRaisedLoweredAndTakenAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"},"max_cost_usd":1}`)
	path := "/v2/runs/" + r.ID
	patch := func(body string) (patched run.Run) {
		b.send(http.MethodPatch, path, body).want(http.StatusOK, &patched)
		return patched
	}
	if got := patch(`{"max_cost_usd":2.5}`); *got.MaxCostUSD != run.Dollar*5/2 {
		t.Errorf("raised to %v", got.MaxCostUSD)
	}
	if got := patch(`{"labels":{"a":"b"}}`); got.Labels["a"] != "b" || *got.MaxCostUSD != run.Dollar*5/2 {
		t.Errorf("%+v", got)
	}
	if got := patch(`{"max_cost_usd":null,"labels":{}}`); got.MaxCostUSD != nil || len(got.Labels) != 0 {
		t.Errorf("%+v", got)
	}
	for body, want := range map[string][]string{
		`{}`:                                     {" required"},
		`{"max_cost_usd":-1}`:                    {"max_cost_usd out_of_range"},
		`{"max_cost_usd":"1"}`:                   {"max_cost_usd wrong_type"},
		`{"max_cost_usd":1,"status":"done"}`:     {"status unknown_field"},
		`{"labels":{"a b":"c"}}`:                 {"labels.a b invalid_format"},
		`{"labels":["a"]}`:                       {"labels wrong_type"},
		`{"labels":{"a":null},"max_cost_usd":2}`: {"labels.a wrong_type"},
	} {
		got := b.send(http.MethodPatch, path, body).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
		if diff := cmp.Diff(want, got.faults()); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	b.send(http.MethodPatch, "/v2/runs/run_nobody", `{"max_cost_usd":1}`).problem(http.StatusNotFound, run.ErrNotFound)
}

func TestARaisedCapPutsAPausedRunBackInLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"},"max_cost_usd":1}`)
	needs := 2 * run.Dollar
	w := b.work(r.ID)
	w.write(run.RowStatus, run.StatusChange{
		Status: run.InputRequired, State: run.StateWaiting, Pending: &run.Pending{Kind: run.PendingBudget, NeedsUSD: &needs},
	})
	_, before := b.driver.told()
	b.send(http.MethodPatch, "/v2/runs/"+r.ID, `{"max_cost_usd":1.5}`).want(http.StatusOK)
	if _, now := b.driver.told(); now != before {
		t.Error("a cap that does not buy the need queued the run")
	}
	var raised run.Run
	b.send(http.MethodPatch, "/v2/runs/"+r.ID, `{"max_cost_usd":2}`).want(http.StatusOK, &raised)
	if _, now := b.driver.told(); now != before+1 || raised.Status != run.Queued {
		t.Errorf("dispatched %d times, %s", now-before, raised.Status)
	}
	b.send(http.MethodPatch, "/v2/runs/"+b.completed().ID, `{"max_cost_usd":0}`).want(http.StatusOK)
}

func TestArchivedRunsLeaveTheListsAndStayReadable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	live := b.start("helper", `{"input":{"content":"hi"}}`)
	b.send(http.MethodPost, "/v2/runs/"+live.ID+"/archive", "").problem(http.StatusConflict, run.ErrNotArchivable)
	ended := b.completed()
	var archived run.Run
	b.send(http.MethodPost, "/v2/runs/"+ended.ID+"/archive", "").want(http.StatusOK, &archived)
	if archived.ArchivedAt == nil {
		t.Errorf("%+v", archived)
	}
	if got := b.ids("/v2/runs"); !cmp.Equal(got, []string{live.ID}) {
		t.Errorf("listed %v", got)
	}
	if got := b.ids("/v2/runs?archived=true"); !cmp.Equal(got, []string{ended.ID}) {
		t.Errorf("archived %v", got)
	}
	b.get("/v2/runs/" + ended.ID).want(http.StatusOK)
	b.send(http.MethodPost, "/v2/runs/"+ended.ID+"/unarchive", "").want(http.StatusOK)
	if got := b.ids("/v2/runs"); len(got) != 2 {
		t.Errorf("listed %v", got)
	}
}

// ids lists the runs of one page.
func (b *bench) ids(path string) []string {
	b.Helper()
	var page list[run.Run]
	b.get(path).want(http.StatusOK, &page)
	ids := make([]string, 0, len(page.Data))
	for _, r := range page.Data {
		ids = append(ids, r.ID)
	}
	return ids
}
