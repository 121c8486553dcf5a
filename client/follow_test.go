package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// stream is a server of one timeline: each connection is answered by the next script, the last one again and again.
type stream struct {
	mu      sync.Mutex
	scripts []func(w http.ResponseWriter, after int64)
	resumed []string
}

func (s *stream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.resumed = append(s.resumed, r.Header.Get("Last-Event-ID"))
	script := s.scripts[0]
	if len(s.scripts) > 1 {
		s.scripts = s.scripts[1:]
	}
	s.mu.Unlock()
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	w.Header().Set("Content-Type", "text/event-stream")
	script(w, after)
}

// rows writes the rows of a range that come after a seq.
func rows(w io.Writer, after, from, to int64) {
	for seq := from; seq <= to; seq++ {
		if seq > after {
			fmt.Fprintf(w, "id: %d\nevent: row\ndata: {\"seq\":%d,\"at\":\"2026-03-01T00:00:00Z\",\"type\":\"answer\"}\n\n", seq, seq)
		}
	}
}

func final(w io.Writer) { fmt.Fprint(w, "event: final\ndata: {}\n\n") }

// follow runs Follow against scripts and gives the seqs it saw.
func follow(t *testing.T, after int64, scripts ...func(http.ResponseWriter, int64)) ([]int64, *stream, error) {
	t.Helper()
	s := &stream{scripts: scripts}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	var seqs []int64
	last, err := connect(t, server.URL).Follow(t.Context(), "run_1", after, func(e Event) error {
		if e.Row != nil {
			seqs = append(seqs, e.Row.Seq)
		}
		return nil
	})
	if len(seqs) > 0 && last != seqs[len(seqs)-1] {
		t.Errorf("last %d of %v", last, seqs)
	}
	return seqs, s, err
}

func TestFollowTakesUpALostStream(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		after   int64
		scripts []func(http.ResponseWriter, int64)
		seqs    []int64
		resumed []string
	}{
		"to its end in one go": {
			scripts: []func(http.ResponseWriter, int64){func(w http.ResponseWriter, after int64) { rows(w, after, 1, 3); final(w) }},
			seqs:    []int64{1, 2, 3}, resumed: []string{""},
		},
		"from a row on": {
			after:   2,
			scripts: []func(http.ResponseWriter, int64){func(w http.ResponseWriter, after int64) { rows(w, after, 1, 3); final(w) }},
			seqs:    []int64{3}, resumed: []string{"2"},
		},
		"lost between two rows": {
			scripts: []func(http.ResponseWriter, int64){
				func(w http.ResponseWriter, after int64) { rows(w, after, 1, 2) },
				func(w http.ResponseWriter, after int64) { rows(w, after, 1, 4); final(w) },
			},
			seqs: []int64{1, 2, 3, 4}, resumed: []string{"", "2"},
		},
		"lost inside a row": {
			scripts: []func(http.ResponseWriter, int64){
				func(w http.ResponseWriter, after int64) { rows(w, after, 1, 1); fmt.Fprint(w, "id: 2\ndata: {\"se") },
				func(w http.ResponseWriter, after int64) { rows(w, after, 1, 2); final(w) },
			},
			seqs: []int64{1, 2}, resumed: []string{"", "1"},
		},
		"a server that sends old rows again": {
			scripts: []func(http.ResponseWriter, int64){
				func(w http.ResponseWriter, _ int64) { rows(w, 0, 1, 2) },
				func(w http.ResponseWriter, _ int64) { rows(w, 0, 1, 3); final(w) },
			},
			seqs: []int64{1, 2, 3}, resumed: []string{"", "2"},
		},
		"a server that is starting": {
			scripts: []func(http.ResponseWriter, int64){
				func(w http.ResponseWriter, after int64) { rows(w, after, 1, 1) },
				func(w http.ResponseWriter, _ int64) { answer(w, 503, `{"code":"unavailable"}`) },
				func(w http.ResponseWriter, _ int64) { answer(w, 503, `{"code":"unavailable"}`) },
				func(w http.ResponseWriter, _ int64) { answer(w, 503, `{"code":"unavailable"}`) },
				func(w http.ResponseWriter, _ int64) { answer(w, 503, `{"code":"unavailable"}`) },
				func(w http.ResponseWriter, after int64) { rows(w, after, 1, 2); final(w) },
			},
			seqs: []int64{1, 2}, resumed: []string{"", "1", "1", "1", "1", "1"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seqs, s, err := follow(t, tc.after, tc.scripts...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.seqs, seqs); diff != "" {
				t.Errorf("rows: %s", diff)
			}
			if diff := cmp.Diff(tc.resumed, s.resumed); diff != "" {
				t.Errorf("resumed: %s", diff)
			}
		})
	}
}

