package api

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/agentrun/agentrun/run"
)

const schemaPrefix = "#/components/schemas/"

// openSecurity marks the routes that need no credential.
var openSecurity = []map[string][]string{{}}

// newHuma makes the typed side of the router. The document is served by a route of ours: the library's would be cached
// before every route is there, and comes with pages that load scripts from elsewhere.
func newHuma(router *gin.Engine) huma.API {
	registry := huma.NewMapRegistry(schemaPrefix, func(t reflect.Type, hint string) string {
		return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "View")
	})
	registry.RegisterTypeAlias(reflect.TypeFor[run.USD](), reflect.TypeFor[usdSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[run.Status](), reflect.TypeFor[statusSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[run.State](), reflect.TypeFor[stateSchema]())
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "AgentRun", Version: "2",
				Description: "Agents and their durable runs. Errors are application/problem+json with a stable code.",
			},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token": {Type: "http", Scheme: "bearer", Description: "The token of the data directory's .token file."},
				},
			},
			Security: []map[string][]string{{"token": {}}},
			Tags: []*huma.Tag{
				{Name: "agents", Description: "Definitions with their revisions."},
				{Name: "runs", Description: "What agents were asked, what they did and what it cost."},
				{Name: "server", Description: "What the server has and how it is."},
				{Name: "session", Description: "Signing a browser in."},
			},
		},
		Formats: map[string]huma.Format{
			"application/json": jsonFormat(),
			"json":             jsonFormat(),
		},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}
	// A response may grow a field; a request's own structs say that they take no others.
	config.AllowAdditionalPropertiesByDefault = true
	return huma.NewAPI(config, adapter{router})
}
