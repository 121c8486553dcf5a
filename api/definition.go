package api

import (
	"context"
	"strings"

	"github.com/agentrun/agentrun/run"
)

type putDefinitionInput struct {
	AgentPath
	IfMatch string `header:"If-Match" doc:"The agent's home_etag, or the ETag it was read with. Required."`
	Body    agentBody
}

func (s *Server) putDefinition(ctx context.Context, in *putDefinitionInput) (*tagged[agentView], error) {
	if strings.TrimSpace(in.IfMatch) == "" {
		return nil, run.Errorf(run.ErrPreconditionMissing,
			"send If-Match with the home_etag of the agent as you read it, so that nobody's change is lost")
	}
	current, err := s.store.Agent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !isCurrent(in.IfMatch, current.HomeETag) {
		return nil, run.Errorf(run.ErrRevisionStale, "agent %s has changed since: read it again", in.ID).
			With("revision", current.Revision).With("home_etag", current.HomeETag)
	}
	def, issues := run.DecodeDefinition(in.Body.Definition.data)
	if def.ID != "" && def.ID != in.ID {
		issues = append(issues, run.Issue{
			Path: "definition.id", Code: "immutable", Message: "is the agent's id and cannot change",
		})
	}
	if def.Place == nil && !faultAt(issues, "definition.place") {
		def.Place = current.Definition.Place
	}
	warnings, err := s.check(def, issues)
	if err != nil {
		return nil, err
	}
	agent, err := s.store.PutDefinition(ctx, in.ID, current.HomeETag, def, warnings)
	if err != nil {
		return nil, err
	}
	return s.showAgent(agent, IfNoneMatch{})
}

// isCurrent tells whether an If-Match header names an agent's present home_etag.
func isCurrent(header, homeETag string) bool {
	home := unquote(homeETag)
	for _, given := range entityTags(header) {
		if given == "*" || given == home || strings.HasPrefix(given, home+tagSeparator) {
			return true
		}
	}
	return false
}

func faultAt(issues []run.Issue, path string) bool {
	for _, issue := range issues {
		if strings.HasPrefix(issue.Path, path) {
			return true
		}
	}
	return false
}
