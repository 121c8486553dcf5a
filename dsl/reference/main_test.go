package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
)

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestThePageIsCurrent(t *testing.T) {
	t.Parallel()
	text := readPage(t)
	renewed, err := renew([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(renewed), text); diff != "" {
		t.Errorf("docs/workflows.md is not current: run make generate (-want +got):\n%s", diff)
	}
}

func TestOnlyWhatIsBetweenTheMarkersChanges(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := update(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "before\n" + begin + markdown() + end + "after\n"; string(text) != want {
		t.Errorf("the page is now\n%s", text)
	}
}

func TestAPageWithoutMarkersIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", begin, end, end + begin} {
		if _, err := renew([]byte(text)); !errors.Is(err, errMarkers) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := update(filepath.Join(t.TempDir(), "none.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a page that is not there: %v", err)
	}
}

func TestEverythingOfTheTablesIsOnThePage(t *testing.T) {
	t.Parallel()
	text := markdown()
	var wanted []string
	for _, spec := range dsl.Kinds() {
		wanted = append(wanted, "\n### "+string(spec.Kind)+"\n")
	}
	for _, spec := range dsl.Predicates() {
		wanted = append(wanted, "\n| `"+spec.Name+"` | "+cell(spec.Doc))
	}
	for _, rule := range dsl.Rules() {
		wanted = append(wanted, "\n### `"+rule.Code+"`\n")
	}
	for _, want := range wanted {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is there %d times", want, strings.Count(text, want))
		}
	}
}

func TestEveryExampleIsJSON(t *testing.T) {
	t.Parallel()
	for _, rule := range dsl.Rules() {
		if rule.Example != "" && !json.Valid([]byte(rule.Example)) {
			t.Errorf("the example of %s is no JSON: %s", rule.Code, rule.Example)
		}
	}
}

func TestAFieldInWords(t *testing.T) {
	t.Parallel()
	low, high := 0.5, 1.0
	for want, field := range map[string]dsl.Field{
		"text, `a` `b`":                     {Type: dsl.TypeText, Values: []string{"a", "b"}},
		"number, above 0.5, at most 1":      {Type: dsl.TypeNumber, Above: &low, Max: &high},
		"number, at least 0.5, below 1":     {Type: dsl.TypeNumber, Min: &low, Below: &high},
		"number, always 1":                  {Type: dsl.TypeNumber, Min: &high, Max: &high},
		"list of [nodes](#reference-nodes)": {Type: dsl.TypeNodes},
	} {
		if got := holds(&field); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	w := &writer{}
	w.rows("", []dsl.Field{
		{Name: "old", Ignored: true, Doc: "Nothing."},
		{Name: "ways", Type: dsl.TypeBranches, Required: true, Doc: "One | two.", Fields: []dsl.Field{{Name: "body", Type: dsl.TypeNode}}},
	})
	want := "| `old` | anything | Nothing. |\n| **`ways`** | object of branches by name | One \\| two. |\n" +
		"| `ways.NAME.body` | [node](#reference-nodes) |  |\n"
	if diff := cmp.Diff(want, w.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestThePageExplainsTheWholeFormatOfCases: the names that the reader of cases knows are all on the page.
func TestThePageExplainsTheWholeFormatOfCases(t *testing.T) {
	t.Parallel()
	text := readPage(t)
	_, section, _ := strings.Cut(text, "\n## Test cases\n")
	section, _, _ = strings.Cut(section, "\n## ")
	known := regexp.MustCompile(`(?s)r\.(?:object|field|answers)\((.*?)\)`)
	name := regexp.MustCompile(`"([A-Za-z_]+)"`)
	var missing []string
	count := 0
	for _, file := range []string{"case.go", "fakes.go", "expect.go"} {
		source, err := os.ReadFile(filepath.Join("..", "cases", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range known.FindAllSubmatch(source, -1) {
			for _, match := range name.FindAllSubmatch(bytes.TrimSpace(call[1]), -1) {
				count++
				if word := regexp.MustCompile(`\b` + string(match[1]) + `\b`); !word.MatchString(section) {
					missing = append(missing, string(match[1]))
				}
			}
		}
	}
	if count < 70 {
		t.Fatalf("only %d names were found: has the reader changed its form?", count)
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("the page does not explain %s", strings.Join(slices.Compact(missing), ", "))
	}
}
