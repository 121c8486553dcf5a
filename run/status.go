package run

// Status is what a run is to its user (contract §3).
type Status string

// The statuses of a run. Completed, Failed and Cancelled are terminal; a completed agent run takes a follow-up.
const (
	Queued        Status = "queued"
	Working       Status = "working"
	InputRequired Status = "input_required"
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Statuses lists every status, in the order a run passes them.
func Statuses() []Status {
	return []Status{Queued, Working, InputRequired, Completed, Failed, Cancelled}
}

// Terminal tells whether nothing more happens to the run by itself and no person is waited for.
func (s Status) Terminal() bool { return s == Completed || s == Failed || s == Cancelled }

// State is what the machinery does with a run at this moment.
type State string

// The states of a run. StateSleeping is a run cut by a drain or a stopped server: the next start resumes it.
const (
	StateQueued   State = "queued"
	StateRunning  State = "running"
	StateWaiting  State = "waiting"
	StatePaused   State = "paused"
	StateSleeping State = "sleeping"
	StateEnded    State = "ended"
)

// States lists every state, in the order a run passes them.
func States() []State {
	return []State{StateQueued, StateRunning, StateWaiting, StatePaused, StateSleeping, StateEnded}
}

// The stable codes of Failure.Code (contract §3).
const (
	CodeSpendCap      = "spend_cap_reached"
	CodeModerated     = "moderated"
	CodeRunFailed     = "run_failed"
	CodeEscalated     = "escalated"
	CodeInvalidOutput = "invalid_output"
	CodeTimeout       = "timeout"
)

// Failure is why a run ended failed.
type Failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// What a waiting run waits for, in Pending.Kind.
const (
	PendingBudget  = "budget"
	PendingMessage = "message"
	PendingResume  = "resume"
)

// Pending is what a run needs from a person before it goes on. The money figures are set for PendingBudget only.
type Pending struct {
	Kind            string `json:"kind"`
	CapUSD          *USD   `json:"cap_usd,omitempty"`
	SpentUSD        *USD   `json:"spent_usd,omitempty"`
	NeedsUSD        *USD   `json:"needs_usd,omitempty"`
	SuggestedCapUSD *USD   `json:"suggested_cap_usd,omitempty"`
}
