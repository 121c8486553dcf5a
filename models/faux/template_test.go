package faux

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func testFilling() *filling {
	return &filling{
		request: 7,
		talk: &conversation{
			protocol: Chat, model: "m", key: "k", firstUser: "first", lastUser: "say \"hi\"\n", turn: 3, step: 1,
			results: []toolResult{{text: "one"}, {text: "two"}},
		},
		matches: map[string]string{"1": "caught", "name": "named"},
	}
}

func TestTemplateFillsPlaceholders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "",
		"plain":                            "plain",
		"On {{user}}: done.":               "On say \"hi\"\n: done.",
		"{{ first_user }}{{turn}}{{step}}": "first31",
		"{{request}} {{model}} {{protocol}} {{conversation}}": "7 m chat k",
		"{{tool_result}}":                     "two",
		"{{match.1}} and {{match.name}}":      "caught and named",
		`\{{user}} costs $1 {not} }} {`:       "{{user}} costs $1 {not} }} {",
		`{{turn}}\{{{{turn}}`:                 "3{{3",
		"a{{turn}}b{{turn}}c":                 "a3b3c",
		`{"a": {"b": {{turn}}}}`:              `{"a": {"b": 3}}`,
		"\u00e9 {{match.name}} \U0001F600 ok": "é named 😀 ok",
	} {
		made, err := newTemplate(text, false, []string{"1", "name"})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := made.fill(testFilling()); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestTemplateOfJSONStaysJSON(t *testing.T) {
	t.Parallel()
	made, err := newTemplate(`{"{{match.name}}":["{{user}}","\\{{user}}",{"a":{}}]}`, true, []string{"name"})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string][]any
	if err := json.Unmarshal([]byte(made.fill(testFilling())), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string][]any{"named": {"say \"hi\"\n", "{{user}}", map[string]any{"a": map[string]any{}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("value (-want +got):\n%s", diff)
	}
}

func TestTemplateRefusals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{nobody}}":      "{{nobody}}",
		"{{}}":            "{{}}",
		"{{user":          "does not close",
		"{{match.other}}": `the group "other"`,
		"{{USER}}":        "{{USER}}",
	} {
		_, err := newTemplate(text, false, []string{"1"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}

// TestTemplateOfAnyText: plain text comes out as it went in, whatever is filled in beside it.
func TestTemplateOfAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plain := strings.ReplaceAll(rapid.String().Draw(t, "plain"), "{{", "{")
		said := rapid.String().Draw(t, "said")
		fill := testFilling()
		fill.talk.lastUser = said
		value, err := json.Marshal(map[string]string{"a": plain + "|{{user}}|"})
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(plain, `\`) {
			return // would escape what follows
		}
		made, err := newTemplate(string(value), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(made.fill(fill)), &got); err != nil {
			t.Fatal(err)
		}
		if want := plain + "|" + said + "|"; got["a"] != want {
			t.Fatalf("got %q, want %q", got["a"], want)
		}
	})
}
