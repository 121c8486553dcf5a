package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestRunsAreFiltered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	b.agent(strings.Replace(helper, "helper", "other", 1))
	queued := b.start("helper", `{"input":{"content":"a"},"labels":{"team":"docs","n":"1"}}`)
	done := b.completed()
	waiting := b.start("other", `{"input":{"content":"b"},"labels":{"team":"docs","url":"http://x/?a=b"}}`)
	b.work(waiting.ID).status(run.InputRequired, run.StateWaiting, run.PendingMessage)
	cancelled := b.start("other", `{"input":{"content":"c"},"labels":{"team":"ops"}}`)
	b.send(http.MethodPost, "/v2/runs/"+cancelled.ID+"/cancel", "").want(http.StatusAccepted)

	all := []string{cancelled.ID, waiting.ID, done.ID, queued.ID}
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	stamp := func(at time.Time) string { return url.QueryEscape(at.Format(time.RFC3339)) }
	for query, want := range map[string][]string{
		"":                                all,
		"agent=helper":                    {done.ID, queued.ID},
		"agent=nobody":                    {},
		"status=queued":                   {queued.ID},
		"status=queued&status=completed":  {done.ID, queued.ID},
		"status=queued,completed":         {done.ID, queued.ID},
		"live=true":                       {waiting.ID, queued.ID},
		"label=team:docs":                 {waiting.ID, queued.ID},
		"label=team%3Ddocs":               {waiting.ID, queued.ID},
		"label=team:docs&label=n:1":       {queued.ID},
		"label=team:docs&label=team:docs": {waiting.ID, queued.ID},
		"label=" + url.QueryEscape("url:http://x/?a=b"): {waiting.ID},
		"from=" + stamp(past):                           all,
		"from=" + stamp(future):                         {},
		"to=" + stamp(past):                             {},
		"from=" + stamp(past) + "&to=" + stamp(future):  all,
		"from=&to=&agent=":                              all,
		"agent=other&label=team:ops&status=cancelled":   {cancelled.ID},
		"archived=true":                                 {},
		"limit=200":                                     all,
	} {
		if diff := cmp.Diff(want, b.ids("/v2/runs?"+query)); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
	if diff := cmp.Diff([]string{queued.ID}, b.ids("/v2/agents/helper/runs?status=queued")); diff != "" {
		t.Error(diff)
	}
	b.get("/v2/agents/nobody/runs").problem(http.StatusNotFound, run.ErrNotFound)
}

func TestAListThatCannotBeReadIsRefusedByName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	for query, name := range map[string]string{
		"limit=0": "limit", "limit=201": "limit", "limit=x": "limit", "limit=-1": "limit", "cursor=x": "cursor",
		"cursor=" + strings.Repeat("a", 300): "cursor", "status=done": "status", "status=queued,": "status",
		"label=team": "label", "label=:x": "label", "label=a:b&label=a:c": "label",
		"from=yesterday": "from", "from=2026-01-01": "from", "to=2026-13-01T00:00:00Z": "to", "archived=maybe": "archived",
		"live=2": "live", "stauts=queued": "stauts",
	} {
		for _, path := range []string{"/v2/runs", "/v2/agents/helper/runs"} {
			got := b.get(path+"?"+query).problem(http.StatusBadRequest, codeParameter)
			if got.Details["parameter"] != name || !strings.Contains(got.Detail, name) {
				t.Errorf("%s?%s: %s %v", path, query, got.Detail, got.Details)
			}
		}
	}
	for _, path := range []string{"/v2/agents", "/v2/agents/helper/revisions"} {
		for _, query := range []string{"limit=201", "cursor=!", "cursor=bm8"} {
			b.get(path+"?"+query).problem(http.StatusBadRequest, codeParameter)
		}
	}
}

func TestPagesOfRunsDoNotMoveUnderInserts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	var want []string
	for i := range 7 {
		want = append([]string{b.start("helper", fmt.Sprintf(`{"input":{"content":"%d"}}`, i)).ID}, want...)
	}
	var got []string
	for cursor := ""; ; {
		var page list[run.Run]
		b.get("/v2/runs?limit=3&cursor="+cursor).want(http.StatusOK, &page)
		for _, r := range page.Data {
			got = append(got, r.ID)
		}
		b.start("helper", `{"input":{"content":"later"}}`)
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever a cursor or a filter is, the answer is a page or a refusal, never a failure.
func FuzzListQuery(f *testing.F) {
	b := setup(f)
	b.agent(helper)
	b.start("helper", `{"input":{"content":"hi"},"labels":{"a":"b"}}`)
	for _, seed := range [][2]string{
		{"cursor", "x"},
		{"cursor", "MTox"},
		{"cursor", "LTE6cnVu"},
		{"cursor", "\x00"},
		{"cursor", strings.Repeat("A", 300)},
		{"label", "a:b"},
		{"label", "a"},
		{"from", "2026-01-01T00:00:00Z"},
		{"to", "9999-12-31T23:59:59Z"},
		{"status", "queued,"},
		{"limit", "1e3"},
		{"agent", "' OR 1=1 --"},
		{"live", "true"},
		{"nothing", ""},
		{"", "0"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		req := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/v2/runs", nil)
		req.URL.RawQuery = url.Values{name: {value}}.Encode()
		req.Host = "localhost"
		req.Header.Set("Authorization", "Bearer "+ownersToken)
		w := httptest.NewRecorder()
		b.server.ServeHTTP(w, req)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Errorf("%s=%q: %d %s", name, value, w.Code, w.Body)
		}
	})
}
