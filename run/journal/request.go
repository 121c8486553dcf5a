package journal

import (
	"cmp"

	"github.com/agentrun/agentrun/run"
)

// PurposeCompaction marks the requests that summarise a conversation, PurposeHarness those that a command-line agent
// makes for itself (a title, a summary of its own): their answers are no part of the conversation.
const (
	PurposeCompaction = "compaction"
	PurposeHarness    = "harness"
)

func (f *Fold) applyRequest(row run.Row) error {
	switch row.Type {
	case run.RowRequestStarted:
		return f.applyStarted(row)
	case run.RowRequestEnded:
		return f.applyRequestEnded(row)
	case run.RowAnswer:
		return f.applyAnswer(row)
	case run.RowUsage:
		var usage run.UsageRow
		if err := row.Decode(&usage); err != nil {
			return err
		}
		if f.aside {
			return nil
		}
		f.context, f.reasoning = usage.InputTokens+usage.OutputTokens, usage.ReasoningTokens
		f.usage = usage.Usage
	case run.RowCompaction:
		var compaction run.Compaction
		if err := row.Decode(&compaction); err != nil {
			return err
		}
		f.compacted(row.Seq, compaction)
		f.context = 0
		f.compacts++
		f.attempts, f.failures, f.purpose, f.open = 0, 0, "", nil
		f.phase = PhaseRequest
	}
	return nil
}

func (f *Fold) applyStarted(row run.Row) error {
	var started run.RequestStarted
	if err := row.Decode(&started); err != nil {
		return err
	}
	var private run.RequestPrivate
	if err := row.DecodePrivate(&private); err != nil {
		return err
	}
	f.purpose = started.Purpose
	if f.purpose != PurposeHarness { // the turn's request, of which an aside is no attempt, is numbered on
		f.attempts = started.Attempt
	}
	if f.firstAsk == "" {
		f.firstAsk = cmp.Or(private.Asked, private.Digest)
	}
	f.aside = started.Purpose == PurposeHarness
	switch started.Purpose {
	case "":
		f.through, f.lastAsk = private.Through, private.Digest
	case PurposeHarness:
		f.asides++
	}
	switch {
	case started.Impossible != "":
		f.phase = PhaseImpossible
		f.failure = &run.Reason{Code: run.CodeSpendCap, Message: started.Impossible}
		return nil
	case started.CapRefused:
		f.phase, f.refused = PhaseRefused, &started
		return nil
	}
	f.refused = nil
	f.open = &Attempt{Key: row.Key, Started: started}
	if started.Purpose == "" {
		f.began(private.Through)
	}
	return nil
}

func (f *Fold) applyRequestEnded(row run.Row) error {
	var ended run.RequestEnded
	if err := row.Decode(&ended); err != nil {
		return err
	}
	f.open = nil
	if f.purpose == PurposeHarness && !cutByPerson(ended) {
		f.purpose = ""
		return nil
	}
	if ended.Error != nil && ended.Error.Code != run.EndedInterrupted {
		f.failures++
	}
	if ended.Error == nil || !ended.Final {
		return nil
	}
	switch ended.Error.Code {
	case run.EndedStopped, run.EndedCancelled:
		f.phase = PhaseStopped
		if n := len(f.queued); n > 0 && f.queued[n-1].Seq > f.stopSeq {
			f.nextTurn() // a message that came after the stop goes on with the run
		}
	case run.CodeModerated:
		f.phase, f.failure = PhaseModerated, ended.Error
	case run.EndedTooLong:
		if f.purpose == "" && !f.squeezed && f.keepFrom() > 0 {
			// Longer than the model takes, whatever the catalogue says of its window: once shorter, under a turn of its own.
			f.squeezed = true
			f.nextTurn()
			f.phase = PhaseCompact
			return nil
		}
		f.phase, f.failure = PhaseFailed, ended.Error
	default:
		f.phase, f.failure = PhaseFailed, ended.Error
	}
	return nil
}

func cutByPerson(ended run.RequestEnded) bool {
	return ended.Error != nil && (ended.Error.Code == run.EndedStopped || ended.Error.Code == run.EndedCancelled)
}

func (f *Fold) applyAnswer(row run.Row) error {
	var answer run.Answer
	if err := row.Decode(&answer); err != nil {
		return err
	}
	var private run.AnswerPrivate
	if err := row.DecodePrivate(&private); err != nil {
		return err
	}
	f.answered(row.Seq, answer, private)
	f.answer, f.lastAnswer, f.answeredAsk = &answer, &answer, f.lastAsk
	f.steps++
	f.squeezed = false
	switch {
	case answer.ToolCalls > 0:
		f.phase = PhaseTools // its tool_use rows follow in the same commit
	case answer.Refusal != "":
		f.phase = PhaseModerated
		f.failure = &run.Reason{Code: run.CodeModerated, Message: answer.Refusal}
	case answer.Invalid != "":
		if f.invalid++; f.invalid >= maxInvalid {
			f.phase = PhaseInvalid
			f.failure = &run.Reason{Code: run.CodeInvalidOutput, Message: answer.Invalid}
			return nil
		}
		f.nextTurn()
	default:
		f.invalid = 0
		f.phase = PhaseFinal
		f.finals = append(f.finals, answer)
	}
	if f.phase == PhaseFinal && len(f.queued) > 0 {
		f.nextTurn()
	}
	return nil
}
