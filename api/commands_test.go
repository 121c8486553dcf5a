package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func (b *bench) command(id, name, body string, headers ...string) reply {
	b.Helper()
	return b.send(http.MethodPost, "/v2/runs/"+id+"/"+name, body, headers...)
}

func TestAMessageGoesWhereTheRunStands(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	done := b.completed()
	_, before := b.driver.told()
	var answer messageView
	b.command(done.ID, "messages", `{"content":"And now?"}`).want(http.StatusAccepted, &answer)
	if diff := cmp.Diff(messageView{Kind: "follow_up", Status: run.Queued}, answer); diff != "" {
		t.Error(diff)
	}
	if _, now := b.driver.told(); now != before+1 {
		t.Errorf("dispatched %d times", now-before)
	}
	w := b.work(done.ID)
	b.command(done.ID, "messages", `{"content":"One more."}`).want(http.StatusAccepted, &answer)
	if diff := cmp.Diff(messageView{Kind: "queued", Status: run.Working}, answer); diff != "" {
		t.Error(diff)
	}
	if nudges, _ := b.driver.told(); !cmp.Equal(nudges, []string{"user_message"}) {
		t.Errorf("nudges %v", nudges)
	}
	b.command(done.ID, "cancel", "").want(http.StatusAccepted)
	w.status(run.Cancelled, run.StateEnded, "")
	b.command(done.ID, "messages", `{"content":"x"}`).problem(http.StatusConflict, run.ErrNotContinuable)
	b.command("run_nobody", "messages", `{"content":"x"}`).problem(http.StatusNotFound, run.ErrNotFound)
}

func TestAMessageIsContentOnly(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Limits.MessageBytes = 10 })
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	for body, want := range map[string][]string{
		`{}`:                            {"content required"},
		`{"content":""}`:                {"content too_short"},
		`{"content":"  "}`:              {"content too_short"},
		`{"content":"a\u0000"}`:         {"content invalid_text"},
		`{"content":"12345678901"}`:     {"content too_long"},
		`{"content":["a"]}`:             {"content wrong_type"},
		`{"content":null}`:              {"content wrong_type"},
		`{"content":"a","role":"user"}`: {"role unknown_field"},
		`{"text":"a"}`:                  {"content required", "text unknown_field"},
	} {
		got := b.command(id, "messages", body).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
		if diff := cmp.Diff(want, got.faults()); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	var page timelinePage
	b.get("/v2/runs/"+id+"/timeline").want(http.StatusOK, &page)
	if len(page.Rows) != 2 {
		t.Errorf("refused messages left %+v", page.Rows)
	}
}

func TestTheSameMessageWithAKeyIsTakenOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	id := b.completed().ID
	first := b.command(id, "messages", `{"content":"Go on."}`, "Idempotency-Key", "k").want(http.StatusAccepted)
	again := b.command(id, "messages", `{"content":"Go on."}`, "Idempotency-Key", "k").want(http.StatusAccepted)
	if diff := cmp.Diff(string(first.body), string(again.body)); diff != "" {
		t.Error(diff)
	}
	b.command(id, "messages", `{"content":"Else."}`, "Idempotency-Key", "k").problem(http.StatusConflict, run.ErrIdempotency)
	var page timelinePage
	b.get("/v2/runs/"+id+"/timeline").want(http.StatusOK, &page)
	messages := 0
	for _, row := range page.Rows {
		if row.Type == "user_message" {
			messages++
		}
	}
	if messages != 2 {
		t.Errorf("%d messages", messages)
	}
}

