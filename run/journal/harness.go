package journal

import (
	"slices"

	"github.com/agentrun/agentrun/run"
)

func (f *Fold) applyHarness(row run.Row) error {
	if row.Type == run.RowHarnessFailed {
		var failed run.HarnessFailed
		if err := row.Decode(&failed); err != nil {
			return err
		}
		f.phase, f.failure = PhaseFailed, &run.Reason{Code: failed.Code, Message: failed.Message}
		return nil
	}
	var on run.HarnessContinued
	if err := row.Decode(&on); err != nil {
		return err
	}
	f.items = append(f.items, Item{Seq: row.Seq, Role: RoleUser, Text: on.Words})
	if f.phase == PhaseFinal {
		f.nextTurn()
	}
	return nil
}

// Answered is the answer the model gave last, as it was recorded.
type Answered struct {
	run.Answer
	// Digest stands for the request that it answers.
	Digest string
	// Item is the answer in the conversation.
	Item  Item
	Usage run.Usage
}

// Newest is the newest answer of the conversation; ok is false where there is none yet.
func (f *Fold) Newest() (answered Answered, ok bool) {
	for _, item := range slices.Backward(f.items) {
		if item.Role == RoleAssistant && f.lastAnswer != nil {
			return Answered{Answer: *f.lastAnswer, Digest: f.answeredAsk, Item: item, Usage: f.usage}, true
		}
	}
	return Answered{}, false
}

// Asking is the digest of the present turn's last attempt, "" where none began.
func (f *Fold) Asking() string { return f.lastAsk }

// Asides counts the requests that a command-line agent made beside the conversation: it names the next one.
func (f *Fold) Asides() int { return f.asides }

// ResultOf is the result of the newest call with the id. asked is false where no answer asked for such a call; a call
// that is asked for and not done has no result yet.
func (f *Fold) ResultOf(callID string) (result Item, asked, done bool) {
	for _, call := range slices.Backward(f.calls) {
		if call.ID == callID {
			if !call.Done {
				return Item{}, true, false
			}
			if f.results != nil {
				return f.results[call.Index], true, true
			}
			break
		}
	}
	for _, item := range slices.Backward(f.items) {
		if item.Role == RoleTool && item.CallID == callID {
			return item, true, true
		}
	}
	return Item{}, false, false
}
