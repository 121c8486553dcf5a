package journal

// Phase is what a run's journal says comes next.
type Phase string

// The phases. Those after PhaseTools are ends or waits that the workflow has yet to record as a status.
const (
	PhaseRequest    Phase = "request"
	PhaseCompact    Phase = "compact"
	PhaseTools      Phase = "tools"
	PhaseFinal      Phase = "final"
	PhaseRefused    Phase = "refused"
	PhaseImpossible Phase = "impossible"
	PhaseFailed     Phase = "failed"
	PhaseModerated  Phase = "moderated"
	PhaseInvalid    Phase = "invalid"
	PhaseStopped    Phase = "stopped"
	PhaseEnded      Phase = "ended"
)

// PendingCall is a tool call without a result. Index is its place among the calls of its turn.
type PendingCall struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
}

// Inbox is what people asked of the run since its last step.
type Inbox struct {
	Cancel bool `json:"cancel,omitempty"`
	Stop   bool `json:"stop,omitempty"`
	Pause  bool `json:"pause,omitempty"`
}

// Position is where a run stands: all that its workflow knows of it. It holds references and counts only.
type Position struct {
	// Version grows with every row folded: of two positions of one run the larger one is the newer.
	Version int64 `json:"version"`
	Phase   Phase `json:"phase"`
	// Turn numbers the model request that is next, under way or last answered, from 1, over the whole run.
	Turn  int           `json:"turn"`
	Calls []PendingCall `json:"calls,omitempty"`
	Inbox Inbox         `json:"inbox"`
	// Steps counts the requests answered since the last message of a person.
	Steps int `json:"steps"`
	// Model is the model's id and SpentUSD the known spend, for the summaries an operator reads.
	SpentUSD string `json:"spent_usd,omitempty"`
	// Lane is where the next request runs: "local" or "regular" (design §3).
	Lane string `json:"lane,omitempty"`
	// Superseded says that another worker drives the run now: this execution must end without a word.
	Superseded bool `json:"superseded,omitempty"`
}
