package api

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestCapabilitiesHaveNoNullLists(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) {
		o.Capabilities = func() Capabilities {
			return Capabilities{Harnesses: []Harness{{ID: "pi"}}, Tools: []Tool{{Name: "read"}}, Limits: ServerLimits{MaxConcurrentRuns: 3}}
		}
		o.Limits.BodyBytes = 5000
	})
	var got map[string]any
	b.get("/v2/capabilities").want(http.StatusOK, &got)
	limits := got["limits"].(map[string]any)
	if limits["max_concurrent_runs"] != 3.0 || limits["max_body_bytes"] != 5000.0 {
		t.Errorf("limits %v", limits)
	}
	delete(got, "limits")
	want := map[string]any{
		"version":   "",
		"harnesses": []any{map[string]any{"id": "pi", "available": false, "supported_runners": []any{}, "default_runner": "", "model_apis": []any{}}},
		"models":    map[string]any{"source": "", "default": "", "count": 0.0},
		"tools": []any{map[string]any{
			"name": "read", "available": false, "missing": []any{}, "harnesses": []any{}, "replay": "", "places": []any{},
		}},
		"places": []any{}, "features": map[string]any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAToolsOfferSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool Tool
		want run.ToolOffer
	}{
		"available":    {Tool{Available: true}, run.ToolOffer{Offer: run.Offer{Available: true}}},
		"without keys": {Tool{Missing: []string{"A", "B"}}, run.ToolOffer{Offer: run.Offer{Reason: "it needs A, B"}}},
		"in boxes":     {Tool{Available: true, Places: []string{"sandbox"}}, run.ToolOffer{Offer: run.Offer{Available: true}, SandboxOnly: true}},
		"everywhere":   {Tool{Available: true, Places: []string{"runner", "sandbox"}}, run.ToolOffer{Offer: run.Offer{Available: true}}},
	} {
		if diff := cmp.Diff(test.want, test.tool.offer()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestHealthNamesTheFailingCheck(t *testing.T) {
	t.Parallel()
	engine := "ok"
	b := setup(t, func(o *Options) { o.Engine = func() string { return engine } })
	if body := string(b.get("/v2/health").want(http.StatusOK).body); body != `{"status":"ok","checks":{"store":"ok","disk":"ok","engine":"ok"}}`+"\n" {
		t.Errorf("%s", body)
	}
	engine = "no answer from the engine"
	got := b.get("/v2/health")
	problem := got.problem(http.StatusServiceUnavailable, codeUnhealthy)
	want := map[string]any{"store": "ok", "disk": "ok", "engine": engine}
	if diff := cmp.Diff(want, problem.Details["checks"]); diff != "" || problem.Detail != "engine: "+engine {
		t.Errorf("%s%s", problem.Detail, diff)
	}
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}
