package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

func (s *Server) agentRoutes() {
	tags := []string{"agents"}
	register(s, huma.Operation{
		OperationID: "createAgent", Method: http.MethodPost, Path: "/v2/agents", Tags: tags,
		Summary: "Create an agent", DefaultStatus: http.StatusCreated,
		Description: "What is right but not available on this server is saved with a warning; its runs are refused.",
	}, s.createAgent)
	register(s, huma.Operation{
		OperationID: "listAgents", Method: http.MethodGet, Path: "/v2/agents", Tags: tags,
		Summary: "List agents, newest first",
	}, s.listAgents)
	register(s, huma.Operation{
		OperationID: "getAgent", Method: http.MethodGet, Path: "/v2/agents/{id}", Tags: tags, Summary: "Get an agent",
	}, s.getAgent)
	register(s, huma.Operation{
		OperationID: "putDefinition", Method: http.MethodPut, Path: "/v2/agents/{id}/definition", Tags: tags,
		Summary: "Give an agent a new definition",
		Description: "Makes a revision, unless the definition is the one it has. A definition without a place keeps " +
			"the agent's.",
	}, s.putDefinition)
	register(s, huma.Operation{
		OperationID: "archiveAgent", Method: http.MethodPost, Path: "/v2/agents/{id}/archive", Tags: tags,
		Summary: "Archive an agent", Description: "It leaves the list and starts no more runs.",
	}, s.archiveAgent(true))
	register(s, huma.Operation{
		OperationID: "unarchiveAgent", Method: http.MethodPost, Path: "/v2/agents/{id}/unarchive", Tags: tags,
		Summary: "Bring an archived agent back",
	}, s.archiveAgent(false))
}

// AgentPath is the input part of the routes of one agent.
type AgentPath struct {
	ID string `path:"id" doc:"The agent's id."`
}

type agentBody struct {
	_          struct{} `additionalProperties:"false"`
	Definition document `json:"definition"`
}

type createAgentInput struct {
	IdempotencyKey
	Body agentBody
}

type createdAgent struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Replayed string `header:"Idempotent-Replayed" doc:"true: the answer is the first request's."`
	Body     encoded[agentView]
}

func (s *Server) createAgent(ctx context.Context, in *createAgentInput) (*createdAgent, error) {
	def, issues := run.DecodeDefinition(in.Body.Definition.data)
	warnings, err := s.check(def, issues)
	if err != nil {
		return nil, err
	}
	var idempotency store.Idempotency
	if keyed := in.keyed("agents", def); keyed != nil {
		idempotency = *keyed
	}
	agent, replayed, err := s.store.CreateAgentOnce(ctx, def, warnings, idempotency)
	if err != nil {
		return nil, err
	}
	shown, err := s.showAgent(agent, IfNoneMatch{})
	if err != nil {
		return nil, err
	}
	return &createdAgent{
		Location: "/v2/agents/" + agent.ID, ETag: shown.ETag, Replayed: replayHeader(replayed), Body: shown.Body,
	}, nil
}

// check refuses a definition with faults, and gives the warnings of one without.
func (s *Server) check(def run.Definition, issues []run.Issue) ([]run.Issue, error) {
	more, warnings := def.Check(s.known())
	if len(issues) == 0 {
		issues = more
	} else {
		issues = append(issues, unseen(issues, more)...)
	}
	if len(issues) > 0 {
		return nil, invalid(issues)
	}
	return warnings, nil
}

// unseen are the faults at paths that have none yet: what could not be read is not looked up.
func unseen(issues, more []run.Issue) []run.Issue {
	faulty := map[string]bool{}
	for _, issue := range issues {
		faulty[issue.Path] = true
	}
	var rest []run.Issue
	for _, issue := range more {
		if !faulty[issue.Path] {
			rest = append(rest, issue)
		}
	}
	return rest
}

// showAgent answers with an agent. Its ETag begins with its home_etag, and either is good for If-Match.
func (s *Server) showAgent(agent run.Agent, cond IfNoneMatch) (*tagged[agentView], error) {
	return tag(s.agentViewer()(agent), unquote(agent.HomeETag), cond)
}

type getAgentInput struct {
	AgentPath
	IfNoneMatch
}

func (s *Server) getAgent(ctx context.Context, in *getAgentInput) (*tagged[agentView], error) {
	agent, err := s.store.Agent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.showAgent(agent, in.IfNoneMatch)
}

type listAgentsInput struct {
	PageQuery
	Archived bool `query:"archived" doc:"Lists the archived agents instead."`
}

func (s *Server) listAgents(ctx context.Context, in *listAgentsInput) (*listOutput[agentView], error) {
	agents, next, err := s.store.Agents(ctx, in.Archived, in.ask())
	return listed(agents, next, err, s.agentViewer())
}

func (s *Server) archiveAgent(archived bool) func(context.Context, *AgentPath) (*tagged[agentView], error) {
	return func(ctx context.Context, in *AgentPath) (*tagged[agentView], error) {
		agent, err := s.store.SetAgentArchived(ctx, in.ID, archived)
		if err != nil {
			return nil, err
		}
		return s.showAgent(agent, IfNoneMatch{})
	}
}
