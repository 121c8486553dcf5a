package client

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

const agentJSON = `{"id":"greeter","name":"Greeter","kind":"agent","revision":2,"home_etag":"\"e2\"",
	"definition":{"id":"greeter","name":"Greeter","instructions":"Greet.","tools":[]},"warnings":[]}`

func TestAgentCalls(t *testing.T) {
	t.Parallel()
	definition := run.Definition{ID: "greeter", Name: "Greeter", Instructions: "Greet.", Tools: []string{}}
	cases := map[string]struct {
		call               func(*testing.T, *Client) (run.Agent, error)
		method, path, body string
		ifMatch            string
	}{
		"create": {
			call:   func(t *testing.T, c *Client) (run.Agent, error) { return c.CreateAgent(t.Context(), definition) },
			method: "POST", path: "/v2/agents",
			body: `{"definition":{"id":"greeter","name":"Greeter","instructions":"Greet.","tools":[]}}`,
		},
		"create from JSON, unknown fields and all": {
			call: func(t *testing.T, c *Client) (run.Agent, error) {
				return c.CreateAgent(t.Context(), json.RawMessage(`{"id":"greeter","colour":"red"}`))
			},
			method: "POST", path: "/v2/agents", body: `{"definition":{"id":"greeter","colour":"red"}}`,
		},
		"get": {
			call:   func(t *testing.T, c *Client) (run.Agent, error) { return c.Agent(t.Context(), "greeter") },
			method: "GET", path: "/v2/agents/greeter",
		},
		"get of a name with a slash": {
			call:   func(t *testing.T, c *Client) (run.Agent, error) { return c.Agent(t.Context(), "../runs") },
			method: "GET", path: "/v2/agents/..%2Fruns",
		},
		"put": {
			call: func(t *testing.T, c *Client) (run.Agent, error) {
				return c.PutDefinition(t.Context(), "greeter", `"e1"`, json.RawMessage(`{"id":"greeter"}`))
			},
			method: "PUT", path: "/v2/agents/greeter/definition", body: `{"definition":{"id":"greeter"}}`, ifMatch: `"e1"`,
		},
		"archive": {
			call:   func(t *testing.T, c *Client) (run.Agent, error) { return c.ArchiveAgent(t.Context(), "greeter") },
			method: "POST", path: "/v2/agents/greeter/archive",
		},
		"unarchive": {
			call:   func(t *testing.T, c *Client) (run.Agent, error) { return c.UnarchiveAgent(t.Context(), "greeter") },
			method: "POST", path: "/v2/agents/greeter/unarchive",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, agentJSON) })
			got, err := tc.call(t, c)
			if err != nil {
				t.Fatal(err)
			}
			want := run.Agent{
				ID: "greeter", Name: "Greeter", Kind: run.KindAgent, Revision: 2, HomeETag: `"e2"`,
				Definition: definition, Warnings: []run.Issue{},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			sent := (*requests)[0]
			if sent.Method != tc.method || sent.Path != tc.path || sent.Body != tc.body {
				t.Errorf("sent %s %s %s", sent.Method, sent.Path, sent.Body)
			}
			if got := sent.Header.Get("If-Match"); got != tc.ifMatch {
				t.Errorf("If-Match %q", got)
			}
		})
	}
}

func TestAgentsArePaged(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") == "" {
			answer(w, 200, `{"data":[{"id":"b"}],"next_cursor":"c1"}`)
			return
		}
		answer(w, 200, `{"data":[{"id":"a"}],"next_cursor":null}`)
	})
	var ids []string
	page, more := Page{Limit: 1}, true
	for more {
		list, err := c.Agents(t.Context(), true, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, agent := range list.Data {
			ids = append(ids, agent.ID)
		}
		page, more = list.NextPage(page)
	}
	if diff := cmp.Diff([]string{"b", "a"}, ids); diff != "" {
		t.Error(diff)
	}
	queries := []string{(*requests)[0].Query, (*requests)[1].Query}
	if diff := cmp.Diff([]string{"archived=true&limit=1", "archived=true&cursor=c1&limit=1"}, queries); diff != "" {
		t.Error(diff)
	}
}
