package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
	if lacks := slices.Concat(issues, warnings); len(lacks) > 0 {
		return run.Config{}, notRunnable(agent, def, lacks)
	}
	model, _ := s.modelOn(s.offers().Harnesses, def.HarnessID(), def.Model)
	config := run.Config{
		Harness: def.HarnessID(), Model: model, Instructions: def.Instructions, Tools: def.Tools, Effort: def.Effort,
		Output: def.Output, Place: def.PlaceOrDefault(), MaxSteps: cmp.Or(def.MaxSteps, s.maxSteps),
		Workflow: def.Workflow,
	}
	if judge, ok := s.models.Judge(); ok && len(def.Workflow) > 0 {
		config.Judge = &judge
	}
	return config, nil
}

// modelOn is a model as a harness is answered by it, or why it cannot be. The scripted gateway speaks every protocol, so
// its models are reached by one that the harness takes.
func (s *Server) modelOn(offers []Harness, harness, id string) (model run.Model, why string) {
	model, _, _ = s.models.Model(id)
	for _, offer := range offers {
		switch {
		case offer.ID != harness || len(offer.ModelAPIs) == 0 || slices.Contains(offer.ModelAPIs, model.API):
		case model.Provider == fauxProvider:
			model.API = offer.ModelAPIs[0]
		default:
			return model, fmt.Sprintf("harness %q asks for its models in the protocol %s, and model %q is reached by %s: "+
				"name one of its own provider's", harness, strings.Join(offer.ModelAPIs, " or "), model.ID, model.API)
		}
	}
	return model, ""
}

// fauxProvider is the provider of the scripted gateway's models.
const fauxProvider = "faux"

// notRunnable names what a run of the definition lacks here, each thing at its path and by its name.
func notRunnable(agent run.Agent, def run.Definition, lacks []run.Issue) error {
	why := make([]string, len(lacks))
	missing := map[string]any{"agent_id": agent.ID, "lacks": lacks}
	for i, lack := range lacks {
		why[i] = lack.Message
		switch {
		case strings.HasPrefix(lack.Path, "definition.place"):
			missing["box"] = def.PlaceOrDefault().Box
		case lack.Path == "definition.harness":
			missing["harness"] = def.HarnessID()
		case lack.Path == "definition.model":
			missing["model"] = def.Model
		}
	}
	if tools := toolsLacking(def, lacks); len(tools) > 0 {
		missing["tools"] = tools
	}
	refusal := run.Errorf(run.ErrAgentNotRunnable, "agent %s cannot run here: %s", agent.ID, strings.Join(why, "; "))
	refusal.Details = missing
	return refusal
}

// toolsLacking are the names of the tools that issues are about.
func toolsLacking(def run.Definition, lacks []run.Issue) []string {
	var names []string
	for i, name := range def.Tools {
		if slices.ContainsFunc(lacks, func(lack run.Issue) bool { return lack.Path == run.ToolPath(i) }) {
			names = append(names, name)
		}
	}
	return names
}
