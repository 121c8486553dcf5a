package journal

import "github.com/agentrun/agentrun/run"

// NewSession is the fold of a session that was asked something and has no rows.
func NewSession(prompt string) *Fold {
	f := newSession()
	f.Prompt(prompt)
	return f
}

// Opening are the messages of a session's first request.
func (f *Fold) Opening() []Item { return f.items }

// newSession is the fold of a session that has been asked something. What it was asked is not in its rows: the
// interpretation of the document gives it again (Prompt).
func newSession() *Fold {
	f := &Fold{}
	f.items = []Item{{Role: RoleUser}}
	f.nextTurn()
	return f
}

// Prompt sets what the session was asked.
func (f *Fold) Prompt(text string) {
	if len(f.items) > 0 && f.items[0].Seq == 0 {
		f.items[0].Text = text
	}
}

// Finals are the session's final answers, oldest first: one, and one more for each review that sent it back.
func (f *Fold) Finals() []run.Answer { return f.finals }

// applyReview sends the session back to work with a review's feedback.
func (f *Fold) applyReview(row run.Row) error {
	var review run.Reviewed
	if err := row.Decode(&review); err != nil {
		return err
	}
	if review.Feedback == "" {
		return nil
	}
	f.items = append(f.items, Item{Seq: row.Seq, Role: RoleUser, Text: review.Feedback})
	if f.phase == PhaseFinal {
		f.nextTurn()
	}
	return nil
}

// released has a refused request looked at again.
func (f *Fold) released() {
	if f.phase == PhaseRefused {
		f.phase = PhaseRequest
	}
}

// restarted has a request that a person cut made again.
func (f *Fold) restarted() {
	if f.phase == PhaseStopped {
		f.phase = PhaseRequest
	}
}
