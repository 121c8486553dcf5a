package api

import (
	"cmp"
	"context"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// definitionOf is an agent that may be run, with the definition of a revision (0: the newest).
func (s *Server) definitionOf(ctx context.Context, id string, revision int64) (run.Agent, run.Definition, error) {
	agent, err := s.store.Agent(ctx, id)
	if err != nil {
		return agent, run.Definition{}, err
	}
	if agent.ArchivedAt != nil {
		return agent, run.Definition{}, run.Errorf(run.ErrAgentNotRunnable, "agent %s is archived: unarchive it first", id).
			With("agent_id", id).With("archived", true)
	}
	if revision == 0 || revision == agent.Revision {
		return agent, agent.Definition, nil
	}
	old, err := s.store.Revision(ctx, id, revision)
	if run.CodeOf(err) == run.ErrNotFound {
		return agent, run.Definition{}, invalid([]run.Issue{{
			Path: "revision", Code: "unknown_revision", Message: err.Error(),
		}})
	}
	return agent, old.Definition, err
}

// resolve turns a definition into what a run of it is pinned to, or refuses where this server lacks what it names.
func (s *Server) resolve(agent run.Agent, def run.Definition) (run.Config, error) {
	known := s.known()
	known.Schema = nil // it was looked at when the definition was saved
	issues, warnings := def.Check(known)
	if lacks := append(issues, warnings...); len(lacks) > 0 {
		return run.Config{}, notRunnable(agent, def, lacks)
	}
	model, _, _ := s.models.Model(def.Model)
	return run.Config{
		Harness: def.HarnessID(), Model: model, Instructions: def.Instructions, Tools: def.Tools, Effort: def.Effort,
		Output: def.Output, Place: def.PlaceOrDefault(), MaxSteps: cmp.Or(def.MaxSteps, s.maxSteps),
	}, nil
}

// notRunnable names what a run of the definition lacks here, each thing at its path and by its name.
func notRunnable(agent run.Agent, def run.Definition, lacks []run.Issue) error {
	var why, tools []string
	refusal := run.Errorf(run.ErrAgentNotRunnable, "agent %s cannot run here", agent.ID).With("agent_id", agent.ID)
	for _, lack := range lacks {
		why = append(why, lack.Message)
		switch {
		case strings.HasPrefix(lack.Path, "definition.place"):
			refusal.With("box", def.PlaceOrDefault().Box)
		case lack.Path == "definition.harness":
			refusal.With("harness", def.HarnessID())
		case lack.Path == "definition.model":
			refusal.With("model", def.Model)
		case strings.HasPrefix(lack.Path, "definition.tools"):
			tools = append(tools, lack.Path)
		}
	}
	if len(tools) > 0 {
		refusal.With("tools", toolsAt(def, tools))
	}
	refusal.Message += ": " + strings.Join(why, "; ")
	return refusal.With("lacks", lacks)
}

// toolsAt are the names of the tools at paths such as definition.tools[1].
func toolsAt(def run.Definition, paths []string) []string {
	var names []string
	for i, name := range def.Tools {
		for _, path := range paths {
			if path == run.ToolPath(i) {
				names = append(names, name)
			}
		}
	}
	return names
}
