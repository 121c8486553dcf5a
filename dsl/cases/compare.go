package cases

import (
	"errors"
	"slices"

	"github.com/agentrun/agentrun/dsl"
)

// Codes says which of the issues that a case expects were not found.
func (c Case) Codes(issues []dsl.Issue) []Problem {
	var problems []Problem
	codes := make([]string, len(issues))
	for i, issue := range issues {
		codes[i] = issue.Code
	}
	for _, code := range c.Expect.IssueCodes {
		if !slices.Contains(codes, code) {
			problems = append(problems, Problem{What: "issue_codes", Want: code, Got: dsl.JSON(anyOf(codes))})
		}
	}
	return problems
}

// Validity says whether a document is valid otherwise than the case expects.
func (c Case) Validity(issues []dsl.Issue) []Problem {
	want := c.Expect.Valid
	if !want.Given || want.Value == any(len(issues) == 0) {
		return nil
	}
	got := "valid"
	if len(issues) > 0 {
		got = "invalid: " + issues[0].Code + " at " + issues[0].Path + ": " + issues[0].Message
	}
	return []Problem{{What: "valid", Want: dsl.JSON(want.Value), Got: got}}
}

// values compares what a run came to.
func (c Case) values(o Outcome) []Problem {
	var problems []Problem
	if want := c.Expect.Output; want.Given {
		problems = append(problems, differences("output", want.Value, o.Result.Output)...)
	}
	// A state is an object, so a case that expects null says nothing of it.
	if want := c.Expect.State; want.Given && want.Value != nil {
		problems = append(problems, differences("state", want.Value, value(o.Result.State))...)
	}
	if want := c.Expect.StateHas; want.Given {
		problems = append(problems, part("state", want.Value, value(o.Result.State))...)
	}
	if want := c.Expect.Host; want.Given {
		problems = append(problems, differences("host", want.Value, value(o.Result.Host))...)
	}
	if raised := o.Result.Escalation; raised != nil {
		got := dsl.ObjectOf("kind", raised.Kind, "stage", raised.Stage, "label", raised.Label, "summary", raised.Summary)
		if want := c.Expect.Escalation; want.Given {
			problems = append(problems, part("escalation", want.Value, got)...)
		}
		if want := c.Expect.ExecutionPath; want.Given {
			problems = append(problems, differences("execution_path", want.Value, raised.ExecutionPath)...)
		}
	}
	return problems
}

// value is an object as a value: null where there is none.
func value(object *dsl.Object) any {
	if object == nil {
		return nil
	}
	return object
}

// failure compares why a run failed. A field that the case expects as null is one that the failure does not have.
func (c Case) failure(o Outcome) []Problem {
	if o.Err == nil {
		return nil
	}
	failed := &dsl.Failure{}
	if !errors.As(o.Err, &failed) {
		failed = &dsl.Failure{Message: o.Err.Error()}
	}
	var problems []Problem
	for _, field := range []struct {
		what string
		want Maybe
		got  string
	}{
		{"error_code", c.Expect.ErrorCode, failed.Code},
		{"error_class", c.Expect.ErrorClass, failed.Class},
		{"error_reason", c.Expect.ErrorReason, failed.Reason},
		{"error_label", c.Expect.ErrorLabel, failed.Stage},
		{"error_path", c.Expect.ErrorPath, failed.Path},
		{"error_stage", c.Expect.ErrorStage, failed.Stage},
		{"response_reason", c.Expect.ResponseReason, failed.Reason},
		{"interruption", c.Expect.Interruption, failed.Interruption},
	} {
		want := field.want
		if want.Value == nil {
			want.Value = ""
		}
		if want.Given && want.Value != any(field.got) {
			problems = append(problems, Problem{
				What: field.what, Want: dsl.JSON(field.want.Value), Got: dsl.JSON(field.got) + ", of: " + clipped(o.Err.Error()),
			})
		}
	}
	return problems
}

// dryRun compares what a dry run says.
func (c Case) dryRun(report dsl.DryRunReport) []Problem {
	skipped := anyOf(report.Skipped)
	got := dsl.ObjectOf("ok", report.OK, "stage", report.Stage, "skipped", skipped)
	want, _ := c.Expect.DryRun.Value.(*dsl.Object)
	problems := part("dry_run", want, got)
	if !want.Has("skipped") && len(skipped) > 0 {
		problems = append(problems, Problem{What: "dry_run/skipped", Want: absent, Got: dsl.JSON(skipped)})
	}
	return problems
}
