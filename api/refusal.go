package api

import (
	"context"
	"errors"
	"log/slog"
	"maps"

	"github.com/agentrun/agentrun/run"
)

// problemOf puts an error into the contract's shape. One that is neither a problem nor a refusal of the domain is a
// fault of ours: the log has it, the caller is told nothing of it.
func problemOf(ctx context.Context, log *slog.Logger, err error) *Problem {
	if problem, ok := errors.AsType[*Problem](err); ok {
		return problem
	}
	if refusal, ok := errors.AsType[*run.Error](err); ok {
		if _, known := statusOf[refusal.Code]; known {
			return refusalProblem(refusal)
		}
	}
	if ctx.Err() != nil {
		return newProblem(run.ErrUnavailable, "the request was given up before it was answered")
	}
	log.ErrorContext(ctx, "request failed", "event", "request_failed", "request_id", requestID(ctx), "error", err)
	return internalProblem()
}

func internalProblem() *Problem {
	return newProblem(codeInternal, "the server failed at this request; its log names the request by its X-Request-Id")
}

func refusalProblem(refusal *run.Error) *Problem {
	problem := newProblem(refusal.Code, refusal.Error())
	maps.Copy(problem.Details, refusal.Details)
	problem.Errors = refusal.Issues
	return problem
}

// invalid is a body with faults. Where one of them is that this version cannot do what is asked, that is its code.
func invalid(issues []run.Issue) *Problem {
	problem := refusalProblem(run.Invalid(issues...))
	for _, issue := range issues {
		if issue.Code == codeUnsupported {
			unsupported := newProblem(codeUnsupported, issue.Message)
			unsupported.Errors = issues
			return unsupported
		}
	}
	return problem
}
