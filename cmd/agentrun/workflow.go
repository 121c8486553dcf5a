package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
)

// workflowCmd are the author's tools of workflow documents. None of them needs a server or a model.
type workflowCmd struct {
	New      workflowNewCmd      `cmd:"" help:"Start a document, with an input, a test case and a scripted model."`
	Validate workflowValidateCmd `cmd:"" help:"Say what is wrong with documents, and how to mend it."`
	DryRun   workflowDryRunCmd   `cmd:"" help:"Run a document on made-up answers, to see whether its parts fit together."`
	Test     workflowTestCmd     `cmd:"" help:"Run test cases: documents on scripted answers."`
	Graph    workflowGraphCmd    `cmd:"" help:"Draw a document."`
	Schema   workflowSchemaCmd   `cmd:"" help:"Print the JSON Schema of documents, for an editor."`
}

// fault is an issue of a file.
type fault struct {
	File string `json:"file"`
	dsl.Issue
}

// print writes the issue and how to mend it, each on a line.
func (f fault) print(term *terminal) {
	where := strings.TrimSuffix(f.Path, ":")
	if f.Label != "" {
		where += " (" + f.Label + ")"
	}
	term.printf("%s: %s: [%s] %s\n", oneLine(f.File, wide), oneLine(where, wide), f.Code, oneLine(f.Message, wide))
	term.printf("    hint: %s\n", oneLine(f.Hint, wide))
}

// wide is how many characters of one text a line shows.
const wide = 2000

// readJSON reads a file, or standard input where it is "-".
func readJSON(term *terminal, file string) ([]byte, error) {
	if file != "-" {
		return os.ReadFile(file)
	}
	data, err := io.ReadAll(term.in)
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return data, nil
}

// checkFile reads a document and says what is wrong with it, as a server would that is given it. An input is checked
// with it where it is not nil.
func checkFile(term *terminal, file string, input any) (any, []fault, error) {
	data, err := readJSON(term, file)
	if err != nil {
		return nil, nil, err
	}
	document, err := dsl.Decode(data)
	if err != nil {
		if issue, ok := errors.AsType[*dsl.Issue](err); ok {
			return nil, []fault{{file, *issue}}, nil
		}
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	check := run.CheckOf(document)
	if input != nil {
		check = dsl.Check{Input: input}
	}
	var faults []fault
	for _, issue := range dsl.Validate(document, check) {
		faults = append(faults, fault{file, issue})
	}
	return document, faults, nil
}

// loadWorkflow reads a document that has to be right. What is wrong with it is printed.
func loadWorkflow(term *terminal, file string) (*dsl.Workflow, error) {
	document, faults, err := checkFile(term, file, nil)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		for _, fault := range faults {
			fault.print(term)
		}
		return nil, notValid(file, len(faults))
	}
	object, _ := document.(*dsl.Object)
	return dsl.Build(object)
}

// inputOf reads a value that is written on the command line or in a file that is named there; nil for "".
func inputOf(term *terminal, arg string) (any, error) {
	if arg == "" {
		return nil, nil //nolint:nilnil // no input is given
	}
	data, where := []byte(arg), "--input"
	if !strings.HasPrefix(strings.TrimSpace(arg), "{") {
		text, err := readJSON(term, arg)
		if err != nil {
			return nil, fmt.Errorf("--input is neither a JSON object nor a file: %w", err)
		}
		data, where = text, arg
	}
	value, err := dsl.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if _, ok := value.(*dsl.Object); !ok {
		return nil, fmt.Errorf("%s: the input of a workflow is a JSON object", where)
	}
	return value, nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

type workflowSchemaCmd struct{}

// Help shows an example.
func (workflowSchemaCmd) Help() string {
	return `An editor that knows it completes and explains fields as you write. In VS Code, put it beside your documents and name
it in .vscode/settings.json:

  {"json.schemas": [{"fileMatch": ["*workflow.json"], "url": "./workflow.schema.json"}]}

Example:

  agentrun workflow schema > workflow.schema.json`
}

// Run prints the schema.
func (workflowSchemaCmd) Run(term *terminal) error {
	_, err := term.out.Write(dsl.EditorSchema())
	return err
}

type workflowGraphCmd struct {
	File   string `arg:"" help:"The document; - reads it from standard input."`
	Format string `enum:"mermaid,dot,json" default:"mermaid" help:"mermaid (for Markdown), dot (for Graphviz) or json."`
}

// Help shows an example.
func (*workflowGraphCmd) Help() string {
	return `Example:

  agentrun workflow graph triage/workflow.json
  agentrun workflow graph triage/workflow.json --format dot | dot -Tsvg > triage.svg`
}

// Run draws the document.
func (c *workflowGraphCmd) Run(_ context.Context, term *terminal) error {
	workflow, err := loadWorkflow(term, c.File)
	if err != nil {
		return err
	}
	graph := dsl.GraphOf(workflow)
	text := map[string]func() string{"mermaid": graph.Mermaid, "dot": graph.DOT, "json": graph.JSON}[c.Format]()
	_, err = io.WriteString(term.out, text)
	return err
}
