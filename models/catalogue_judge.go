package models

import (
	"cmp"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// The built-in judge: TypeSafe's Jev, which answers typed questions about a state and is no model for agents.
const (
	keyTypeSafe      = "TYPESAFE_API_KEY"
	providerTypeSafe = "typesafe"
	urlTypeSafe      = "https://api.typesafe.ai"

	judgeName = "jev-latest"
	judgeID   = providerTypeSafe + "/" + judgeName
)

// loadJudge lists the judge. Nobody's catalogue has its price: the owner's file may.
func (c *Catalogue) loadJudge() {
	c.providers[providerTypeSafe] = supplier{
		name: providerTypeSafe, api: APIJev, key: keyTypeSafe,
		baseURL: cmp.Or(strings.TrimSuffix(strings.TrimSuffix(c.env.TypeSafeBaseURL, "/"), "/v1"), urlTypeSafe),
	}
	c.models[judgeID] = run.Model{
		ID: judgeID, Name: judgeName, Provider: providerTypeSafe, API: APIJev, NoOutputLimit: true, Source: "built-in",
	}
}

// Judge is the model that judges, where its key is set. A server on a script has none: there the script answers
// everything.
func (c *Catalogue) Judge() (run.Model, bool) {
	model, listed := c.models[judgeID]
	if !listed || !isJudge(model) || c.source == providerFaux || c.lacks(model) != "" {
		return run.Model{}, false
	}
	return model, true
}

// isJudge tells whether a model only judges.
func isJudge(model run.Model) bool { return model.API == APIJev }

// refusal is why a judge cannot be an agent's model.
func refusal(judge run.Model) string { return judge.ID + " is a judge, not a model for agents" }

// checkDefault refuses a judge as the model of agents whose definition names none.
func (c *Catalogue) checkDefault() error {
	if model, err := c.Resolve(""); err == nil && isJudge(model) {
		return run.Errorf(run.ErrInvalid, "the default model is refused: %s; name another one", refusal(model))
	}
	return nil
}
