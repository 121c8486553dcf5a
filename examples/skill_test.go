package examples_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/dsl/cases"
)

// subcommands are those of `agentrun workflow`.
var subcommands = []string{"validate", "dry-run", "graph", "test", "schema", "new"}

var (
	block   = regexp.MustCompile("(?ms)^```json\n(.*?)^```$")
	command = regexp.MustCompile(`agentrun workflow ([a-z-]+)`)
	// example is an example folder that a page names in brackets in a heading.
	example = regexp.MustCompile(`(?m)^## .*\(([a-z-]+)\)$`)
)

func TestTheSkillHasItsFrontMatter(t *testing.T) {
	t.Parallel()
	text := string(readFile(t, "skill", "SKILL.md"))
	if !strings.HasPrefix(text, "---\nname: agentrun-workflows\ndescription: ") {
		t.Error("SKILL.md does not begin with its name and description")
	}
	const most = 120
	if lines := strings.Count(text, "\n"); lines >= most {
		t.Errorf("SKILL.md has %d lines, want fewer than %d: it is read each time", lines, most)
	}
	for _, page := range []string{"language.md", "testing.md", "patterns.md", "errors.md"} {
		if !strings.Contains(text, "(references/"+page+")") {
			t.Errorf("SKILL.md has no link to references/%s", page)
		}
		readFile(t, "skill", "references", page)
	}
}

func TestTheSkillNamesCommandsThatThereAre(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for file, text := range skillPages(t) {
		for _, match := range command.FindAllSubmatch(text, -1) {
			name := string(match[1])
			named[name] = true
			if !slices.Contains(subcommands, name) {
				t.Errorf("%s names the command agentrun workflow %s, which there is not", file, name)
			}
		}
	}
	for _, name := range subcommands {
		if !named[name] {
			t.Errorf("the skill does not say what agentrun workflow %s is for", name)
		}
	}
}

func TestTheSkillNamesExamplesThatThereAre(t *testing.T) {
	t.Parallel()
	found := 0
	for _, match := range example.FindAllSubmatch(readFile(t, "skill", "references", "patterns.md"), -1) {
		found++
		readFile(t, "workflows", string(match[1]), "workflow.json")
	}
	if found < len(wanted) {
		t.Errorf("%d patterns name an example, want at least %d", found, len(wanted))
	}
}

// TestEveryJSONOfTheSkillIsRight validates whole documents as they are, and nodes and conditions in the document of
// language.md. Cases must be ones that can be read.
func TestEveryJSONOfTheSkillIsRight(t *testing.T) {
	t.Parallel()
	sheet := firstDocument(t)
	kinds, conditions := map[string]bool{}, map[string]bool{}
	for file, text := range skillPages(t) {
		for _, found := range block.FindAllSubmatch(text, -1) {
			value := decodeBlock(t, file, found[1])
			switch {
			case value.Has("v"):
				reportIn(t, file, value, value)
			case value.Has("node"):
				kinds[textAt(value, "node")] = true
				reportIn(t, file, sheet.With("root", value), value)
			case value.Has("predicate"):
				conditions[textAt(value, "predicate")] = true
				reportIn(t, file, sheet.With("root", escalateWhen(value)), value)
			case value.Has("expect"):
				readableCase(t, file, value)
			default:
				t.Errorf("%s has JSON that is no document, node, condition or case:\n%s", file, found[1])
			}
		}
	}
	for _, spec := range dsl.Kinds() {
		if !kinds[string(spec.Kind)] {
			t.Errorf("language.md has no example of a %s", spec.Kind)
		}
	}
	for _, spec := range dsl.Predicates() {
		if !conditions[spec.Name] {
			t.Errorf("language.md has no example of the condition %s", spec.Name)
		}
	}
}

// TestTheSkillNamesCodesThatThereAre keeps the table of issues true.
func TestTheSkillNamesCodesThatThereAre(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, rule := range dsl.Rules() {
		known[rule.Code] = true
	}
	text := readFile(t, "skill", "references", "errors.md")
	table, _, _ := bytes.Cut(text, []byte("## A dry run"))
	codes := regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|").FindAllSubmatch(table, -1)
	if len(codes) < 10 {
		t.Fatalf("%d lines name codes: has the table's form changed?", len(codes))
	}
	for _, line := range codes {
		for _, code := range regexp.MustCompile("`([a-z_]+)`").FindAllSubmatch(line[1], -1) {
			if !known[string(code[1])] {
				t.Errorf("errors.md names the code %s, which there is not", code[1])
			}
		}
	}
}

func skillPages(t *testing.T) map[string][]byte {
	t.Helper()
	pages := map[string][]byte{}
	err := filepath.WalkDir("skill", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		pages[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// firstDocument is the document of language.md that its examples are nodes of.
func firstDocument(t *testing.T) *dsl.Object {
	t.Helper()
	found := block.FindSubmatch(readFile(t, "skill", "references", "language.md"))
	if found == nil {
		t.Fatal("language.md has no JSON")
	}
	return decodeBlock(t, "language.md", found[1]).Without("output").With("output", dsl.ObjectOf("schemaId", "Any")).
		With("schemas", schemasWithAny(decodeBlock(t, "language.md", found[1])))
}

// schemasWithAny are a document's schemas and one that any state fits: the output of a single node is not what is tested.
func schemasWithAny(document *dsl.Object) *dsl.Object {
	schemas, _ := document.Get("schemas")
	return schemas.(*dsl.Object).With("Any", dsl.ObjectOf("type", "object"))
}

func escalateWhen(condition *dsl.Object) *dsl.Object {
	return dsl.ObjectOf("node", "escalate", "label", "when", "when", condition, "kind", "k", "stage", "s", "summary", "x")
}

func reportIn(t *testing.T, file string, document, shown *dsl.Object) {
	t.Helper()
	for _, issue := range dsl.Validate(document, dsl.Check{}) {
		t.Errorf("%s: %s: %s\n%s", file, issue.Code, issue.Error(), dsl.JSON(shown))
	}
}

func readableCase(t *testing.T, file string, value *dsl.Object) {
	t.Helper()
	inline := value.Without("workflow_file").With("workflow", dsl.NewObject(0))
	if _, err := cases.Parse([]byte(dsl.JSON(inline)), "."); err != nil {
		t.Errorf("%s: %v", file, err)
	}
}

func decodeBlock(t *testing.T, file string, text []byte) *dsl.Object {
	t.Helper()
	decoded, err := dsl.Decode(text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, text)
	}
	object, ok := decoded.(*dsl.Object)
	if !ok {
		t.Fatalf("%s: the JSON is no object:\n%s", file, text)
	}
	return object
}

func textAt(object *dsl.Object, key string) string {
	value, _ := object.Get(key)
	text, _ := value.(string)
	return text
}
