package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agentrun/agentrun/run"
)

// fakeRun is a run whose rows are all decided by its content.
type fakeRun struct {
	run     run.Run
	rows    []map[string]any
	files   map[string]string
	cuts    int           // how many streams to cut after two rows
	changed chan struct{} // closed and renewed at each change
}

func (r *fakeRun) add(kind run.RowType, body map[string]any) {
	body["seq"], body["type"], body["at"] = len(r.rows)+1, kind, "2026-03-01T12:00:01Z"
	r.rows = append(r.rows, body)
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *fakeRun) status(status run.Status, state run.State) {
	r.run.Status, r.run.State = status, state
	r.add(run.RowStatus, map[string]any{"status": status, "state": state})
}

// answer plays one request that is answered.
func (r *fakeRun) answer(text string) {
	r.run.Result = &run.Result{FinalAnswer: text}
	r.add(run.RowRequestStarted, map[string]any{"request": "r1", "attempt": 1, "model": "faux/m", "held_usd": 0.01})
	r.add(run.RowRequestEnded, map[string]any{"request": "r1", "attempt": 1, "held_usd": 0.01, "cost_usd": 0.0004})
	r.add(run.RowUsage, map[string]any{"request": "r1", "model": "faux/m", "input_tokens": 12, "output_tokens": 5, "cost_usd": 0.0004})
	r.add(run.RowAnswer, map[string]any{"request": "r1", "text": text})
	r.run.Cost.KnownUSD = run.Dollar / 2500
	r.run.Cost.USD = &r.run.Cost.KnownUSD
}

// play does what the content asks.
func (r *fakeRun) play(content string) {
	r.add(run.RowUserMessage, map[string]any{"content": content})
	r.status(run.Working, run.StateRunning)
	switch content {
	case "Fail.":
		r.run.Error = &run.Failure{Code: run.CodeRunFailed, Message: "faux answered 500 five times"}
		r.status(run.Failed, run.StateEnded)
	case "Spend.":
		limit, needs, suggested := run.Dollar/10000, run.Dollar/500, run.Dollar/100
		r.run.Pending = &run.Pending{Kind: run.PendingBudget, CapUSD: &limit, NeedsUSD: &needs, SuggestedCapUSD: &suggested}
		r.status(run.InputRequired, run.StateWaiting)
	case "Write notes.":
		args := map[string]any{"path": "notes.md", "content": "# Notes"}
		r.add(run.RowToolUse, map[string]any{"call_id": "c1", "name": "write", "args": args, "replay": "never"})
		r.add(run.RowToolResult, map[string]any{"call_id": "c1", "name": "write", "ok": true, "content": "written"})
		r.files["notes.md"] = "# Notes"
		r.answer("Written.")
		r.status(run.Completed, run.StateEnded)
	case "Take your time.":
	case "Be rude.":
		r.answer("\x1b[2Jgone\nsecond line")
		r.status(run.Completed, run.StateEnded)
	default:
		if content == "Cut me." {
			r.cuts = 1
		}
		r.answer("The answer is 42.")
		r.status(run.Completed, run.StateEnded)
	}
}

