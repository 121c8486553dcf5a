package api

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/run"
)

// reader reads a live timeline event by event.
type reader struct {
	t      testing.TB
	res    *http.Response
	lines  chan string
	cancel context.CancelFunc
}

// event is one server-sent event; a comment has the name ":".
type event struct{ name, id, data string }

func (b *bench) stream(id string, headers ...string) *reader {
	b.Helper()
	path := id
	if !strings.Contains(id, "?") {
		path += "?"
	}
	id, query, _ := strings.Cut(path, "?")
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.http.URL+"/v2/runs/"+id+"/timeline?"+query, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ownersToken)
	req.Header.Set("Accept", eventStream)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req) //nolint:bodyclose // the reading goroutine closes it
	if err != nil {
		b.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != eventStream {
		b.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	r := &reader{t: b.TB, res: res, lines: make(chan string, 10_000), cancel: cancel}
	go func() {
		defer close(r.lines)
		defer res.Body.Close()
		for scanner := bufio.NewScanner(res.Body); scanner.Scan(); {
			r.lines <- scanner.Text()
		}
	}()
	return r
}

// next waits for an event; ok is false at the stream's end.
func (r *reader) next() (e event, ok bool) {
	r.t.Helper()
	late := time.After(10 * time.Second)
	for {
		select {
		case line, open := <-r.lines:
			switch {
			case !open:
				return event{}, false
			case line == "" && e != event{}:
				return e, true
			case strings.HasPrefix(line, ":"):
				e.name = ":"
			case strings.HasPrefix(line, "event: "):
				e.name = line[len("event: "):]
			case strings.HasPrefix(line, "id: "):
				e.id = line[len("id: "):]
			case strings.HasPrefix(line, "data: "):
				e.data = line[len("data: "):]
			}
		case <-late:
			r.t.Fatal("no event came")
		}
	}
}

// seqs reads so many rows and checks that each says its seq twice.
func (r *reader) seqs(n int) []string {
	r.t.Helper()
	var list []string
	for len(list) < n {
		e, ok := r.next()
		if !ok {
			r.t.Fatalf("the stream ended after %v", list)
		}
		var row struct {
			Seq json.Number `json:"seq"`
		}
		if err := json.Unmarshal([]byte(e.data), &row); err != nil || e.name != "" || row.Seq.String() != e.id {
			r.t.Fatalf("%+v: %v", e, err)
		}
		list = append(list, e.id)
	}
	return list
}

// ends checks that the stream ends with the final event, or without it.
func (r *reader) ends(final string) {
	r.t.Helper()
	e, ok := r.next()
	if final != "" {
		if !ok || e.name != "final" || e.data != final || e.id != "" {
			r.t.Fatalf("%+v, want the final event %s", e, final)
		}
		e, ok = r.next()
	}
	if ok {
		r.t.Fatalf("the stream goes on with %+v", e)
	}
}

func TestAStreamSendsRowsAsTheyAreWrittenAndEndsWithTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	s := b.stream(r.ID)
	if diff := cmp.Diff([]string{"1", "2"}, s.seqs(2)); diff != "" {
		t.Error(diff)
	}
	w := b.work(r.ID)
	if diff := cmp.Diff([]string{"3"}, s.seqs(1)); diff != "" {
		t.Error(diff)
	}
	w.write(run.RowWarning, run.Warning{Code: "one"}, run.Warning{Code: "two"})
	if diff := cmp.Diff([]string{"4", "5"}, s.seqs(2)); diff != "" {
		t.Error(diff)
	}
	w.complete()
	if diff := cmp.Diff([]string{"6"}, s.seqs(1)); diff != "" {
		t.Error(diff)
	}
	s.ends(`{"next_after":6}`)
	// A run that has ended is told from the start, and ends at once.
	again := b.stream(r.ID)
	again.seqs(6)
	again.ends(`{"next_after":6}`)
}

func TestAStreamGoesOnWhereItsReaderWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.completed()
	for name, open := range map[string]func() *reader{
		"Last-Event-ID":          func() *reader { return b.stream(r.ID, "Last-Event-ID", "2") },
		"after":                  func() *reader { return b.stream(r.ID + "?after=2") },
		"Last-Event-ID is newer": func() *reader { return b.stream(r.ID+"?after=1", "Last-Event-ID", "2") },
	} {
		s := open()
		if diff := cmp.Diff([]string{"3", "4"}, s.seqs(2)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		s.ends(`{"next_after":4}`)
	}
	b.stream(r.ID, "Last-Event-ID", "4").ends(`{"next_after":4}`)
	for _, bad := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		b.get("/v2/runs/"+r.ID+"/timeline", "Accept", eventStream, "Last-Event-ID", bad).
			problem(http.StatusBadRequest, codeParameter)
		b.get("/v2/runs/"+r.ID+"/timeline?after="+bad, "Accept", eventStream).
			problem(http.StatusBadRequest, codeParameter)
	}
	b.get("/v2/runs/run_nobody/timeline", "Accept", eventStream).problem(http.StatusNotFound, run.ErrNotFound)
}

