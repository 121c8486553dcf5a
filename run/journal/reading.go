package journal

import (
	"slices"

	"github.com/agentrun/agentrun/run"
)

// compactMargin and compactKeep are the tokens below the context window at which a conversation is summarised, and
// those of its end that are kept as they were.
const (
	compactMargin = 16_384
	compactKeep   = 20_000
	bytesPerToken = 4
)

// Position is where the run stands. window is the model's context window in tokens (0: unknown, never compacted).
func (f *Fold) Position(window int64) Position {
	position := Position{
		Version: f.version, Phase: f.phase, Turn: f.turn, Inbox: f.inbox(), Steps: f.steps,
		SpentUSD: f.Ledger.Known.String(),
	}
	for i := range f.calls {
		if !f.calls[i].Done {
			position.Calls = append(position.Calls, PendingCall{Index: i, Name: f.calls[i].Name})
		}
	}
	if f.ended {
		position.Phase = PhaseEnded
		return position
	}
	if f.phase == PhaseRequest && f.overflows(window) {
		position.Phase = PhaseCompact
	}
	return position
}

// inbox is what people asked of the run and it has not obeyed.
func (f *Fold) inbox() Inbox {
	return Inbox{Cancel: f.Cancelling, Stop: f.stop, Pause: f.Holding}
}

func (f *Fold) overflows(window int64) bool {
	if window <= 0 || f.attempts > 0 && f.purpose == "" {
		return false // a request that began is sent as it was built
	}
	limit := max(window-compactMargin, window/2)
	return f.context > limit && f.keepFrom() > 0
}

// keepFrom is the seq from which a compaction keeps the conversation, or 0 where there is nothing to summarise. An
// answer and its tool results share a seq, so they are never parted.
func (f *Fold) keepFrom() int64 {
	if len(f.items) == 0 {
		return 0
	}
	keep, size := f.items[len(f.items)-1].Seq, int64(0)
	for _, item := range slices.Backward(f.items) {
		if size += itemSize(item); size > compactKeep*bytesPerToken {
			break
		}
		keep = item.Seq
	}
	if keep <= f.items[0].Seq {
		return 0
	}
	return keep
}

func itemSize(item Item) int64 {
	size := int64(len(item.Text) + len(item.Native))
	for _, call := range item.Calls {
		size += int64(len(call.Args))
	}
	return size
}

// Compaction is the part of the conversation to summarise, and the seq from which the rest is kept.
func (f *Fold) Compaction() (items []Item, keepFrom int64) {
	keepFrom = f.keepFrom()
	for _, item := range f.items {
		if item.Seq < keepFrom {
			items = append(items, item)
		}
	}
	return items, keepFrom
}

// Compactions counts the summaries so far: it names the next one.
func (f *Fold) Compactions() int { return f.compacts }

// Messages are what the present turn's request sends, and the seq they were built through. A request that began
// before is built from the same rows again.
func (f *Fold) Messages() (items []Item, through int64) {
	through = f.through
	if through == 0 {
		through = f.head
	}
	items = append(items, f.items...)
	for _, item := range f.queued {
		if item.Seq <= through {
			items = append(items, item)
		}
	}
	return items, through
}

// Attempts counts the attempts begun at the present request.
func (f *Fold) Attempts() int { return f.attempts }

// Failures counts the attempts at the present request that the provider failed; those a crash cut are not its fault.
func (f *Fold) Failures() int { return f.failures }

// Open is the attempt that has begun and not ended, or nil.
func (f *Fold) Open() *Attempt { return f.open }

// Failure is why the run cannot go on, where Phase says so.
func (f *Fold) Failure() *run.Reason { return f.failure }

// LastAnswer is the present turn's answer, or nil.
func (f *Fold) LastAnswer() *run.Answer { return f.answer }

// CallAt is the call of the present turn with the index, or nil.
func (f *Fold) CallAt(index int) *Call {
	if index < 0 || index >= len(f.calls) {
		return nil
	}
	return &f.calls[index]
}

// LaterProofs are the proofs of the present turn's calls after index.
func (f *Fold) LaterProofs(index int) []run.ToolProof {
	var proofs []run.ToolProof
	for i := index + 1; i < len(f.calls); i++ {
		if f.calls[i].Proof != nil {
			proofs = append(proofs, *f.calls[i].Proof)
		}
	}
	return proofs
}
