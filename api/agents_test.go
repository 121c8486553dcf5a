package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestAnAgentIsCreatedAndShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.send(http.MethodPost, "/v2/agents", `{"definition":{"id":"helper","name":"Helper","instructions":"Help.",
		"tools":["read"],"max_cost_usd":0.0000000001,"output":{"type":"object"},"labels":{"team":"docs"}}}`)
	var agent run.Agent
	created.want(http.StatusCreated, &agent)
	if agent.ID != "helper" || agent.Kind != run.KindAgent || agent.Revision != 1 || agent.ArchivedAt != nil {
		t.Errorf("%+v", agent)
	}
	if !strings.Contains(string(created.body), `"warnings":[]`) || !strings.Contains(string(created.body), `"max_cost_usd":0.0000000001`) {
		t.Errorf("%s", created.body)
	}
	if to := created.header.Get("Location"); to != "/v2/agents/helper" {
		t.Errorf("Location %q", to)
	}
	shown := b.get("/v2/agents/helper").want(http.StatusOK)
	if diff := cmp.Diff(string(created.body), string(shown.body)); diff != "" {
		t.Error(diff)
	}
	if shown.header.Get("ETag") != created.header.Get("ETag") || !strings.HasPrefix(shown.header.Get("ETag"), `"`+agent.HomeETag+".") {
		t.Errorf("ETag %q", shown.header.Get("ETag"))
	}
	b.send(http.MethodPost, "/v2/agents", `{"definition":`+helper+`}`).problem(http.StatusConflict, run.ErrAgentExists)
	b.get("/v2/agents/nobody").problem(http.StatusNotFound, run.ErrNotFound)
	b.get("/v2/agents/Not%20a%20slug").problem(http.StatusNotFound, run.ErrNotFound)
}

func TestAnUnchangedAgentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	etag := b.get("/v2/agents/helper").header.Get("ETag")
	for _, given := range []string{etag, `W/` + etag, `"x", ` + etag, "*"} {
		got := b.get("/v2/agents/helper", "If-None-Match", given).want(http.StatusNotModified)
		if len(got.body) > 0 || got.header.Get("ETag") != etag {
			t.Errorf("%s: %q %q", given, got.header.Get("ETag"), got.body)
		}
	}
	b.send(http.MethodPost, "/v2/agents/helper/archive", "").want(http.StatusOK)
	b.get("/v2/agents/helper", "If-None-Match", etag).want(http.StatusOK)
}

func TestADefinitionWithFaultsIsRefusedWholeAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"no definition":       {`{}`, []string{"definition required"}},
		"definition a string": {`{"definition":"x"}`, []string{"definition wrong_type"}},
		"definition null":     {`{"definition":null}`, []string{"definition wrong_type"}},
		"field beside it":     {`{"definition":` + helper + `,"dry":true}`, []string{"dry unknown_field"}},
		"another case":        {`{"Definition":` + helper + `}`, []string{"Definition unknown_field", "definition required"}},
		"unknown field in it": {`{"definition":{"id":"a","name":"A","instructions":"x","oddity":"y"}}`, []string{"definition.oddity unknown_field"}},
		"wrong place":         {`{"definition":{"id":"a","name":"A","instructions":"x","place":"moon"}}`, []string{"definition.place wrong_type"}},
		"bash on a runner":    {`{"definition":{"id":"a","name":"A","instructions":"x","tools":["bash"]}}`, []string{"definition.tools[0] tool_not_on_place"}},
		"bad output":          {`{"definition":{"id":"a","name":"A","instructions":"x","output":{"type":"objekt"}}}`, []string{"definition.output invalid_schema"}},
		"output elsewhere":    {`{"definition":{"id":"a","name":"A","instructions":"x","output":{"$ref":"https://example.com/s.json"}}}`, []string{"definition.output invalid_schema"}},
		"all that is wrong": {
			`{"definition":{"id":"A","instructions":"x","harness":"pie","model":"x/y","tools":["read","fly"],"place":{"mode":"sandbox","box":"moon"}}}`,
			[]string{
				"definition.id invalid_format", "definition.name required", "definition.harness unknown_harness",
				"definition.model unknown_model", "definition.place.box unknown_box", "definition.tools[1] unknown_tool",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			got := b.send(http.MethodPost, "/v2/agents", test.body).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
			if diff := cmp.Diff(test.want, got.faults()); diff != "" {
				t.Error(diff)
			}
			if body := string(b.get("/v2/agents").body); body != `{"data":[],"next_cursor":null}`+"\n" {
				t.Errorf("left %s", body)
			}
		})
	}
}

func TestASchemaFaultIsOneReadableLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.send(http.MethodPost, "/v2/agents", `{"definition":{"id":"a","name":"A","instructions":"x",
		"output":{"properties":{"n":{"type":"numbr"}}}}}`).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
	if message := got.Errors[0].Message; strings.Contains(message, "\n") || !strings.Contains(message, "/properties/n/type") {
		t.Errorf("%q", message)
	}
}

