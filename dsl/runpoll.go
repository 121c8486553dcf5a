package dsl

import "fmt"

// poll repeats the call until its result is what was waited for, is a failure, or the time is over. The time is the
// host's, read off its attempts and the waits between them.
func (c *calling) poll() (any, error) {
	poll := c.node.Poll
	for iteration := 1; ; iteration++ {
		left := poll.DeadlineSeconds - c.elapsed
		c.ask.DeadlineSeconds = min(c.node.DeadlineSeconds, left)
		result, err := c.once()
		if err != nil {
			return nil, err
		}
		c.elapsed = max(c.elapsed, c.clock.seconds())
		settled, err := c.settled(result)
		if err != nil {
			return nil, err
		}
		if settled == "" && c.elapsed+poll.IntervalSeconds > poll.DeadlineSeconds {
			settled = "deadline"
		}
		c.in.emit(c.at, c.node, "effect.poll", ObjectOf("via", c.node.Via, "iteration", float64(iteration),
			"settled", textOrNull(settled), "elapsed_ms", float64(int64(c.elapsed*1000))))
		if settled != "" {
			return c.polled(settled, result)
		}
		if err := c.pause("poll", poll.IntervalSeconds); err != nil {
			return nil, err
		}
		c.elapsed += poll.IntervalSeconds
	}
}

// settled says what a result comes to: fail_when, until, or nothing yet.
func (c *calling) settled(result any) (string, error) {
	if when := c.node.Poll.FailWhen; when != nil {
		failed, err := c.in.condition(c.at, c.node, when, result)
		if failed || err != nil {
			return "fail_when", err
		}
	}
	done, err := c.in.condition(c.at, c.node, c.node.Poll.Until, result)
	if done {
		return "until", err
	}
	return "", err
}

func (c *calling) polled(settled string, result any) (any, error) {
	switch settled {
	case "until":
		return result, nil
	case "fail_when":
		return nil, c.failure(&EffectError{Message: "the poll's fail_when holds of the result"})
	default:
		return nil, c.failure(&EffectError{
			Class:   "timeout",
			Message: fmt.Sprintf("the poll's deadline of %g seconds passed before until held", c.node.Poll.DeadlineSeconds),
		})
	}
}
