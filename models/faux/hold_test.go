package faux

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asking is a request under way.
type asking struct {
	leave context.CancelFunc
	done  chan error
}

// begin sends a Responses request that the caller leaves when it wants to.
func (s *testServer) begin(t *testing.T, text string) asking {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	made := asking{leave: cancel, done: make(chan error, 1)}
	client := s.openAI()
	go func() {
		_, err := client.Responses.New(ctx, asText(text))
		made.done <- err
	}()
	return made
}

func (a asking) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-a.done:
		return err
	case <-time.After(patience):
		t.Fatal("the request does not end")
		return nil
	}
}

// open is the condition that n requests are under way, their rules chosen.
func open(n int) func([]Record) bool {
	return func(records []Record) bool {
		count := 0
		for _, record := range records {
			if record.Outcome == Open && record.Rule != "" {
				count++
			}
		}
		return count == n
	}
}

func TestHeldAnswersEndWhenTheirClientLeaves(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]string{
		"delay": `{delay: 1h, text: a}`,
		"file":  `{hold_until_file: /nowhere/at/all, text: a}`,
		"hang":  `{hang: true}`,
		"piece": `{text: ab, chunks: 2, chunk_delay: 1h}`,
		"error": `{delay: 1h, status: 500}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := setup(t, "rules: [{reply: "+reply+"}]", Options{})
			if name == "piece" {
				ctx, cancel := context.WithCancel(t.Context())
				client := server.openAI()
				stream := client.Responses.NewStreaming(ctx, asText("a"))
				for stream.Next() && stream.Current().Type != "response.output_text.delta" {
				}
				cancel()
			} else {
				request := server.begin(t, "a")
				server.await(t, open(1))
				request.leave()
				if err := request.wait(t); !errors.Is(err, context.Canceled) {
					t.Errorf("the client's error is %v", err)
				}
			}
			if got := server.await(t, ended(1))[0].Outcome; got != ClientGone {
				t.Errorf("the outcome is %s", got)
			}
		})
	}
}

func TestAnswerOnceAFileExists(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, path := range map[string]string{"absolute": filepath.Join(dir, "absolute"), "relative": "relative"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := setupScript(t, Default(), Options{Dir: dir})
			request := server.begin(t, "Answer once "+path+" exists.")
			server.await(t, open(1))
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := request.wait(t); err != nil {
				t.Fatal(err)
			}
			if got := server.await(t, ended(1))[0]; got.Outcome != Completed {
				t.Errorf("the record is %+v", got)
			}
			if got := server.ask(t, "Answer once "+path+" exists."); got != "Now." {
				t.Errorf("the answer is %q", got)
			}
		})
	}
}

func TestServeStopsWithItsContext(t *testing.T) {
	t.Parallel()
	gateway, err := New(Default(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- gateway.Serve(ctx, listener) }()
	server := &testServer{Gateway: gateway, url: "http://" + listener.Addr().String()}
	if got := server.ask(t, "What is six times seven?"); got != "The answer is 42." {
		t.Errorf("the answer is %q", got)
	}
	held := server.begin(t, "Take your time.")
	server.await(t, open(1))
	stop()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve returns %v", err)
		}
	case <-time.After(patience):
		t.Fatal("Serve does not return")
	}
	_ = held.wait(t)
	if got := server.await(t, ended(2))[1].Outcome; got != Stopped {
		t.Errorf("the held request's outcome is %s", got)
	}
}

func TestServeOnAClosedListener(t *testing.T) {
	t.Parallel()
	gateway, err := New(Default(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gateway.Serve(t.Context(), listener); err == nil || errors.Is(err, http.ErrServerClosed) || !strings.Contains(err.Error(), "gateway") {
		t.Errorf("Serve returns %v", err)
	}
}
