package activities

import "github.com/agentrun/agentrun/run/journal"

// The activities' names, as Temporal and its UI know them.
const (
	OpenName    = "open"
	RequestName = "model request"
	CompactName = "compaction"
	ToolName    = "tool call"
	SettleName  = "settle"
	CancelName  = "cancel"
	AdvanceName = "advance"
	EffectName  = "effect"
	WaitName    = "wait"
)

// Step asks for one step of a run. It holds references only.
type Step struct {
	RunID string `json:"run_id"`
	// Token orders the executions and workflow tasks that drive the run (journal.Open).
	Token int64 `json:"token"`
	// Session names the session of a workflow document's node, "" the agent's own; for an effect or a wait it is its key.
	Session string `json:"session,omitempty"`
	Turn    int    `json:"turn,omitempty"`
	// Call is the index of a tool call in its turn.
	Call int `json:"call,omitempty"`
	// InHand are the keys of the wants that the workflow has in hand, for advance.
	InHand []string `json:"in_hand,omitempty"`
	// Outcome is what to record of the run, for settle.
	Outcome Outcome `json:"outcome,omitempty"`
	Lane    string  `json:"lane,omitempty"`
}

// Outcome is a status a run comes to.
type Outcome string

// The outcomes a workflow decides on.
const (
	OutcomeCompleted Outcome = "completed"
	OutcomeFailed    Outcome = "failed"
	OutcomeStepLimit Outcome = "step_limit"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeStopped   Outcome = "stopped"
	OutcomePaused    Outcome = "paused"
	OutcomeBudget    Outcome = "budget"
	// OutcomeDocument is what a workflow document came to.
	OutcomeDocument Outcome = "document"
)

// Lanes of a step (design §3).
const (
	LaneLocal   = "local"
	LaneRegular = "regular"
)

// superseded is where a run stands for an execution that no longer drives it.
var superseded = journal.Position{Superseded: true}
