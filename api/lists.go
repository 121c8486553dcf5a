package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

func (s *Server) listRoutes() {
	tags := []string{"runs"}
	register(s, huma.Operation{
		OperationID: "listRuns", Method: http.MethodGet, Path: "/v2/runs", Tags: tags, Summary: "List runs, newest first",
	}, s.listRuns)
	register(s, huma.Operation{
		OperationID: "listAgentRuns", Method: http.MethodGet, Path: "/v2/agents/{id}/runs", Tags: tags,
		Summary: "List an agent's runs, newest first",
	}, s.listAgentRuns)
}

// RunFilter is the input part of a list of runs.
type RunFilter struct {
	PageQuery
	Status   []string `query:"status,explode" doc:"Only runs of these statuses; repeat it or part them with commas."`
	Label    []string `query:"label,explode" doc:"Only runs with this label, key:value; with several, those that have all."`
	From     string   `query:"from" doc:"Only runs created at this time or later (RFC 3339)."`
	To       string   `query:"to" doc:"Only runs created before this time (RFC 3339)."`
	Archived bool     `query:"archived" doc:"Lists the archived runs instead."`
	Live     bool     `query:"live" doc:"Only runs that have not ended."`
}

type listRunsInput struct {
	RunFilter
	Agent string `query:"agent" doc:"Only runs of this agent."`
}

func (s *Server) listRuns(ctx context.Context, in *listRunsInput) (*listOutput[runView], error) {
	return s.runsOf(ctx, in.Agent, in.RunFilter)
}

type listAgentRunsInput struct {
	AgentPath
	RunFilter
}

func (s *Server) listAgentRuns(ctx context.Context, in *listAgentRunsInput) (*listOutput[runView], error) {
	if _, err := s.store.Agent(ctx, in.ID); err != nil {
		return nil, err
	}
	return s.runsOf(ctx, in.ID, in.RunFilter)
}

func (s *Server) runsOf(ctx context.Context, agent string, in RunFilter) (*listOutput[runView], error) {
	filter, problem := in.read()
	if problem != nil {
		return nil, problem
	}
	filter.Agent = agent
	runs, next, err := s.store.Runs(ctx, filter, in.ask())
	return listed(runs, next, err, viewRun)
}

// read is the filter the store takes.
func (in RunFilter) read() (store.RunFilter, *Problem) {
	filter := store.RunFilter{Archived: in.Archived, Live: in.Live}
	for _, given := range in.Status {
		for name := range strings.SplitSeq(given, ",") {
			status, ok := statusNamed(name)
			if !ok {
				return filter, parameterProblem("status", "must be one of "+statusNames())
			}
			filter.Status = append(filter.Status, status)
		}
	}
	for _, given := range in.Label {
		// No key has either sign, so the first one parts it from the value.
		i := strings.IndexAny(given, ":=")
		if i <= 0 {
			return filter, parameterProblem("label", "must be key:value")
		}
		if filter.Label == nil {
			filter.Label = map[string]string{}
		}
		key, value := given[:i], given[i+1:]
		if before, twice := filter.Label[key]; twice && before != value {
			return filter, parameterProblem("label", "gives one key two values, and no run has both")
		}
		filter.Label[key] = value
	}
	var problem *Problem
	if filter.From, problem = timeParameter("from", in.From); problem != nil {
		return filter, problem
	}
	filter.To, problem = timeParameter("to", in.To)
	return filter, problem
}

func statusNamed(name string) (run.Status, bool) {
	for _, status := range run.Statuses() {
		if string(status) == name {
			return status, true
		}
	}
	return "", false
}

func statusNames() string {
	statuses := run.Statuses()
	names := make([]string, len(statuses))
	for i, status := range statuses {
		names[i] = string(status)
	}
	return strings.Join(names, ", ")
}

func timeParameter(name, text string) (*time.Time, *Problem) {
	if text == "" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, parameterProblem(name, "must be a time such as 2026-01-31T00:00:00Z (RFC 3339)")
	}
	return &at, nil
}
