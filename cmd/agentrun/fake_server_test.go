package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
)

const fakeToken = "ar_local_fake"

// fake is a server of the routes the command line calls, in memory. What a run does is decided by its content
// (fake_runs_test.go).
type fake struct {
	mux    *http.ServeMux
	mu     sync.Mutex
	agents map[string]map[string]any
	runs   []*fakeRun
	keys   map[string]*fakeRun
}

func newFake() *fake {
	f := &fake{mux: http.NewServeMux(), agents: map[string]map[string]any{}, keys: map[string]*fakeRun{}}
	f.mux.HandleFunc("POST /v2/agents", f.createAgent)
	f.mux.HandleFunc("GET /v2/agents", f.listAgents)
	f.mux.HandleFunc("GET /v2/agents/{id}", f.getAgent)
	f.mux.HandleFunc("PUT /v2/agents/{id}/definition", f.putAgent)
	f.mux.HandleFunc("POST /v2/agents/{id}/archive", f.archive(true))
	f.mux.HandleFunc("POST /v2/agents/{id}/unarchive", f.archive(false))
	f.mux.HandleFunc("POST /v2/agents/{id}/runs", f.createRun)
	f.mux.HandleFunc("GET /v2/runs", f.listRuns)
	f.mux.HandleFunc("GET /v2/runs/{id}", f.withRun(f.getRun))
	f.mux.HandleFunc("PATCH /v2/runs/{id}", f.withRun(f.patchRun))
	f.mux.HandleFunc("GET /v2/runs/{id}/timeline", f.withRun(f.timeline))
	f.mux.HandleFunc("GET /v2/runs/{id}/files", f.withRun(f.listFiles))
	f.mux.HandleFunc("GET /v2/runs/{id}/files/{path...}", f.withRun(f.getFile))
	f.mux.HandleFunc("POST /v2/runs/{id}/{act}", f.withRun(f.act))
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+fakeToken {
		refuse(w, 401, "unauthenticated", "a token is needed")
		return
	}
	f.mux.ServeHTTP(w, r)
}

// refuse answers a problem.
func refuse(w http.ResponseWriter, status int, code, detail string, issues ...map[string]string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "code": code, "detail": detail, "errors": issues})
}

// give answers JSON.
func give(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (f *fake) createAgent(w http.ResponseWriter, r *http.Request) {
	definition, ok := readFakeDefinition(w, r)
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id := fmt.Sprint(definition["id"])
	if f.agents[id] != nil {
		refuse(w, 409, "agent_exists", "there is an agent "+id)
		return
	}
	f.agents[id] = f.agent(id, definition, 1)
	give(w, 201, f.agents[id])
}

func (f *fake) agent(id string, definition map[string]any, revision int) map[string]any {
	warnings := []map[string]string{}
	if definition["model"] == "faux/absent" {
		warnings = append(warnings, map[string]string{
			"path": "definition.model", "code": "not_available", "message": "there is no key for faux/absent here",
		})
	}
	return map[string]any{
		"id": id, "name": definition["name"], "kind": "agent", "revision": revision,
		"home_etag": fmt.Sprintf("%q", fmt.Sprint("r", revision)), "definition": definition, "warnings": warnings,
		"created_at": "2026-03-01T00:00:00Z", "updated_at": "2026-03-01T00:00:00Z",
	}
}

// readFakeDefinition reads a definition; a field it does not know is a 422 naming it.
func readFakeDefinition(w http.ResponseWriter, r *http.Request) (map[string]any, bool) {
	var body struct {
		Definition map[string]any `json:"definition"`
	}
	data, _ := io.ReadAll(r.Body)
	if json.Unmarshal(data, &body) != nil || body.Definition == nil {
		refuse(w, 422, "invalid_request", "there is no definition")
		return nil, false
	}
	for name := range body.Definition {
		if !slices.Contains([]string{"id", "name", "instructions", "tools", "model"}, name) {
			refuse(w, 422, "invalid_request", "the definition has faults", map[string]string{
				"path": "definition." + name, "code": "unknown_field", "message": "there is no such field",
			})
			return nil, false
		}
	}
	return body.Definition, true
}

func (f *fake) listAgents(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data := []map[string]any{}
	for _, agent := range f.agents {
		if (agent["archived_at"] != nil) == (r.URL.Query().Get("archived") == "true") {
			data = append(data, agent)
		}
	}
	give(w, 200, map[string]any{"data": data, "next_cursor": nil})
}

func (f *fake) getAgent(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	agent := f.agents[r.PathValue("id")]
	if agent == nil {
		refuse(w, 404, "not_found", "there is no agent "+r.PathValue("id"))
		return
	}
	give(w, 200, agent)
}

func (f *fake) putAgent(w http.ResponseWriter, r *http.Request) {
	definition, ok := readFakeDefinition(w, r)
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id := r.PathValue("id")
	if r.Header.Get("If-Match") != f.agents[id]["home_etag"] {
		refuse(w, 412, "revision_stale", "somebody else changed it")
		return
	}
	f.agents[id] = f.agent(id, definition, 2)
	give(w, 200, f.agents[id])
}

func (f *fake) archive(archived bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		agent := f.agents[r.PathValue("id")]
		delete(agent, "archived_at")
		if archived {
			agent["archived_at"] = "2026-03-02T00:00:00Z"
		}
		give(w, 200, agent)
	}
}
