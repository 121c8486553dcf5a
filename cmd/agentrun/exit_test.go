package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

func TestHowARunEndedIsTheExitCode(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		run  run.Run
		code int
		said string
	}{
		"completed":               {run.Run{Status: run.Completed}, 0, ""},
		"failed":                  {run.Run{Status: run.Failed, Error: &run.Failure{Code: "timeout", Message: "too slow"}}, 1, "r failed: too slow (timeout)"},
		"failed, nobody says why": {run.Run{Status: run.Failed}, 1, "r is failed"},
		"cancelled":               {run.Run{Status: run.Cancelled}, 3, "r was cancelled"},
		"paused": {
			run.Run{Status: run.InputRequired, Pending: &run.Pending{Kind: run.PendingResume}},
			2,
			"r waits: it was paused; agentrun runs resume r",
		},
		"at its cap, figures unknown": {
			run.Run{Status: run.InputRequired, Pending: &run.Pending{Kind: run.PendingBudget}},
			2,
			"r waits: its cap of $? does not buy the next request, which needs $?; agentrun runs raise r ?",
		},
		"for something new": {
			run.Run{Status: run.InputRequired, Pending: &run.Pending{Kind: "approval"}}, 2, "r waits: it needs approval",
		},
		"for nobody knows what": {run.Run{Status: run.InputRequired}, 2, "r waits: a person has to look at it"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.run.ID = "r"
			var said bytes.Buffer
			if code := report(&terminal{err: &said}, outcome(tc.run)); code != tc.code {
				t.Errorf("code %d, want %d", code, tc.code)
			}
			want := ""
			if tc.said != "" {
				want = "agentrun: " + tc.said + "\n"
			}
			if said.String() != want {
				t.Errorf("said %q, want %q", said.String(), want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		err  error
		want string
	}{
		"any error":    {errors.New("boom"), "agentrun: boom\n"},
		"an interrupt": {fmt.Errorf("ask: %w", context.Canceled), "agentrun: interrupted\n"},
		"the faults of an input": {
			&client.Problem{Detail: "faults", Code: "invalid_request", Errors: []run.Issue{{Path: "a.b", Message: "bad"}, {Path: "c", Message: "worse"}}},
			"agentrun: faults (invalid_request)\n  a.b: bad\n  c: worse\n",
		},
		"control characters": {errors.New("\x1b]0;title\x07"), "agentrun: �]0;title�\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said bytes.Buffer
			if code := report(&terminal{err: &said}, tc.err); code != 1 || said.String() != tc.want {
				t.Errorf("code %d, said %q", code, said.String())
			}
		})
	}
}
