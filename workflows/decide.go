package workflows

import (
	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/run/journal"
)

// move is what comes next in a run: an activity, and for settle the outcome to record. The zero move ends the execution.
type move struct {
	activity string
	outcome  activities.Outcome
}

// decide is the whole policy of an agent's loop: what comes next where the run stands so.
func decide(position journal.Position, maxSteps int) move {
	switch {
	case position.Superseded || position.Phase == journal.PhaseEnded:
		return move{}
	case position.Inbox.Cancel:
		return settle(activities.OutcomeCancelled)
	case position.Phase == journal.PhaseTools:
		return move{activity: activities.ToolName} // calls that were asked for are answered before anything else
	case position.Inbox.Stop || position.Phase == journal.PhaseStopped:
		return settle(activities.OutcomeStopped)
	}
	switch position.Phase {
	case journal.PhaseFinal:
		return settle(activities.OutcomeCompleted)
	case journal.PhaseFailed, journal.PhaseImpossible, journal.PhaseModerated, journal.PhaseInvalid:
		return settle(activities.OutcomeFailed)
	}
	switch {
	case position.Inbox.Pause:
		return settle(activities.OutcomePaused)
	case position.Phase == journal.PhaseRefused:
		return settle(activities.OutcomeBudget)
	case maxSteps > 0 && position.Steps >= maxSteps:
		return settle(activities.OutcomeStepLimit)
	case position.Phase == journal.PhaseCompact:
		return move{activity: activities.CompactName}
	}
	return move{activity: activities.RequestName}
}

func settle(outcome activities.Outcome) move {
	return move{activity: activities.SettleName, outcome: outcome}
}