func TestAStopAnswersOnceTheRunLeftItsWork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	w := b.work(id)
	b.driver.onNudge = func(string, run.RowType) {
		go w.status(run.InputRequired, run.StateWaiting, run.PendingMessage)
	}
	var answer stopView
	b.command(id, "stop", "").want(http.StatusOK, &answer)
	if diff := cmp.Diff(stopView{Stopped: true, Status: run.InputRequired}, answer); diff != "" {
		t.Error(diff)
	}
	b.command(id, "stop", "").want(http.StatusOK, &answer)
	if !answer.Stopped {
		t.Error("a stopped run is not stopped")
	}
	queued := b.start("helper", `{"input":{"content":"hi"}}`).ID
	b.command(queued, "stop", "").want(http.StatusOK, &answer)
	if !answer.Stopped {
		t.Error("a run in line is not stopped")
	}
	b.command(b.completed().ID, "stop", "").want(http.StatusOK, &answer)
	if diff := cmp.Diff(stopView{Status: run.Completed}, answer); diff != "" {
		t.Error(diff)
	}
	b.command("run_nobody", "stop", "").problem(http.StatusNotFound, run.ErrNotFound)
}

func TestAStopOfARunThatWorksOnGivesUpInTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	b.work(id)
	began := time.Now()
	var answer stopView
	b.command(id, "stop", "").want(http.StatusOK, &answer)
	if took := time.Since(began); took < stopWait || answer.Stopped || answer.Status != run.Working {
		t.Errorf("%+v after %v", answer, took)
	}
}

func TestACancelIsAskedForOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	w := b.work(id)
	for range 2 {
		if body := string(b.command(id, "cancel", "").want(http.StatusAccepted).body); body != `{"cancel_requested":true}`+"\n" {
			t.Errorf("%s", body)
		}
	}
	if nudges, _ := b.driver.told(); len(nudges) == 0 || nudges[0] != "cancel_requested" {
		t.Errorf("nudges %v", nudges)
	}
	w.status(run.Cancelled, run.StateEnded, "")
	if body := string(b.command(id, "cancel", "").want(http.StatusOK).body); body != `{"already_terminal":true}`+"\n" {
		t.Errorf("%s", body)
	}
	b.command("run_nobody", "cancel", "").problem(http.StatusNotFound, run.ErrNotFound)
}

func TestAPausedRunGoesOnWhenItIsResumed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	var r run.Run
	b.command(id, "pause", "").want(http.StatusOK, &r)
	if r.Status != run.InputRequired || r.State != run.StatePaused || r.Pending == nil || r.Pending.Kind != run.PendingResume {
		t.Errorf("%+v", r)
	}
	_, before := b.driver.told()
	b.command(id, "resume", "").want(http.StatusOK, &r)
	if _, now := b.driver.told(); r.Status != run.Queued || now != before+1 {
		t.Errorf("%s, dispatched %d times", r.Status, now-before)
	}
	w := b.work(id)
	b.command(id, "pause", "").want(http.StatusOK, &r)
	if nudges, _ := b.driver.told(); !cmp.Equal(nudges, []string{"pause_requested"}) || r.Status != run.Working {
		t.Errorf("%v %s", nudges, r.Status)
	}
	w.complete()
	b.command(id, "pause", "").problem(http.StatusConflict, run.ErrConflict)
	b.command(id, "resume", "").problem(http.StatusConflict, run.ErrConflict)
}

func TestCommandsTakeNoBodyAmiss(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	b.command(id, "pause", `{}`).want(http.StatusOK)
	for _, command := range []string{"stop", "cancel", "pause", "resume"} {
		for _, body := range []string{`{`, `{}{}`, "\xff"} {
			b.command(id, command, body).problem(http.StatusBadRequest, codeMalformed)
		}
		for _, body := range []string{`[]`, `"a"`, `{"x":1}`} {
			b.command(id, command, body).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
		}
	}
	if r, err := b.store.Run(t.Context(), id); err != nil || r.State != run.StatePaused {
		t.Errorf("refused commands took the run to %s (%v)", r.State, err)
	}
	b.command(id, "messages", "{\"content\":\"\xff\"}").problem(http.StatusBadRequest, codeMalformed)
	if got := b.command(id, "pause?now=1", ``); !strings.Contains(string(got.body), "now") {
		t.Errorf("%s", got.body)
	}
}
