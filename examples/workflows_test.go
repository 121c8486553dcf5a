package examples_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/dsl/cases"
)

// wanted are the workflow examples that there must be.
var wanted = []string{
	"evidence-gate", "parallel-review", "poll-status", "rank-candidates", "research", "review-release-notes", "support-answers",
}

func TestEveryWorkflowExampleIsThere(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(wanted, workflowExamples(t)); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	readme := string(readFile(t, "workflows/README.md"))
	for _, name := range wanted {
		if !strings.Contains(readme, "("+name+"/workflow.json)") {
			t.Errorf("workflows/README.md has no link to %s/workflow.json", name)
		}
	}
}

func TestWorkflowExamplesAreWhole(t *testing.T) {
	t.Parallel()
	for _, name := range workflowExamples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, file := range []string{"workflow.json", "input.json", "case.json", "faux.yaml"} {
				readFile(t, "workflows", name, file)
			}
			workflow := validExample(t, name)
			if workflow.Name != name {
				t.Errorf("the document is named %q", workflow.Name)
			}
			report := workflow.DryRun(t.Context(), nil)
			if !report.OK {
				t.Errorf("dry run at %s: %v", report.Stage, report.Problems)
			}
			for _, why := range report.Skipped {
				t.Logf("the dry run stands down: %s", why)
			}
		})
	}
}

// TestWorkflowExamplesValidateBeforeThereIsAnInput checks each document as an agent's is: by the keys of its input schema.
func TestWorkflowExamplesValidateBeforeThereIsAnInput(t *testing.T) {
	t.Parallel()
	for _, name := range workflowExamples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := decodeFile(t, "workflows", name, "workflow.json")
			schema := schemaOfInput(document)
			if closed, _ := schema.Get("additionalProperties"); closed != false {
				t.Error("the input schema is open, so that a path that is mistyped would not be found")
			}
			properties, _ := schema.Get("properties")
			keys := properties.(*dsl.Object).Keys()
			report(t, dsl.Validate(document, dsl.Check{InputKeys: keys}))
		})
	}
}

func TestWorkflowExamplesPassTheirCases(t *testing.T) {
	t.Parallel()
	for _, name := range workflowExamples(t) {
		files, err := filepath.Glob(filepath.Join("workflows", name, "case*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				c, err := cases.Load(file)
				if err != nil {
					t.Fatal(err)
				}
				if c.Expect.Outcome == "" {
					t.Error("the case expects no outcome, so it runs nothing")
				}
				if problems := cases.Run(t.Context(), c); len(problems) > 0 {
					t.Errorf("%s:\n%s", c.Name, cases.Report(problems))
				}
				sameInput(t, file, c.Input)
			})
		}
	}
}

// sameInput compares a case's input with the input file of the same name, where there is one: what is tested is what
// people try.
func sameInput(t *testing.T, file string, input any) {
	t.Helper()
	beside := filepath.Join(filepath.Dir(file), strings.Replace(filepath.Base(file), "case", "input", 1))
	if _, err := os.Stat(beside); err != nil {
		return
	}
	if want := decodeFile(t, beside); !dsl.Equal(want, input) {
		t.Errorf("the case's input is not that of %s:\n%s", beside, cmp.Diff(dsl.JSON(want), dsl.JSON(input)))
	}
}

func workflowExamples(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("workflows")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names
}

// validExample is an example's document, valid on its input.
func validExample(t *testing.T, name string) *dsl.Workflow {
	t.Helper()
	document := decodeFile(t, "workflows", name, "workflow.json")
	report(t, dsl.Validate(document, dsl.Check{Input: decodeFile(t, "workflows", name, "input.json")}))
	workflow, err := dsl.Build(document)
	if err != nil {
		t.Fatal(err)
	}
	return workflow
}

func report(t *testing.T, issues []dsl.Issue) {
	t.Helper()
	for _, issue := range issues {
		t.Errorf("%s: %s", issue.Code, issue.Error())
	}
	if len(issues) > 0 {
		t.FailNow()
	}
}

func schemaOfInput(document *dsl.Object) *dsl.Object {
	input, _ := document.Get("input")
	id, _ := input.(*dsl.Object).Get("schemaId")
	schemas, _ := document.Get("schemas")
	schema, _ := schemas.(*dsl.Object).Get(id.(string))
	return schema.(*dsl.Object)
}

func decodeFile(t *testing.T, path ...string) *dsl.Object {
	t.Helper()
	decoded, err := dsl.Decode(readFile(t, path...))
	if err != nil {
		t.Fatalf("%s: %v", filepath.Join(path...), err)
	}
	object, ok := decoded.(*dsl.Object)
	if !ok {
		t.Fatalf("%s holds no object", filepath.Join(path...))
	}
	return object
}

func readFile(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
