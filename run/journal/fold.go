package journal

import (
	"fmt"

	"github.com/agentrun/agentrun/run"
)

// maxInvalid is how many answers in a row may miss the typed output before the run fails.
const maxInvalid = 3

// Attempt is an attempt at a request that has begun and not ended.
type Attempt struct {
	Key     string
	Started run.RequestStarted
}

// Fold is what a worker knows of a run from its rows: its money and status, its conversation and its position.
type Fold struct {
	Projection
	conversation

	version int64
	head    int64
	ended   bool

	turn     int
	steps    int
	invalid  int
	phase    Phase
	stop     bool // a stop was asked for and not yet obeyed
	stopSeq  int64
	attempts int
	failures int
	purpose  string
	open     *Attempt
	refused  *run.RequestStarted
	// through is what the present request's messages were built from, once it began.
	through  int64
	context  int64
	compacts int
	squeezed bool
	failure  *run.Reason
	answer   *run.Answer
	// lastAnswer is the newest answer, of whatever turn.
	lastAnswer *run.Answer
	finals     []run.Answer
	// firstAsk is the digest of the first request, lastAsk that of the present turn's last attempt, answeredAsk that of the
	// request that was answered last, usage what it used.
	firstAsk, lastAsk, answeredAsk string
	usage                          run.Usage
	// asides counts the requests a command-line agent made beside the conversation; aside: the last request was one.
	asides int
	aside  bool
}

// Head is the largest seq folded.
func (f *Fold) Head() int64 { return f.head }

// Apply folds one row. Rows a worker has written but not yet been given a seq for may be applied with seq 0.
func (f *Fold) Apply(row run.Row) error {
	f.version++
	f.head = max(f.head, row.Seq)
	if err := f.Projection.Apply(row); err != nil {
		return err
	}
	switch row.Type {
	case run.RowUserMessage, run.RowStopRequested, run.RowCapChanged:
		return f.applyInbox(row)
	case run.RowRequestStarted, run.RowRequestEnded, run.RowAnswer, run.RowUsage, run.RowCompaction:
		return f.applyRequest(row)
	case run.RowToolUse, run.RowToolStarted, run.RowToolResult:
		return f.applyTool(row)
	case run.RowStatus:
		return f.applyPhase(row)
	case run.RowReviewed:
		return f.applyReview(row)
	case run.RowHarnessContinued, run.RowHarnessFailed:
		return f.applyHarness(row)
	}
	return nil
}

func (f *Fold) applyInbox(row run.Row) error {
	switch row.Type {
	case run.RowUserMessage:
		var message run.UserMessage
		if err := row.Decode(&message); err != nil {
			return err
		}
		f.userMessage(row.Seq, message.Content)
		f.steps, f.ended, f.stop = 0, false, false
		if f.turn == 0 || f.phase == PhaseFinal || f.phase == PhaseStopped {
			f.nextTurn()
		}
	case run.RowStopRequested:
		f.stop, f.stopSeq = true, row.Seq
	case run.RowCapChanged:
		if f.phase == PhaseRefused {
			f.phase = PhaseRequest
		}
	}
	return nil
}

func (f *Fold) applyPhase(row run.Row) error {
	var change run.StatusChange
	if err := row.Decode(&change); err != nil {
		return err
	}
	if change.Status == run.InputRequired {
		f.stop = false
		if change.Pending != nil && change.Pending.Kind == run.PendingMessage {
			f.stopped()
		}
	}
	f.ended = change.Status.Terminal()
	return nil
}

// stopped gives up the turn under way: the next message opens another. Calls that were asked for are answered first, and
// a turn of which nothing was tried yet waits as it is for the messages it has not read.
func (f *Fold) stopped() {
	untouched := f.phase == PhaseRequest && f.attempts == 0 && len(f.queued) > 0
	if f.pending() == 0 && !untouched {
		f.phase = PhaseStopped
	}
}

func (f *Fold) applyTool(row run.Row) error {
	switch row.Type {
	case run.RowToolUse:
		var use run.ToolUse
		if err := row.Decode(&use); err != nil {
			return err
		}
		var proof *run.ToolProof
		if len(row.Private) > 0 {
			proof = new(run.ToolProof)
			if err := row.DecodePrivate(proof); err != nil {
				return err
			}
		}
		if len(f.items) == 0 {
			return fmt.Errorf("journal row %d: a tool call before any answer", row.Seq)
		}
		f.asked(use, proof)
		f.phase = PhaseTools
	case run.RowToolStarted:
		var use run.ToolUse
		if err := row.Decode(&use); err != nil {
			return err
		}
		f.started(use.CallID)
	case run.RowToolResult:
		var result run.ToolResult
		if err := row.Decode(&result); err != nil {
			return err
		}
		f.resulted(result)
		if f.phase == PhaseTools && f.pending() == 0 {
			f.nextTurn()
		}
	}
	return nil
}

func (f *Fold) nextTurn() {
	f.turn++
	f.phase = PhaseRequest
	f.attempts, f.failures, f.purpose, f.through, f.lastAsk = 0, 0, "", 0, ""
	f.open, f.refused, f.answer = nil, nil, nil
}

// Passed notes seqs of rows that were folded before they had one.
func (f *Fold) Passed(seqs []int64) {
	for _, seq := range seqs {
		f.head = max(f.head, seq)
	}
}