func TestAStreamStaysOpenWhileTheRunWaitsForAPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	b.work(r.ID).status(run.InputRequired, run.StateWaiting, run.PendingMessage)
	s := b.stream(r.ID)
	s.seqs(4)
	b.send(http.MethodPost, "/v2/runs/"+r.ID+"/messages", `{"content":"go on"}`).want(http.StatusAccepted)
	s.seqs(2) // the message, and the run in line again
	b.work(r.ID).complete()
	s.seqs(2)
	s.ends(`{"next_after":8}`)
	// So does one that comes while the run waits, and sees no status row of its own.
	r = b.start("helper", `{"input":{"content":"hi"}}`)
	b.work(r.ID).status(run.InputRequired, run.StateWaiting, run.PendingMessage)
	late := b.stream(r.ID + "?after=4")
	b.send(http.MethodPost, "/v2/runs/"+r.ID+"/cancel", "").want(http.StatusAccepted)
	late.seqs(1)
	late.ends(`{"next_after":5}`)
}

func TestAStreamCarriesWhatTheModelIsSaying(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	w := b.work(r.ID)
	s := b.stream(r.ID)
	s.seqs(3)
	b.feed.Publish(r.ID, []door.Delta{{Request: "r1", Text: "Hel"}, {Request: "r1", Text: "lo", Reasoning: "why"}})
	for _, want := range []string{`{"request":"r1","text":"Hel"}`, `{"request":"r1","text":"lo","reasoning":"why"}`} {
		if e, _ := s.next(); e != (event{name: "delta", data: want}) {
			t.Errorf("%+v, want %s", e, want)
		}
	}
	w.complete()
	s.seqs(1)
	s.ends(`{"next_after":4}`)
}

func TestASilentStreamSaysThatItLives(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.server.beat = 20 * time.Millisecond
	b.agent(helper)
	s := b.stream(b.start("helper", `{"input":{"content":"hi"}}`).ID)
	s.seqs(2)
	for range 2 {
		if e, _ := s.next(); e.name != ":" {
			t.Errorf("%+v, want a comment", e)
		}
	}
}

func TestStreamsAreCountedAndEndWithTheServer(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Limits.Streams = 2 })
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	first, second := b.stream(id), b.stream(id)
	first.seqs(2)
	second.seqs(2)
	path := "/v2/runs/" + id + "/timeline"
	got := b.get(path, "Accept", eventStream)
	got.problem(http.StatusTooManyRequests, codeRateLimited)
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	first.cancel()
	// The server notices a reader that has gone in its own time.
	deadline := time.Now().Add(10 * time.Second)
	for b.server.streams.count() > 1 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	third := b.stream(id)
	third.seqs(2)
	b.server.Close()
	second.ends("")
	third.ends("")
	b.get(path, "Accept", eventStream).problem(http.StatusServiceUnavailable, run.ErrUnavailable)
}

func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// A reader that takes nothing holds up neither the writer nor another reader.
func TestASlowReaderHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, b.http.URL+"/v2/runs/"+r.ID+"/timeline", nil)
	req.Header.Set("Authorization", "Bearer "+ownersToken)
	req.Header.Set("Accept", eventStream)
	stuck, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Body.Close()
	quick := b.stream(r.ID)
	quick.seqs(2)
	w := b.work(r.ID)
	for range 60 {
		w.write(run.RowWarning, run.Warning{Message: strings.Repeat("x", 60_000)})
		b.feed.Publish(r.ID, []door.Delta{{Text: strings.Repeat("y", 10_000)}})
	}
	w.complete()
	for last := ""; last != "final"; {
		e, ok := quick.next()
		if !ok {
			t.Fatal("the stream ended early")
		}
		last = e.name
	}
}

// lag is how long rows take from their append to so many readers.
func lag(b *bench, readers, rows int) []time.Duration {
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	w := b.work(r.ID)
	type arrival struct {
		seq string
		at  time.Time
	}
	arrivals := make(chan arrival, readers*rows)
	for range readers {
		s := b.stream(r.ID)
		s.seqs(3)
		go func() {
			for range rows {
				for line := range s.lines {
					if id, ok := strings.CutPrefix(line, "id: "); ok {
						arrivals <- arrival{id, time.Now()}
						break
					}
				}
			}
		}()
	}
	sent := map[string]time.Time{}
	for i := range rows {
		w.write(run.RowWarning, run.Warning{Code: "c", Message: "m"})
		sent[strconv.Itoa(i+4)] = time.Now()
		time.Sleep(20 * time.Millisecond)
	}
	lags := make([]time.Duration, 0, readers*rows)
	for range readers * rows {
		a := <-arrivals
		lags = append(lags, a.at.Sub(sent[a.seq]))
	}
	return lags
}
