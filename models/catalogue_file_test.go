package models

import (
	"bytes"
	_ "embed"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentrun/agentrun/run"
)

//go:embed models.schema.json
var publishedSchema []byte

// TestPublishedSchemaAgrees: what the server takes, the published schema takes, and what the one refuses the other does.
func TestPublishedSchemaAgrees(t *testing.T) {
	t.Parallel()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(publishedSchema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("models.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("models.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	provider := func(field string) string {
		return `{"providers":[{"name":"x","api":"chat","base_url":"http://x/v1"` + field + `}]}`
	}
	model := func(field string) string { return `{"models":[{"id":"openai/x"` + field + `}]}` }
	for name, test := range map[string]struct {
		file string
		ok   bool
	}{
		"empty":                {`{}`, true},
		"the page's example":   {example(t), true},
		"a provider":           {provider(``), true},
		"with a key":           {provider(`,"key_env":"X_KEY"`), true},
		"a key itself":         {provider(`,"key_env":"sk-abc"`), false},
		"a judge's protocol":   {strings.Replace(provider(``), `"chat"`, `"jev"`, 1), true},
		"the judge's price":    {`{"models":[{"id":"typesafe/jev-latest","prices":{"input":0.042,"output":0},"max_output":1}]}`, true},
		"a field too many":     {provider(`,"key":"X"`), false},
		"no protocol":          {strings.Replace(provider(``), `"chat"`, `"soap"`, 1), false},
		"no address":           {strings.Replace(provider(``), `http://x/v1`, `x/v1`, 1), false},
		"a name with a slash":  {strings.Replace(provider(``), `"x"`, `"x/y"`, 1), false},
		"a model":              {model(``), true},
		"with everything":      {model(`,"api":"messages","prices":{"input":1,"cache_read":0.1,"cache_write":1.25,"output":6},"context_window":1,"max_output":1,"min_output":1,"no_output_limit":true,"reasoning":false,"efforts":["low"]`), true},
		"a price below zero":   {model(`,"prices":{"input":1,"output":-6}`), false},
		"a price as text":      {model(`,"prices":{"input":"1","output":6}`), false},
		"half a price":         {model(`,"prices":{"input":1}`), false},
		"a limit below zero":   {model(`,"max_output":-1`), false},
		"a limit with a point": {model(`,"max_output":1.5`), false},
		"an effort of one's":   {model(`,"efforts":["huge"]`), false},
		"a model of nobody":    {`{"models":[{"id":"x"}]}`, false},
		"a list":               {`[]`, false},
		"null":                 {`null`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := parseModelsFile([]byte(test.file), "models.json"); (err == nil) != test.ok {
				t.Errorf("the server: %v", err)
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(test.file))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); (err == nil) != test.ok {
				t.Errorf("the schema: %v", err)
			}
		})
	}
}

// example is the models.json of the page for users.
func example(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "```json\n")
	text, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("docs/models.md has no example")
	}
	return text
}

func FuzzModelsFile(f *testing.F) {
	f.Add([]byte(`{"default":"a/b","providers":[{"name":"a","api":"chat","base_url":"http://x"}],"models":[{"id":"a/b","prices":{"input":1e-3,"output":2}}]}`))
	f.Add([]byte(`{"models":[{"id":"openai/x","prices":{"input":1e999,"output":0}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseModelsFile(data, "models.json")
		if err != nil {
			return
		}
		c := &Catalogue{providers: map[string]supplier{}, models: map[string]run.Model{}}
		c.merge(file)
		for _, model := range c.List() {
			if p := model.Price; p != nil && min(p.Input, p.CacheRead, p.CacheWrite, p.Output) < 0 {
				t.Errorf("%s has a price below zero: %+v", model.ID, p)
			}
		}
	})
}
