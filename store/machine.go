package store

import "github.com/agentrun/agentrun/run"

// command is what a person may ask of a run, beside another cap.
type command int

const (
	sendMessage command = iota
	stopRun
	cancelRun
	pauseRun
	resumeRun
)

// effect is what a command does to a run.
type effect struct {
	// inbox is the row that tells the worker ("": none).
	inbox run.RowType
	// to is the status the run goes to at once (nil: it stays).
	to *run.StatusChange
	// nudge: the worker that drives the run is to look at its inbox now.
	nudge bool
	// already: it is so already, and nothing is written.
	already bool
	// refusal is the code of the error that answers the command ("": none), and why its reason.
	refusal, why string
}

var (
	already       = effect{already: true}
	notOpen       = effect{refusal: run.ErrNotContinuable, why: "it takes no more messages: start a new run"}
	supplied      = effect{inbox: run.RowUserMessage, to: toQueued()}
	noMessages    = effect{refusal: run.ErrNotContinuable, why: "a workflow takes no messages: start a new run"}
	nothingToHold = effect{refusal: run.ErrConflict, why: "there is nothing to pause"}
	holdsAnyway   = effect{refusal: run.ErrConflict, why: "it waits for a message and sends nothing before one"}
	leaving       = effect{refusal: run.ErrNotContinuable, why: "it is being cancelled: start a new run"}
	notPaused     = effect{refusal: run.ErrConflict, why: "it is not paused"}

	stopNow   = effect{to: toWait(run.StateWaiting, run.PendingMessage, "stopped")}
	pauseNow  = effect{to: toWait(run.StatePaused, run.PendingResume, "paused")}
	cancelNow = effect{to: toCancelled()}
	keep      = effect{inbox: run.RowUserMessage}
)

// effects says what each command does to a run in each phase. A command to a run that a worker drives is a row in its
// inbox and a nudge; one to a run that nobody drives takes effect at once.
var effects = map[command][phases]effect{
	sendMessage: {
		queued:         keep,
		running:        {inbox: run.RowUserMessage, nudge: true},
		sleeping:       keep,
		waitingMessage: {inbox: run.RowUserMessage, to: toQueued()},
		waitingBudget:  keep,
		paused:         keep,
		completed:      {inbox: run.RowUserMessage, to: toQueued()},
		finished:       notOpen,
		failed:         notOpen,
		cancelled:      notOpen,
	},
	stopRun: {
		queued:         stopNow,
		running:        {inbox: run.RowStopRequested, nudge: true},
		sleeping:       stopNow,
		waitingMessage: already,
		waitingBudget:  stopNow,
		paused:         stopNow,
		completed:      already,
		finished:       already,
		failed:         already,
		cancelled:      already,
	},
	cancelRun: {
		queued:         cancelNow,
		running:        {inbox: run.RowCancelRequested, nudge: true},
		sleeping:       cancelNow,
		waitingMessage: cancelNow,
		waitingBudget:  cancelNow,
		paused:         cancelNow,
		completed:      already,
		finished:       already,
		failed:         already,
		cancelled:      already,
	},
	pauseRun: {
		queued:         pauseNow,
		running:        {inbox: run.RowPauseRequested, nudge: true},
		sleeping:       pauseNow,
		waitingMessage: holdsAnyway,
		waitingBudget:  pauseNow,
		paused:         already,
		completed:      nothingToHold,
		finished:       nothingToHold,
		failed:         nothingToHold,
		cancelled:      nothingToHold,
	},
	resumeRun: {
		queued:         already,
		running:        {inbox: run.RowResumed, nudge: true},
		sleeping:       {inbox: run.RowResumed},
		waitingMessage: {refusal: run.ErrConflict, why: "it waits for a message"},
		waitingBudget:  {refusal: run.ErrConflict, why: "it waits for a higher max_cost_usd"},
		paused:         {inbox: run.RowResumed, to: toQueued()},
		completed:      notPaused,
		finished:       notPaused,
		failed:         notPaused,
		cancelled:      notPaused,
	},
}
