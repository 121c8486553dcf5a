package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
)

func (s *Server) runRoutes() {
	tags := []string{"runs"}
	register(s, huma.Operation{
		OperationID: "getRun", Method: http.MethodGet, Path: "/v2/runs/{id}", Tags: tags, Summary: "Get a run",
	}, s.getRun)
	register(s, huma.Operation{
		OperationID: "patchRun", Method: http.MethodPatch, Path: "/v2/runs/{id}", Tags: tags,
		Summary: "Change a run's spend cap or labels",
		Description: "max_cost_usd: null takes the cap away; it cannot go below what is spent. labels replace the run's. " +
			"A run that waits at its cap goes on once the new one buys what it needs.",
	}, s.patchRun)
	register(s, huma.Operation{
		OperationID: "archiveRun", Method: http.MethodPost, Path: "/v2/runs/{id}/archive", Tags: tags,
		Summary: "Archive a run that has ended or waits", Description: "It leaves the lists and stays readable by id.",
	}, s.archiveRun(true))
	register(s, huma.Operation{
		OperationID: "unarchiveRun", Method: http.MethodPost, Path: "/v2/runs/{id}/unarchive", Tags: tags,
		Summary: "Bring an archived run back",
	}, s.archiveRun(false))
}

// RunPath is the input part of the routes of one run.
type RunPath struct {
	ID string `path:"id" doc:"The run's id."`
}

type getRunInput struct {
	RunPath
	IfNoneMatch
}

func (s *Server) getRun(ctx context.Context, in *getRunInput) (*tagged[runView], error) {
	found, err := s.store.Run(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return tag(viewRun(found), "", in.IfNoneMatch)
}

type patchRunInput struct {
	RunPath
	Body struct {
		_          struct{}           `additionalProperties:"false"`
		MaxCostUSD amount             `json:"max_cost_usd,omitzero"`
		Labels     *map[string]string `json:"labels,omitempty"`
	}
}

func (s *Server) patchRun(ctx context.Context, in *patchRunInput) (*tagged[runView], error) {
	limit, issue := in.Body.MaxCostUSD.read("max_cost_usd")
	var issues []run.Issue
	if issue != nil {
		issues = append(issues, *issue)
	}
	if in.Body.Labels != nil {
		issues = append(issues, run.CheckLabels("labels", *in.Body.Labels)...)
	}
	if !in.Body.MaxCostUSD.given() && in.Body.Labels == nil {
		issues = append(issues, run.Issue{Code: "required", Message: "give max_cost_usd or labels"})
	}
	if len(issues) > 0 {
		return nil, invalid(issues)
	}
	patched, err := s.patch(ctx, in, limit)
	if err != nil {
		return nil, err
	}
	return tag(viewRun(patched), "", IfNoneMatch{})
}

// patch makes the changes, the one that can be refused first.
func (s *Server) patch(ctx context.Context, in *patchRunInput, limit *run.USD) (run.Run, error) {
	var patched run.Run
	if in.Body.MaxCostUSD.given() {
		outcome, err := s.store.SetCap(ctx, in.ID, limit)
		if err != nil {
			return run.Run{}, err
		}
		s.follow(outcome, run.RowCapChanged)
		patched = outcome.Run
	}
	if in.Body.Labels == nil {
		return patched, nil
	}
	return s.store.SetLabels(ctx, in.ID, *in.Body.Labels)
}

func (s *Server) archiveRun(archived bool) func(context.Context, *RunPath) (*tagged[runView], error) {
	return func(ctx context.Context, in *RunPath) (*tagged[runView], error) {
		found, err := s.store.SetRunArchived(ctx, in.ID, archived)
		if err != nil {
			return nil, err
		}
		return tag(viewRun(found), "", IfNoneMatch{})
	}
}
