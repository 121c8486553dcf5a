package client

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		call func(*testing.T, *Client) (any, error)
		path string
		body string
		want any
	}{
		"message": {
			call: func(t *testing.T, c *Client) (any, error) { return nil, c.Message(t.Context(), "run_1", "go on", "k") },
			path: "/v2/runs/run_1/messages", body: `{"content":"go on"}`,
		},
		"stop": {
			call: func(t *testing.T, c *Client) (any, error) { return c.Stop(t.Context(), "run_1") },
			path: "/v2/runs/run_1/stop", want: Stopped{Stopped: true},
		},
		"cancel": {
			call: func(t *testing.T, c *Client) (any, error) { return c.Cancel(t.Context(), "run_1") },
			path: "/v2/runs/run_1/cancel", want: Cancelled{CancelRequested: true},
		},
		"pause": {
			call: func(t *testing.T, c *Client) (any, error) { return nil, c.Pause(t.Context(), "run_1") },
			path: "/v2/runs/run_1/pause",
		},
		"resume": {
			call: func(t *testing.T, c *Client) (any, error) { return nil, c.Resume(t.Context(), "run_1") },
			path: "/v2/runs/run_1/resume",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				answer(w, 202, `{"stopped":true,"cancel_requested":true}`)
			})
			got, err := tc.call(t, c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if sent := (*requests)[0]; sent.Method != "POST" || sent.Path != tc.path || sent.Body != tc.body {
				t.Errorf("sent %s %s %s", sent.Method, sent.Path, sent.Body)
			}
		})
	}
}

func TestCancelOfAnEndedRun(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"already_terminal":true}`) })
	got, err := c.Cancel(t.Context(), "run_1")
	if err != nil || got != (Cancelled{AlreadyTerminal: true}) {
		t.Errorf("%+v, %v", got, err)
	}
}
