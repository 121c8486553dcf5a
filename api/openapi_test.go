package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contractRoutes are the routes of the contract that this version has.
var contractRoutes = []string{
	"GET /v2/health", "GET /v2/capabilities", "GET /v2/openapi.json", "POST /v2/agents", "GET /v2/agents",
	"GET /v2/agents/{id}", "PUT /v2/agents/{id}/definition", "GET /v2/agents/{id}/revisions",
	"GET /v2/agents/{id}/revisions/{n}", "POST /v2/agents/{id}/archive", "POST /v2/agents/{id}/unarchive",
	"POST /v2/agents/{id}/runs", "GET /v2/agents/{id}/runs", "GET /v2/runs", "GET /v2/runs/{id}", "PATCH /v2/runs/{id}",
	"GET /v2/runs/{id}/timeline", "GET /v2/runs/{id}/files", "GET /v2/runs/{id}/files/{path}", "GET /v2/runs/{id}/graph",
	"POST /v2/runs/{id}/messages", "POST /v2/runs/{id}/stop", "POST /v2/runs/{id}/cancel", "POST /v2/runs/{id}/pause",
	"POST /v2/runs/{id}/resume", "POST /v2/runs/{id}/archive", "POST /v2/runs/{id}/unarchive",
}

// document is the part of an OpenAPI document that the tests look at.
type openDocument struct {
	OpenAPI    string                              `json:"openapi"`
	Info       map[string]any                      `json:"info"`
	Paths      map[string]map[string]openOperation `json:"paths"`
	Components struct{ Schemas map[string]any }    `json:"components"`
	Security   []map[string][]string               `json:"security"`
}

type openOperation struct {
	OperationID string          `json:"operationId"`
	Summary     string          `json:"summary"`
	Parameters  []openParameter `json:"parameters"`
	Responses   map[string]struct {
		Description string                    `json:"description"`
		Content     map[string]map[string]any `json:"content"`
	} `json:"responses"`
	Security *[]map[string][]string `json:"security"`
}

type openParameter struct {
	Name     string         `json:"name"`
	In       string         `json:"in"`
	Required bool           `json:"required"`
	Schema   map[string]any `json:"schema"`
}

func readDocument(t *testing.T) (openDocument, map[string]any) {
	t.Helper()
	b := setup(t)
	var document openDocument
	var whole map[string]any
	got := b.get("/v2/openapi.json", "Authorization", "").want(http.StatusOK, &document, &whole)
	if got.header.Get("Content-Type") != openAPIMedia {
		t.Errorf("Content-Type %q", got.header.Get("Content-Type"))
	}
	b.get("/v2/openapi.json", "If-None-Match", got.header.Get("ETag")).want(http.StatusNotModified)
	return document, whole
}

