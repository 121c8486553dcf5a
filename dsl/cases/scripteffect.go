package cases

import (
	"context"
	"errors"
	"time"

	"github.com/agentrun/agentrun/dsl"
)

// settleGrace is how long a scripted effect may take to settle once its deadline passed.
const settleGrace = 20 * time.Millisecond

// maxScriptedSeconds cuts the deadlines of scripted effects: an answer is there at once or never.
const maxScriptedSeconds = 0.02

// Effect answers one attempt of a call within its deadline.
func (s *Script) Effect(ctx context.Context, ask dsl.Attempt) (any, error) {
	fake, err := s.take("effect", ask.Path, s.fakes.Effect)
	if err != nil {
		return nil, err
	}
	s.mutex.Lock()
	s.attempts = append(s.attempts, ask)
	s.mutex.Unlock()
	if err := s.meet(ctx, ask.Path); err != nil {
		return nil, err
	}
	s.expects(fake, "expect_input", ask.Path, ask.Input)
	if result, ok := fake.Get("result"); ok {
		return result, nil
	}
	if thrown, ok := fake.Get("throw"); ok {
		return nil, effectError(thrown)
	}
	seconds := min(ask.DeadlineSeconds, maxScriptedSeconds)
	return dsl.Bounded(ctx, seconds, settleGrace, func(ctx context.Context) (any, error) {
		<-ctx.Done()
		if rejection, ok := fake.Get("reject_on_abort"); ok {
			return nil, effectError(rejection)
		}
		<-s.closed            // pending for as long as the script lives
		return nil, ctx.Err() //nolint:wrapcheck // nobody is told
	})
}

func effectError(thrown any) error {
	fields, ok := thrown.(*dsl.Object)
	if !ok {
		return errors.New("the case's throw is no object") //nolint:err113 // for the author of a case
	}
	failure := &dsl.EffectError{}
	for key, value := range fields.All() {
		text, _ := value.(string)
		switch key {
		case "message":
			failure.Message = text
		case "retry_class":
			failure.Class = text
		case "code":
			failure.Code = text
		case "detail":
			failure.Detail, _ = value.(*dsl.Object)
		}
	}
	return failure
}