func TestWhatIsNotAvailableIsSavedWithAWarningAndDoesNotRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		field, warning, detail string
		value                  any
	}{
		"harness":            {`"harness":"codex"`, "definition.harness harness_unavailable", "harness", "codex"},
		"model without key":  {`"model":"openai/luna"`, "definition.model model_unavailable", "model", "openai/luna"},
		"box without daemon": {`"place":{"mode":"sandbox","box":"docker"}`, "definition.place place_unavailable", "box", "docker"},
		"tool without key":   {`"tools":["read","web_fetch"]`, "definition.tools[1] tool_unavailable", "tools", []any{"web_fetch"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			agent := b.agent(`{"id":"a","name":"A","instructions":"x",` + test.field + `}`)
			if diff := cmp.Diff([]string{test.warning}, (&Problem{Errors: agent.Warnings}).faults()); diff != "" {
				t.Error(diff)
			}
			got := b.send(http.MethodPost, "/v2/agents/a/runs", `{"input":{"content":"hi"}}`).
				problem(http.StatusConflict, run.ErrAgentNotRunnable)
			if diff := cmp.Diff(test.value, got.Details[test.detail]); diff != "" {
				t.Error(diff)
			}
			if lacks, ok := got.Details["lacks"].([]any); !ok || len(lacks) != 1 {
				t.Errorf("details %v", got.Details)
			}
		})
	}
}

func TestWarningsAreThoseOfTheMoment(t *testing.T) {
	t.Parallel()
	available := false
	b := setup(t, func(o *Options) {
		o.Capabilities = func() Capabilities {
			c := capabilitiesHere()
			c.Harnesses[1].Available = available
			return c
		}
	})
	if agent := b.agent(`{"id":"a","name":"A","instructions":"x","harness":"codex"}`); len(agent.Warnings) != 1 {
		t.Fatalf("warnings %v", agent.Warnings)
	}
	available = true
	var agent run.Agent
	b.get("/v2/agents/a").want(http.StatusOK, &agent)
	if len(agent.Warnings) != 0 {
		t.Errorf("warnings %v", agent.Warnings)
	}
	b.start("a", `{"input":{"content":"hi"}}`)
}

func TestTheSameIdempotencyKeyMakesOneAgent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"definition":` + helper + `}`
	first := b.send(http.MethodPost, "/v2/agents", body, "Idempotency-Key", "k1").want(http.StatusCreated)
	// The same, spelled otherwise.
	again := b.send(http.MethodPost, "/v2/agents",
		`{ "definition": {"tools":["read","write"],"instructions":"Help.","name":"Helper","id":"helper"} }`, "Idempotency-Key", "k1").
		want(http.StatusCreated)
	if diff := cmp.Diff(string(first.body), string(again.body)); diff != "" {
		t.Error(diff)
	}
	if first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%v %v", first.header, again.header)
	}
	b.send(http.MethodPost, "/v2/agents", strings.Replace(body, "helper", "other", 1), "Idempotency-Key", "k1").
		problem(http.StatusConflict, run.ErrIdempotency)
	b.send(http.MethodPost, "/v2/agents", body, "Idempotency-Key", "k2").problem(http.StatusConflict, run.ErrAgentExists)
	b.send(http.MethodPost, "/v2/agents", body, "Idempotency-Key", strings.Repeat("k", 256)).
		problem(http.StatusBadRequest, codeParameter)
}

func TestAgentsAreListedNewestFirstInPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 5 {
		b.agent(fmt.Sprintf(`{"id":"a%d","name":"A","instructions":"x"}`, i))
	}
	b.send(http.MethodPost, "/v2/agents/a3/archive", "").want(http.StatusOK)
	var ids []string
	for cursor := ""; ; {
		var page list[run.Agent]
		b.get("/v2/agents?limit=3&cursor="+cursor).want(http.StatusOK, &page)
		for _, agent := range page.Data {
			ids = append(ids, agent.ID)
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if diff := cmp.Diff([]string{"a4", "a2", "a1", "a0"}, ids); diff != "" {
		t.Error(diff)
	}
	var archived list[run.Agent]
	b.get("/v2/agents?archived=true").want(http.StatusOK, &archived)
	if len(archived.Data) != 1 || archived.Data[0].ID != "a3" || archived.Data[0].ArchivedAt == nil {
		t.Errorf("archived: %+v", archived.Data)
	}
}

func TestAnArchivedAgentStartsNoRunUntilItIsBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	b.send(http.MethodPost, "/v2/agents/helper/archive", "").want(http.StatusOK)
	b.send(http.MethodPost, "/v2/agents/helper/archive", "").want(http.StatusOK)
	got := b.send(http.MethodPost, "/v2/agents/helper/runs", `{"input":{"content":"hi"}}`).
		problem(http.StatusConflict, run.ErrAgentNotRunnable)
	if got.Details["archived"] != true {
		t.Errorf("details %v", got.Details)
	}
	b.send(http.MethodPost, "/v2/agents/helper/unarchive", "").want(http.StatusOK)
	b.start("helper", `{"input":{"content":"hi"}}`)
	b.send(http.MethodPost, "/v2/agents/nobody/archive", "").problem(http.StatusNotFound, run.ErrNotFound)
}
