package client

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestCreateRunSendsWhatWasAsked(t *testing.T) {
	t.Parallel()
	limit := run.Dollar / 4
	cases := map[string]struct {
		ask  NewRun
		body map[string]any
		key  string
	}{
		"content alone": {
			ask:  NewRun{Content: "hi"},
			body: map[string]any{"input": map[string]any{"content": "hi"}},
		},
		"everything": {
			ask: NewRun{
				Content: "read it", Effort: "low", MaxCostUSD: &limit, Revision: 3, Session: "s1",
				Files:          []File{{Path: "notes.txt", Content: []byte("hello\n")}},
				Labels:         map[string]string{"team": "docs"},
				IdempotencyKey: "key-1",
			},
			body: map[string]any{
				"input": map[string]any{
					"content": "read it",
					"files":   []any{map[string]any{"path": "notes.txt", "content_base64": "aGVsbG8K"}},
				},
				"effort": "low", "max_cost_usd": 0.25, "revision": 3.0, "session": "s1",
				"labels": map[string]any{"team": "docs"},
			},
			key: "key-1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				answer(w, 201, `{"id":"run_1","status":"queued","state":"queued"}`)
			})
			got, err := c.CreateRun(t.Context(), "greeter", tc.ask)
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != "run_1" || got.Status != run.Queued {
				t.Errorf("run %+v", got)
			}
			sent := (*requests)[0]
			if sent.Method != "POST" || sent.Path != "/v2/agents/greeter/runs" {
				t.Errorf("sent %s %s", sent.Method, sent.Path)
			}
			if diff := cmp.Diff(tc.body, decodeBody(t, sent)); diff != "" {
				t.Error(diff)
			}
			if key := sent.Header.Get("Idempotency-Key"); key != tc.key {
				t.Errorf("key %q", key)
			}
		})
	}
}

func TestRunIsDecodedExactly(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"id":"run_1","status":"input_required","state":"waiting","pending":{"kind":"budget",
			"cap_usd":0.0001,"needs_usd":0.0013},"cost":{"usd":null,"known_usd":0.0004,"held_usd":1.6384}}`)
	})
	got, err := c.Run(t.Context(), "run_1")
	if err != nil {
		t.Fatal(err)
	}
	if got.Cost.USD != nil || got.Cost.HeldUSD.String() != "1.6384" || got.Pending.NeedsUSD.String() != "0.0013" {
		t.Errorf("run %+v", got)
	}
}

func TestRunFilters(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 2, 0, 0, 0, time.FixedZone("", 2*3600))
	cases := map[string]struct {
		filter RunFilter
		page   Page
		want   string
	}{
		"none":   {RunFilter{}, Page{}, ""},
		"agent":  {RunFilter{Agent: "a b"}, Page{Limit: 5}, "agent=a+b&limit=5"},
		"status": {RunFilter{Status: []run.Status{run.Queued, run.Working}}, Page{}, "status=queued&status=working"},
		"label":  {RunFilter{Labels: map[string]string{"k": "v=1"}}, Page{}, "label=k%3Dv%3D1"},
		"times":  {RunFilter{From: day, To: day.Add(time.Hour)}, Page{}, "from=2026-03-01T00%3A00%3A00Z&to=2026-03-01T01%3A00%3A00Z"},
		"flags":  {RunFilter{Archived: true, Live: true}, Page{Cursor: "c"}, "archived=true&cursor=c&live=true"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"data":[{"id":"run_1"}]}`) })
			list, err := c.Runs(t.Context(), tc.filter, tc.page)
			if err != nil || len(list.Data) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			if _, more := list.NextPage(tc.page); more {
				t.Error("a page after the last")
			}
			if got := (*requests)[0]; got.Path != "/v2/runs" || got.Query != tc.want {
				t.Errorf("sent %s?%s", got.Path, got.Query)
			}
		})
	}
}

func TestSetCapSendsExactMoney(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"id":"run_1"}`) })
	limit, err := run.ParseUSD("0.0000000001")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetCap(t.Context(), "run_1", limit); err != nil {
		t.Fatal(err)
	}
	if got := (*requests)[0]; got.Method != "PATCH" || got.Path != "/v2/runs/run_1" || got.Body != `{"max_cost_usd":0.0000000001}` {
		t.Errorf("sent %+v", got)
	}
}