func TestFollowEndsAtARefusal(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		script func(http.ResponseWriter, int64)
		want   string
	}{
		"no such run":              {func(w http.ResponseWriter, _ int64) { answer(w, 404, `{"detail":"no run","code":"not_found"}`) }, "no run (not_found)"},
		"a server never there":     {func(w http.ResponseWriter, _ int64) { answer(w, 503, `{"detail":"down","code":"unavailable"}`) }, "down (unavailable)"},
		"a server of another kind": {func(w http.ResponseWriter, _ int64) { answer(w, 200, `{}`) }, `it answered "application/json"`},
		"a row that is none":       {func(w http.ResponseWriter, _ int64) { fmt.Fprint(w, "data: {}\n\n") }, "row without seq or type"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := follow(t, 0, tc.script)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

func TestFollowHandsOnDeltas(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&stream{scripts: []func(http.ResponseWriter, int64){func(w http.ResponseWriter, _ int64) {
		fmt.Fprint(w, "event: delta\ndata: {\"text\":\"The ans\"}\n\nevent: delta\ndata: not JSON\n\n")
		rows(w, 0, 1, 1)
		final(w)
	}}})
	t.Cleanup(server.Close)
	var text string
	_, err := connect(t, server.URL).Follow(t.Context(), "run_1", 0, func(e Event) error {
		if e.Delta != nil {
			text += e.Delta.Text
		}
		return nil
	})
	if err != nil || text != "The ans" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestTheCallerEndsAFollow(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	cases := map[string]struct {
		answer error
		want   error
		last   int64
	}{
		"by stopping":         {ErrStop, nil, 2},
		"by an error":         {boom, boom, 1},
		"by a server's fault": {&Problem{Status: 503, Code: run.ErrUnavailable}, &run.Error{Code: run.ErrUnavailable}, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&stream{scripts: []func(http.ResponseWriter, int64){
				func(w http.ResponseWriter, after int64) { rows(w, after, 1, 5); final(w) },
			}})
			t.Cleanup(server.Close)
			last, err := connect(t, server.URL).Follow(t.Context(), "run_1", 0, func(e Event) error {
				if e.Row.Seq == 2 {
					return tc.answer
				}
				return nil
			})
			if !errors.Is(err, tc.want) || last != tc.last {
				t.Errorf("last %d, error %v", last, err)
			}
		})
	}
}

// blocked is a script that says nothing more until its release.
func blocked(release <-chan struct{}) func(http.ResponseWriter, int64) {
	return func(w http.ResponseWriter, after int64) {
		rows(w, after, 1, 1)
		w.(http.Flusher).Flush()
		<-release
	}
}

func TestASilentStreamIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := &stream{scripts: []func(http.ResponseWriter, int64){
		blocked(release),
		func(w http.ResponseWriter, after int64) { rows(w, after, 1, 2); final(w) },
	}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	c := connect(t, server.URL)
	c.idle = 50 * time.Millisecond
	last, err := c.Follow(t.Context(), "run_1", 0, func(Event) error { return nil })
	if err != nil || last != 2 {
		t.Errorf("last %d, error %v", last, err)
	}
}

func TestAFollowEndsWithItsContext(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(&stream{scripts: []func(http.ResponseWriter, int64){blocked(release)}})
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithCancel(t.Context())
	last, err := connect(t, server.URL).Follow(ctx, "run_1", 0, func(Event) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || last != 1 {
		t.Errorf("last %d, error %v", last, err)
	}
}
