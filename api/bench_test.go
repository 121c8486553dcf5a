package api

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkStreamLag is the time from a row's append to a live reader, with 100 readers of the run.
func BenchmarkStreamLag(b *testing.B) {
	t := setup(b)
	t.agent(helper)
	for b.Loop() {
		lags := lag(t, 100, 50)
		slices.Sort(lags)
		b.ReportMetric(float64(lags[len(lags)/2])/float64(time.Millisecond), "p50-ms")
		b.ReportMetric(float64(lags[len(lags)*99/100])/float64(time.Millisecond), "p99-ms")
	}
}

// BenchmarkRequests is what one request costs without its network.
func BenchmarkRequests(b *testing.B) {
	t := setup(b)
	t.agent(helper)
	id := t.start("helper", `{"input":{"content":"hi"}}`).ID
	for name, ask := range map[string]struct{ method, path, body string }{
		"health":   {http.MethodGet, "/v2/health", ""},
		"get-run":  {http.MethodGet, "/v2/runs/" + id, ""},
		"new-run":  {http.MethodPost, "/v2/agents/helper/runs", `{"input":{"content":"hi"},"max_cost_usd":1}`},
		"timeline": {http.MethodGet, "/v2/runs/" + id + "/timeline", ""},
		"refusal":  {http.MethodGet, "/v2/runs/none", ""},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), ask.method, ask.path, strings.NewReader(ask.body))
				r.Host = "localhost"
				r.Header.Set("Authorization", "Bearer "+ownersToken)
				w := httptest.NewRecorder()
				t.server.ServeHTTP(w, r)
				if w.Code >= http.StatusInternalServerError {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}
