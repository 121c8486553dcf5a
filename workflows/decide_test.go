package workflows

import (
	"testing"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/run/journal"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	request := move{activity: activities.RequestName}
	call := move{activity: activities.ToolName}
	for name, c := range map[string]struct {
		position journal.Position
		want     move
	}{
		"a new run asks the model":           {journal.Position{Phase: journal.PhaseRequest, Turn: 1}, request},
		"asked-for calls are made":           {journal.Position{Phase: journal.PhaseTools}, call},
		"calls are made before a stop":       {journal.Position{Phase: journal.PhaseTools, Inbox: journal.Inbox{Stop: true}}, call},
		"a cancel waits for nothing":         {journal.Position{Phase: journal.PhaseTools, Inbox: journal.Inbox{Cancel: true}}, settle(activities.OutcomeCancelled)},
		"a cancel beats a stop":              {journal.Position{Phase: journal.PhaseRequest, Inbox: journal.Inbox{Cancel: true, Stop: true}}, settle(activities.OutcomeCancelled)},
		"a stop waits for a message":         {journal.Position{Phase: journal.PhaseRequest, Inbox: journal.Inbox{Stop: true}}, settle(activities.OutcomeStopped)},
		"a stopped request waits":            {journal.Position{Phase: journal.PhaseStopped}, settle(activities.OutcomeStopped)},
		"a pause holds the next request":     {journal.Position{Phase: journal.PhaseRequest, Inbox: journal.Inbox{Pause: true}}, settle(activities.OutcomePaused)},
		"a final answer beats a pause":       {journal.Position{Phase: journal.PhaseFinal, Inbox: journal.Inbox{Pause: true}}, settle(activities.OutcomeCompleted)},
		"the cap's refusal waits":            {journal.Position{Phase: journal.PhaseRefused}, settle(activities.OutcomeBudget)},
		"what no cap fixes fails":            {journal.Position{Phase: journal.PhaseImpossible}, settle(activities.OutcomeFailed)},
		"the provider's failure fails":       {journal.Position{Phase: journal.PhaseFailed}, settle(activities.OutcomeFailed)},
		"a full window is summarised":        {journal.Position{Phase: journal.PhaseCompact}, move{activity: activities.CompactName}},
		"one step under the limit goes on":   {journal.Position{Phase: journal.PhaseRequest, Steps: 9}, request},
		"the step limit ends the run":        {journal.Position{Phase: journal.PhaseRequest, Steps: 10}, settle(activities.OutcomeStepLimit)},
		"a final answer at the limit counts": {journal.Position{Phase: journal.PhaseFinal, Steps: 10}, settle(activities.OutcomeCompleted)},
		"an ended run ends the execution":    {journal.Position{Phase: journal.PhaseEnded}, move{}},
		"so does another worker's run":       {journal.Position{Phase: journal.PhaseRequest, Superseded: true}, move{}},
	} {
		if got := decide(c.position, 10); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
