package api

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

const helperRevised = `{"definition":{"id":"helper","name":"Helper","instructions":"Help well.","tools":["read"]}}`

func TestADefinitionIsReplacedOnlyWhereNobodyElseDid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.agent(helper)
	const path = "/v2/agents/helper/definition"
	b.send(http.MethodPut, path, helperRevised).problem(http.StatusPreconditionRequired, run.ErrPreconditionMissing)
	b.send(http.MethodPut, path, helperRevised, "If-Match", "  ").
		problem(http.StatusPreconditionRequired, run.ErrPreconditionMissing)

	var second run.Agent
	b.send(http.MethodPut, path, helperRevised, "If-Match", first.HomeETag).want(http.StatusOK, &second)
	if second.Revision != 2 || second.Definition.Instructions != "Help well." || second.HomeETag == first.HomeETag {
		t.Errorf("%+v", second)
	}
	got := b.send(http.MethodPut, path, helperRevised, "If-Match", first.HomeETag).
		problem(http.StatusPreconditionFailed, run.ErrRevisionStale)
	if got.Details["home_etag"] != second.HomeETag {
		t.Errorf("details %v", got.Details)
	}
	b.send(http.MethodPut, "/v2/agents/nobody/definition", helperRevised, "If-Match", "x").
		problem(http.StatusNotFound, run.ErrNotFound)
}

func TestIfMatchTakesTheHomeETagInEverySpelling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	home := b.agent(helper).HomeETag
	etag := b.get("/v2/agents/helper").header.Get("ETag")
	same := `{"definition":` + helper + `}`
	for _, given := range []string{home, `"` + home + `"`, etag, `W/` + etag, `"other", "` + home + `"`, "*"} {
		var agent run.Agent
		b.send(http.MethodPut, "/v2/agents/helper/definition", same, "If-Match", given).want(http.StatusOK, &agent)
		if agent.Revision != 1 {
			t.Errorf("%s: an equal definition made revision %d", given, agent.Revision)
		}
	}
	for _, given := range []string{home + "x", home[:len(home)-1], `"other"`} {
		b.send(http.MethodPut, "/v2/agents/helper/definition", same, "If-Match", given).
			problem(http.StatusPreconditionFailed, run.ErrRevisionStale)
	}
}

func TestAnEditWithFaultsChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.agent(helper)
	for name, test := range map[string]struct {
		definition string
		want       []string
	}{
		"bash on a runner": {`{"id":"helper","name":"H","instructions":"x","tools":["bash"]}`, []string{"definition.tools[0] tool_not_on_place"}},
		"another id":       {`{"id":"other","name":"H","instructions":"x"}`, []string{"definition.id immutable"}},
		"a place of none":  {`{"id":"helper","name":"H","instructions":"x","place":{"mode":"moon"}}`, []string{"definition.place.mode not_one_of"}},
	} {
		got := b.send(http.MethodPut, "/v2/agents/helper/definition", `{"definition":`+test.definition+`}`, "If-Match", first.HomeETag).
			problem(http.StatusUnprocessableEntity, run.ErrInvalid)
		if diff := cmp.Diff(test.want, got.faults()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	var after run.Agent
	b.get("/v2/agents/helper").want(http.StatusOK, &after)
	if after.Revision != 1 || after.HomeETag != first.HomeETag {
		t.Errorf("%+v", after)
	}
}

func TestAnEditWithoutAPlaceKeepsTheAgents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agent := b.agent(`{"id":"a","name":"A","instructions":"x","tools":["bash"],"place":{"mode":"sandbox","box":"docker"}}`)
	var edited run.Agent
	b.send(http.MethodPut, "/v2/agents/a/definition", `{"definition":{"id":"a","name":"B","instructions":"x","tools":["bash"]}}`,
		"If-Match", agent.HomeETag).want(http.StatusOK, &edited)
	if place := edited.Definition.PlaceOrDefault(); place.Box != "docker" {
		t.Errorf("place %+v", place)
	}
}

func TestRevisionsAreKeptWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.agent(helper)
	b.send(http.MethodPut, "/v2/agents/helper/definition", helperRevised, "If-Match", first.HomeETag).want(http.StatusOK)
	var page list[run.Revision]
	b.get("/v2/agents/helper/revisions?limit=1").want(http.StatusOK, &page)
	if len(page.Data) != 1 || page.Data[0].Revision != 2 || page.NextCursor == nil {
		t.Fatalf("%+v", page)
	}
	b.get("/v2/agents/helper/revisions?cursor="+*page.NextCursor).want(http.StatusOK, &page)
	if len(page.Data) != 1 || page.Data[0].Revision != 1 || page.NextCursor != nil {
		t.Fatalf("%+v", page)
	}
	var old run.Revision
	got := b.get("/v2/agents/helper/revisions/1").want(http.StatusOK, &old)
	if diff := cmp.Diff(first.Definition, old.Definition); diff != "" {
		t.Error(diff)
	}
	b.get("/v2/agents/helper/revisions/1", "If-None-Match", got.header.Get("ETag")).want(http.StatusNotModified)
	b.get("/v2/agents/helper/revisions/3").problem(http.StatusNotFound, run.ErrNotFound)
	b.get("/v2/agents/helper/revisions/0").problem(http.StatusBadRequest, codeParameter)
	b.get("/v2/agents/helper/revisions/x").problem(http.StatusBadRequest, codeParameter)
	b.get("/v2/agents/nobody/revisions").problem(http.StatusNotFound, run.ErrNotFound)
}
