package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
)

// block is a fenced block of a page: its language, the file that it is, and its text.
var block = regexp.MustCompile("(?ms)^```(json|console) ?(\\S*)\n(.*?)^```$")

// TestTheTutorialWorksAsPrinted follows docs/workflows.md: it writes the files that are shown and types the commands.
func TestTheTutorialWorksAsPrinted(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/workflows.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, commands := 0, 0
	for _, found := range block.FindAllStringSubmatch(string(text), -1) {
		language, name, body := found[1], found[2], found[3]
		switch {
		case language == "json" && name != "":
			files++
			if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
		case language == "console":
			commands += strings.Count(body, "$ agentrun ")
			if diff := cmp.Diff(body, typed(t, dir, body)); diff != "" {
				t.Errorf("the page shows something else than what happens (-page +here):\n%s", diff)
			}
		}
	}
	if files < 5 || commands < 7 {
		t.Errorf("only %d files and %d commands were found: has the page changed its form?", files, commands)
	}
	sameDocument(t, filepath.Join(dir, "workflow.json"), "../../examples/workflows/review-release-notes/workflow.json")
}

// typed is a console block as it comes out here.
func typed(t *testing.T, dir, body string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(body) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ agentrun ")
		if !ok {
			continue
		}
		out.WriteString(line)
		args := strings.Fields(command)
		for i, arg := range args {
			if strings.HasSuffix(arg, ".json") {
				args[i] = filepath.Join(dir, arg)
			}
		}
		out.WriteString(strings.ReplaceAll(printed(t, args), dir+string(filepath.Separator), ""))
	}
	return out.String()
}

// printed is what a command line writes, to either of its outputs.
func printed(t *testing.T, args []string) string {
	t.Helper()
	var out bytes.Buffer
	term := &terminal{in: strings.NewReader(""), out: &out, err: &out}
	parser, err := newParser(&cli{}, term)
	if err != nil {
		t.Fatal(err)
	}
	command, err := parser.Parse(args)
	if err != nil {
		t.Fatalf("agentrun %s: %v", strings.Join(args, " "), err)
	}
	command.BindTo(t.Context(), (*context.Context)(nil))
	command.Bind(term)
	report(term, command.Run())
	return out.String()
}

func sameDocument(t *testing.T, file, other string) {
	t.Helper()
	documents := make([]any, 2)
	for i, name := range []string{file, other} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if documents[i], err = dsl.Decode(text); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(dsl.JSON(documents[1]), dsl.JSON(documents[0])); diff != "" {
		t.Errorf("the tutorial ends with another document than %s:\n%s", other, diff)
	}
}
