package dsl

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// differs are the cases that rest on a stated difference of this product, with the reason and what is reported here.
func differs() map[string]struct {
	reason string
	codes  []string
} {
	return map[string]struct {
		reason string
		codes  []string
	}{
		"predicate-dead-code-gate": {"code is never run while validating, so what it produces is not known", nil},
		"output-incomplete":        {"code is never run while validating, so what it produces is not known", nil},
	}
}

// TestValidateConformance checks every case of the conformance folder: whether it is valid, and exactly which codes are
// reported.
func TestValidateConformance(t *testing.T) {
	t.Parallel()
	for _, file := range conformanceFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, decoded.(*Object))
		})
	}
}

func holds(t *testing.T, c *Object) {
	t.Helper()
	doc, _ := c.Get("workflow")
	expect, _ := object(c, "expect")
	want := texts(expect, "issue_codes")
	if differ, ok := differs()[text(c, "name")]; ok {
		t.Logf("differs on purpose: %s", differ.reason)
		want = differ.codes
	}
	issues := Validate(doc, checkOf(c))
	if valid := flag(expect, "valid"); valid {
		if len(issues) > 0 && len(want) > 0 {
			t.Errorf("valid in itself, but: %v", codesOf(issues))
		}
		// A document that is valid in itself may still not be with the keys of this input, which a run finds.
		if len(want) > 0 {
			issues = Validate(doc, Check{InputKeys: inputKeys(c)})
		}
	}
	got := codesOf(issues)
	slices.Sort(want)
	if diff := cmp.Diff(want, got, equateEmpty()); diff != "" {
		for i := range issues {
			t.Log(issues[i].Code + " " + issues[i].Error())
		}
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	for _, issue := range issues {
		if issue.Hint == "" || issue.Message == "" || issue.Path == "" {
			t.Errorf("an issue lacks words: %+v", issue)
		}
	}
}

func equateEmpty() cmp.Option {
	return cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })
}

func codesOf(issues []Issue) []string {
	var codes []string
	for _, issue := range issues {
		codes = append(codes, issue.Code)
	}
	slices.Sort(codes)
	return codes
}

// checkOf reads what a case is validated with: the keys of its input, unless it says otherwise. Whether the input meets
// its schema is no matter of the document: the cases have it as input_invalid of the run.
func checkOf(c *Object) Check {
	with, given := c.Get("validate_with")
	if !given {
		return Check{InputKeys: inputKeys(c)}
	}
	options, ok := with.(*Object)
	if !ok {
		return Check{}
	}
	if options.Has("inputKeys") {
		return Check{InputKeys: texts(options, "inputKeys")}
	}
	input, _ := options.Get("input")
	return Check{Input: input}
}

func inputKeys(c *Object) []string {
	input, _ := object(c, "input")
	return append([]string{}, input.Keys()...)
}

func conformanceFiles(t *testing.T) []string {
	t.Helper()
	folder := os.Getenv("AGENTRUN_CONFORMANCE")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "conformance")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no conformance cases in %s: name their folder in AGENTRUN_CONFORMANCE", folder)
	}
	return files
}
