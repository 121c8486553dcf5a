package activities

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
)

func TestADocumentsFailureInTheRunsTerms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		code string
		key  string
		want any
	}{
		"an output unlike its schema": {&dsl.Failure{Code: dsl.CodeOutputInvalid, Stage: "output"}, run.CodeInvalidOutput, "stage", "output"},
		"a call past its deadline":    {&dsl.Failure{Code: "effect_timeout", RetryClass: "timeout"}, run.CodeTimeout, "retry_class", "timeout"},
		"a late success":              {&dsl.Failure{Code: dsl.CodeDeadlineExceeded}, run.CodeTimeout, "code", dsl.CodeDeadlineExceeded},
		"an unknown outcome":          {&dsl.Failure{Code: dsl.CodeOutcomeUnknown, Interruption: "interrupted"}, run.CodeRunFailed, "interruption", "interrupted"},
		"an empty requirement":        {&dsl.Failure{Code: dsl.CodeStateInvalid, Reason: "required_nonempty", ExecutionPath: "/root"}, run.CodeRunFailed, "node", "/root"},
		"a session over its own cap":  {&sessionError{node: "/root/a", failure: &run.Failure{Code: run.CodeSpendCap, Message: "no"}}, run.CodeSpendCap, "node", "/root/a"},
		"wrapped":                     {fmt.Errorf("x: %w", &dsl.Failure{Code: dsl.CodeOutputInvalid}), run.CodeInvalidOutput, "code", dsl.CodeOutputInvalid},
		"anything else":               {errors.New("no"), run.CodeRunFailed, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := failureOf(c.err)
			if got.Code != c.code || c.key != "" && got.Details[c.key] != c.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestWhatADocumentGives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result dsl.Result
		answer string
	}{
		"a report": {dsl.Result{State: dsl.ObjectOf("report_markdown", "# Done"), Output: dsl.ObjectOf("a", 1.0)}, "# Done"},
		"a text":   {dsl.Result{State: dsl.NewObject(0), Output: "plain"}, "plain"},
		"a value":  {dsl.Result{State: dsl.NewObject(0), Output: dsl.ObjectOf("a", 1.0)}, `{"a":1}`},
		"nothing":  {dsl.Result{State: dsl.NewObject(0)}, "null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := resultOf(c.result); got.FinalAnswer != c.answer || string(got.Output) != dsl.JSON(c.result.Output) {
				t.Errorf("got %q, %s", got.FinalAnswer, got.Output)
			}
		})
	}
}

func TestAToolsTextIsAnObjectWhereItIsOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"an object": {`{"state":"done"}`, `{"state":"done"}`},
		"a list":    {`[1]`, `{"text":"[1]"}`},
		"words":     {"hello", `{"text":"hello"}`},
		"no JSON":   {`{"a":`, `{"text":"{\"a\":"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := resultEnd(run.ToolResult{OK: true, Content: c.content})
			if diff := cmp.Diff(c.want, dsl.JSON(end.value)); diff != "" || end.failure != nil {
				t.Errorf("%s %v", diff, end.failure)
			}
		})
	}
	if end := resultEnd(run.ToolResult{Content: "no such file"}); end.failure == nil || end.failure.Error() != "no such file" {
		t.Errorf("a failed call gives %v", end.failure)
	}
}

func TestASchemaBringsTheDefinitionsItNames(t *testing.T) {
	t.Parallel()
	definitions := dsl.ObjectOf("A", dsl.ObjectOf("type", "string"))
	plain := dsl.ObjectOf("type", "object")
	if got := dsl.JSON(whole(plain, definitions)); got != `{"type":"object"}` {
		t.Errorf("a schema without references became %s", got)
	}
	naming := dsl.ObjectOf("$ref", "#/definitions/A")
	if got := dsl.JSON(whole(naming, definitions)); got != `{"$ref":"#/definitions/A","definitions":{"A":{"type":"string"}}}` {
		t.Errorf("got %s", got)
	}
	own := naming.With("definitions", dsl.ObjectOf("A", dsl.ObjectOf("type", "number")))
	if got := dsl.JSON(whole(own, definitions)); got != `{"$ref":"#/definitions/A","definitions":{"A":{"type":"number"}}}` {
		t.Errorf("its own definitions do not win: %s", got)
	}
}
