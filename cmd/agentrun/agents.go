package main

import "github.com/agentrun/agentrun/run"

// agentsCmd groups the commands about agents.
type agentsCmd struct {
	List      agentsListCmd      `cmd:"" help:"List the agents."`
	Get       agentsGetCmd       `cmd:"" help:"Print an agent with its definition."`
	Create    agentsCreateCmd    `cmd:"" help:"Make an agent from a definition."`
	Update    agentsUpdateCmd    `cmd:"" help:"Give an agent a new definition."`
	Archive   agentsArchiveCmd   `cmd:"" help:"Hide an agent and start no more runs of it."`
	Unarchive agentsUnarchiveCmd `cmd:"" help:"Bring an archived agent back."`
}

// saved tells of an agent that was stored, its warnings on err.
func saved(term *terminal, agent run.Agent, asJSON bool) error {
	for _, warning := range agent.Warnings {
		term.errorf("warning: %s: %s", printable(warning.Path), printable(warning.Message))
	}
	if asJSON {
		return term.json(agent)
	}
	term.printf("%s revision %d\n", agent.ID, agent.Revision)
	return nil
}