func (f *fake) createRun(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Input struct {
			Content string `json:"content"`
			Files   []struct {
				Path    string `json:"path"`
				Content []byte `json:"content_base64"`
			} `json:"files"`
		} `json:"input"`
		Effort     string            `json:"effort"`
		MaxCostUSD *run.USD          `json:"max_cost_usd"`
		Labels     map[string]string `json:"labels"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(w, 422, "invalid_request", err.Error())
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	agent := r.PathValue("id")
	if agent != "greeter" {
		refuse(w, 404, "not_found", "there is no agent "+agent)
		return
	}
	created := &fakeRun{files: map[string]string{}, changed: make(chan struct{})}
	created.run = run.Run{
		ID: fmt.Sprint("run_", len(f.runs)+1), AgentID: agent, Effort: body.Effort, MaxCostUSD: body.MaxCostUSD,
		Labels: body.Labels, Input: run.Input{Content: body.Input.Content}, CreatedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
	for _, file := range body.Input.Files {
		created.files["inputs/"+file.Path] = string(file.Content)
	}
	created.play(body.Input.Content)
	f.runs = append(f.runs, created)
	give(w, 201, created.run)
}

func (f *fake) listRuns(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data := []run.Run{}
	for _, one := range f.runs {
		if wanted := r.URL.Query()["status"]; len(wanted) == 0 || strings.Contains(strings.Join(wanted, " "), string(one.run.Status)) {
			data = append(data, one.run)
		}
	}
	give(w, 200, map[string]any{"data": data, "next_cursor": "c1"})
}

// withRun finds the run of the path.
func (f *fake) withRun(handle func(http.ResponseWriter, *http.Request, *fakeRun)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, one := range f.runs {
			if one.run.ID == r.PathValue("id") {
				handle(w, r, one)
				return
			}
		}
		refuse(w, 404, "not_found", "there is no run "+r.PathValue("id"))
	}
}

func (f *fake) getRun(w http.ResponseWriter, _ *http.Request, one *fakeRun) { give(w, 200, one.run) }

func (f *fake) patchRun(w http.ResponseWriter, r *http.Request, one *fakeRun) {
	var body struct {
		MaxCostUSD run.USD `json:"max_cost_usd"`
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	one.run.MaxCostUSD, one.run.Pending = &body.MaxCostUSD, nil
	one.answer("Spent.")
	one.status(run.Completed, run.StateEnded)
	give(w, 200, one.run)
}

func (f *fake) act(w http.ResponseWriter, r *http.Request, one *fakeRun) {
	terminal := one.run.Status.Terminal()
	switch r.PathValue("act") {
	case "messages":
		if one.run.Status == run.Cancelled {
			refuse(w, 409, "not_continuable", one.run.ID+" was cancelled")
			return
		}
		var body struct {
			Content string `json:"content"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		one.add(run.RowUserMessage, map[string]any{"content": body.Content})
		one.status(run.Working, run.StateRunning)
		one.answer("On " + body.Content + ": done.")
		one.status(run.Completed, run.StateEnded)
		give(w, 202, map[string]any{})
	case "stop":
		if !terminal {
			one.run.Pending = &run.Pending{Kind: run.PendingMessage}
			one.status(run.InputRequired, run.StateWaiting)
		}
		give(w, 200, map[string]any{"stopped": !terminal})
	case "cancel":
		if !terminal {
			one.status(run.Cancelled, run.StateEnded)
		}
		give(w, 202, map[string]any{"cancel_requested": !terminal, "already_terminal": terminal})
	default:
		give(w, 202, map[string]any{})
	}
}

func (f *fake) listFiles(w http.ResponseWriter, _ *http.Request, one *fakeRun) {
	data := make([]map[string]any, 0, len(one.files))
	for path, content := range one.files {
		data = append(data, map[string]any{"path": path, "size": len(content), "modified_at": "2026-03-01T12:00:00Z"})
	}
	give(w, 200, data)
}

func (f *fake) getFile(w http.ResponseWriter, r *http.Request, one *fakeRun) {
	content, ok := one.files[r.PathValue("path")]
	if !ok {
		refuse(w, 404, "not_found", "the run has no file "+r.PathValue("path"))
		return
	}
	_, _ = w.Write([]byte(content))
}

// timeline answers a page, or streams rows until the run rests.
func (f *fake) timeline(w http.ResponseWriter, r *http.Request, one *fakeRun) {
	after, _ := strconv.Atoi(r.URL.Query().Get("after"))
	if r.Header.Get("Accept") != "text/event-stream" {
		rows := one.rows[min(after, len(one.rows)):]
		give(w, 200, map[string]any{"rows": rows, "next_after": after + len(rows), "final": rests(one.run.Status)})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for sent := 0; ; {
		for ; after < len(one.rows); after++ {
			data, _ := json.Marshal(one.rows[after])
			fmt.Fprintf(w, "id: %d\nevent: row\ndata: %s\n\n", after+1, data)
			if sent++; one.cuts > 0 && sent == 2 {
				one.cuts--
				return
			}
		}
		if rests(one.run.Status) {
			fmt.Fprint(w, "event: final\ndata: {}\n\n")
			return
		}
		w.(http.Flusher).Flush()
		changed := one.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-r.Context().Done():
		}
		f.mu.Lock()
		if r.Context().Err() != nil {
			return
		}
	}
}
