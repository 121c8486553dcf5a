package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/dsl/cases"
	"github.com/agentrun/agentrun/run"
)

// dryRunTimeout bounds what a dry run's own code and loops may take.
const dryRunTimeout = 20 * time.Second

// maxSteps is how many steps an answer lists.
const maxSteps = 1000

func (s *Server) workflowRoutes() {
	tags := []string{"workflows"}
	register(s, huma.Operation{
		OperationID: "validateWorkflow", Method: http.MethodPost, Path: "/v2/workflows/validate", Tags: tags,
		Summary:     "Check a workflow document",
		Description: "Lists everything that is wrong with it, each with its path, a stable code and a hint. With an input, also whether every key a node reads exists by then. Nothing is executed or saved.",
	}, s.validateWorkflow)
	register(s, huma.Operation{
		OperationID: "dryRunWorkflow", Method: http.MethodPost, Path: "/v2/workflows/dry-run", Tags: tags,
		Summary: "Run a workflow document on made answers",
		Description: "Models, judges and tools are not asked: their answers are made of the document's schemas, or taken from " +
			"answers, by execution path, as test cases write them (gen, judge, effect).",
	}, s.dryRunWorkflow)
	register(s, huma.Operation{
		OperationID: "graphWorkflow", Method: http.MethodPost, Path: "/v2/workflows/graph", Tags: tags,
		Summary: "A workflow document as a graph", Description: "What may run, read off the document alone.",
	}, s.graphWorkflow)
}

// anyJSON is a part of a body that the language itself reads.
type anyJSON struct{ data json.RawMessage }

// UnmarshalJSON keeps the text.
func (a *anyJSON) UnmarshalJSON(data []byte) error {
	a.data = append(json.RawMessage(nil), data...)
	return nil
}