func TestTheDocumentHasEveryRoute(t *testing.T) {
	t.Parallel()
	document, _ := readDocument(t)
	if !strings.HasPrefix(document.OpenAPI, "3.1.") || document.Info["title"] == "" || document.Info["version"] == "" {
		t.Errorf("openapi %q, info %v", document.OpenAPI, document.Info)
	}
	routes := map[string]bool{}
	for path, operations := range document.Paths {
		for method := range operations {
			routes[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, route := range contractRoutes {
		if !routes[route] {
			t.Errorf("%s is not in the document", route)
		}
	}
}

// Every route of the router under /v2 is in the document, and the other way round.
func TestTheDocumentAndTheRouterAgree(t *testing.T) {
	t.Parallel()
	document, _ := readDocument(t)
	documented := map[string]bool{}
	for path, operations := range document.Paths {
		for method := range operations {
			documented[strings.ToUpper(method)+" "+regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "?")] = true
		}
	}
	routed := map[string]bool{}
	for _, route := range setup(t).server.router.Routes() {
		if strings.HasPrefix(route.Path, "/v2/") {
			routed[route.Method+" "+regexp.MustCompile(`[:*][a-z]+`).ReplaceAllString(route.Path, "?")] = true
		}
	}
	if diff := cmp.Diff(documented, routed); diff != "" {
		t.Error(diff)
	}
}

func TestEveryOperationIsWhole(t *testing.T) {
	t.Parallel()
	document, _ := readDocument(t)
	seen := map[string]bool{}
	for path, operations := range document.Paths {
		for method, op := range operations {
			at := method + " " + path
			if op.OperationID == "" || seen[op.OperationID] || op.Summary == "" {
				t.Errorf("%s: operationId %q, summary %q", at, op.OperationID, op.Summary)
			}
			seen[op.OperationID] = true
			var inPath []string
			for _, parameter := range op.Parameters {
				if parameter.Name == "" || parameter.Schema == nil {
					t.Errorf("%s: parameter %+v", at, parameter)
				}
				if parameter.In == "path" {
					inPath = append(inPath, "{"+parameter.Name+"}")
					if !parameter.Required {
						t.Errorf("%s: path parameter %s is not required", at, parameter.Name)
					}
				}
			}
			if want := regexp.MustCompile(`\{[^}]*\}`).FindAllString(path, -1); !cmp.Equal(want, inPath) {
				t.Errorf("%s: path parameters %v, want %v", at, inPath, want)
			}
			success := false
			for status, response := range op.Responses {
				success = success || strings.HasPrefix(status, "2")
				if response.Description == "" {
					t.Errorf("%s: response %s has no description", at, status)
				}
			}
			problem := op.Responses["default"].Content[problemMedia]
			if !success || (problem == nil && path != "/v2/openapi.json") {
				t.Errorf("%s: responses %v", at, op.Responses)
			}
		}
	}
	for _, path := range []string{"/v2/health", "/v2/capabilities", "/v2/openapi.json"} {
		if security := document.Paths[path]["get"].Security; security == nil || len(*security) != 1 || len((*security)[0]) != 0 {
			t.Errorf("%s: security %v", path, security)
		}
	}
	if len(document.Security) != 1 {
		t.Errorf("security %v", document.Security)
	}
}

// Every schema of the document is one of draft 2020-12, which OpenAPI 3.1's are, and every reference leads somewhere.
func TestEverySchemaCompiles(t *testing.T) {
	t.Parallel()
	document, whole := readDocument(t)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	const at = "https://agentrun.invalid/openapi.json"
	if err := compiler.AddResource(at, whole); err != nil {
		t.Fatal(err)
	}
	for name := range document.Components.Schemas {
		if _, err := compiler.Compile(at + schemaPrefix + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var walk func(path string, node any)
	walk = func(path string, node any) {
		switch node := node.(type) {
		case map[string]any:
			if ref, ok := node["$ref"].(string); ok {
				if name := strings.TrimPrefix(ref, schemaPrefix); document.Components.Schemas[name] == nil {
					t.Errorf("%s: %s leads nowhere", path, ref)
				}
			}
			for key, value := range node {
				walk(path+"/"+key, value)
			}
		case []any:
			for i, value := range node {
				walk(fmt.Sprintf("%s/%d", path, i), value)
			}
		}
	}
	walk("", whole)
}

// What the server answers is what its document says.
func TestAnswersFitTheirSchemas(t *testing.T) {
	t.Parallel()
	document, whole := readDocument(t)
	compiler := jsonschema.NewCompiler()
	const at = "https://agentrun.invalid/openapi.json"
	if err := compiler.AddResource(at, whole); err != nil {
		t.Fatal(err)
	}
	b := setup(t)
	b.agent(helper)
	r := b.completed()
	for route, path := range map[string]string{
		"/v2/health": "/v2/health", "/v2/capabilities": "/v2/capabilities", "/v2/agents": "/v2/agents",
		"/v2/agents/{id}": "/v2/agents/helper", "/v2/agents/{id}/revisions": "/v2/agents/helper/revisions",
		"/v2/agents/{id}/revisions/{n}": "/v2/agents/helper/revisions/1", "/v2/runs": "/v2/runs",
		"/v2/agents/{id}/runs": "/v2/agents/helper/runs", "/v2/runs/{id}": "/v2/runs/" + r.ID,
		"/v2/runs/{id}/timeline": "/v2/runs/" + r.ID + "/timeline", "/v2/runs/{id}/files": "/v2/runs/" + r.ID + "/files",
		"/v2/runs/{id}/graph": "/v2/runs/" + r.ID + "/graph",
	} {
		if _, ok := document.Paths[route]["get"]; !ok {
			t.Fatalf("no route %s", route)
		}
		pointer := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(route)
		schema, err := compiler.Compile(at + "#/paths/" + pointer + "/get/responses/200/content/application~1json/schema")
		if err != nil {
			t.Errorf("%s: %v", route, err)
			continue
		}
		answer, err := jsonschema.UnmarshalJSON(strings.NewReader(string(b.get(path).want(http.StatusOK).body)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(answer); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	problem, err := compiler.Compile(at + schemaPrefix + "Problem")
	if err != nil {
		t.Fatal(err)
	}
	var answer any
	if err := json.Unmarshal(b.get("/v2/nothing").body, &answer); err != nil {
		t.Fatal(err)
	}
	if err := problem.Validate(answer); err != nil {
		t.Error(err)
	}
}