// Schema takes anything.
func (anyJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

type workflowInput struct{ Body workflowBody }

// workflowBody is a document, and an input to check it on.
type workflowBody struct {
	_        struct{} `additionalProperties:"false"`
	Workflow anyJSON  `json:"workflow"`
	Input    anyJSON  `json:"input,omitzero"`
}

type dryRunInput struct{ Body dryRunBody }

// dryRunBody is a document, an input, and answers by execution path.
type dryRunBody struct {
	_        struct{} `additionalProperties:"false"`
	Workflow anyJSON  `json:"workflow"`
	Input    anyJSON  `json:"input,omitzero"`
	Answers  anyJSON  `json:"answers,omitzero"`
}

// validityView is what a check found.
type validityView struct {
	Valid  bool                `json:"valid"`
	Issues []documentIssueView `json:"issues"`
}

// documentIssueView is one thing wrong with a document.
type documentIssueView struct {
	Code    string `json:"code"`
	Path    string `json:"path"`
	Label   string `json:"label,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

type answered[T any] struct{ Body T }

func (s *Server) validateWorkflow(_ context.Context, in *workflowInput) (*answered[validityView], error) {
	_, _, issues, err := readWorkflow(in.Body.Workflow, in.Body.Input)
	if err != nil {
		return nil, err
	}
	return &answered[validityView]{validity(issues)}, nil
}

func validity(issues []dsl.Issue) validityView {
	view := validityView{Valid: len(issues) == 0, Issues: make([]documentIssueView, 0, len(issues))}
	for _, issue := range issues {
		view.Issues = append(view.Issues, documentIssueView(issue))
	}
	return view
}

// readWorkflow reads and checks a document, and the input where there is one. A document that cannot be read is an
// issue like any other; an input that cannot is the caller's mistake.
func readWorkflow(document, given anyJSON) (workflow *dsl.Workflow, input any, issues []dsl.Issue, err error) {
	var check dsl.Check
	if len(given.data) > 0 {
		value, issue := run.DecodeWorkflow("input", given.data)
		if issue != nil {
			return nil, nil, nil, invalid([]run.Issue{*issue})
		}
		input, check.Input = value, value
	}
	value, issue := run.DecodeWorkflow("workflow", document.data)
	if issue != nil {
		return nil, nil, []dsl.Issue{{Code: issue.Code, Path: issue.Path, Message: issue.Message, Hint: issue.Hint}}, nil
	}
	if check.Input == nil {
		check = run.CheckOf(value)
	}
	if issues = dsl.Validate(value, check); len(issues) > 0 {
		return nil, input, issues, nil
	}
	object, _ := value.(*dsl.Object)
	workflow, err = dsl.Build(object)
	return workflow, input, nil, err
}

// valid is a document's typed form, or its refusal with every issue.
func valid(document, given anyJSON) (*dsl.Workflow, any, error) {
	workflow, input, issues, err := readWorkflow(document, given)
	if err == nil && len(issues) > 0 {
		err = invalid(run.WorkflowIssues("workflow", issues))
	}
	return workflow, input, err
}

func (s *Server) graphWorkflow(_ context.Context, in *workflowInput) (*answered[staticGraphView], error) {
	workflow, _, err := valid(in.Body.Workflow, in.Body.Input)
	if err != nil {
		return nil, err
	}
	return &answered[staticGraphView]{staticGraphView(dsl.GraphOf(workflow))}, nil
}

// staticGraphView is a document as a graph.
type staticGraphView dsl.Graph

// dryRunView is what a dry run found, step by step.
type dryRunView struct {
	OK       bool            `json:"ok"`
	Skipped  []string        `json:"skipped" doc:"Why it shows nothing of a document, though nothing is wrong with it."`
	Problems []string        `json:"problems"`
	Stage    string          `json:"stage,omitempty" doc:"The label of the node that failed, or input, output or validate."`
	Input    any             `json:"input" doc:"The input it ran on: the given one, or one made of the schema."`
	Steps    []dsl.TraceStep `json:"steps"`
	LeftOut  int             `json:"left_out" doc:"Steps beyond those that are listed."`
	Output   any             `json:"output"`
}

func (s *Server) dryRunWorkflow(ctx context.Context, in *dryRunInput) (*answered[dryRunView], error) {
	workflow, input, err := valid(in.Body.Workflow, in.Body.Input)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dryRunTimeout)
	defer cancel()
	if len(in.Body.Answers.data) > 0 {
		return rehearse(ctx, workflow, input, in.Body.Answers)
	}
	report, trace := workflow.TraceDryRun(ctx, input)
	return &answered[dryRunView]{dryRunView{
		OK: report.OK, Skipped: orEmpty(report.Skipped), Problems: orEmpty(report.Problems), Stage: report.Stage,
		Input: trace.Input, Steps: trace.Steps, LeftOut: trace.LeftOut, Output: trace.Output,
	}}, nil
}

// rehearse runs a document on answers that the caller wrote.
func rehearse(ctx context.Context, workflow *dsl.Workflow, input any, given anyJSON) (*answered[dryRunView], error) {
	value, issue := run.DecodeWorkflow("answers", given.data)
	if issue != nil {
		return nil, invalid([]run.Issue{*issue})
	}
	fakes, err := cases.ReadFakes(value)
	if err != nil {
		return nil, invalid([]run.Issue{{Path: "answers", Code: "invalid_format", Message: err.Error()}})
	}
	script := cases.NewScript(fakes)
	defer script.Close()
	host := cases.NewHost(script)
	result, err := workflow.Run(ctx, host, dsl.Options{Adapters: script.Adapters(), Policy: script.Policy()}, input)
	view := dryRunView{
		OK: err == nil, Skipped: []string{}, Problems: []string{}, Input: json.RawMessage(dsl.JSON(input)),
		Steps: stepsOf(host.Events()),
	}
	view.LeftOut = len(host.Events()) - len(view.Steps)
	switch {
	case err != nil:
		view.Problems = []string{err.Error()}
		if failure, ok := errors.AsType[*dsl.Failure](err); ok {
			view.Stage = failure.Stage
		}
	case result.Escalation != nil:
		raised := result.Escalation
		view.Skipped = []string{"escalated:" + raised.Kind + "@" + raised.Stage + ": " + raised.Summary}
	default:
		view.Output = dsl.Shown(result.Output)
	}
	return &answered[dryRunView]{view}, nil
}

func stepsOf(events []dsl.Event) []dsl.TraceStep {
	steps := make([]dsl.TraceStep, 0, len(events))
	for _, event := range events[:min(len(events), maxSteps)] {
		step := dsl.TraceStep{Type: event.Type, Path: event.Path, Label: event.Label, Kind: event.Kind}
		if event.Detail != nil {
			step.Detail = dsl.Shown(event.Detail)
		}
		steps = append(steps, step)
	}
	return steps
}

func orEmpty(texts []string) []string { return append([]string{}, texts...) }
