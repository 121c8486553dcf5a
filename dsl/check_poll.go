package dsl

import "slices"

const minInterval = 0.1

func (c *checker) retry(node *Object, at *place) {
	retry, given := object(node, "retry")
	if !given {
		return
	}
	inner := at.at(".retry")
	c.count(retry, "attempts", inner, "call_retry_attempts")
	c.within(retry, "backoff_s", inner, "call_retry_backoff", func(n float64) bool { return n >= 0 })
	allowed := retryable()
	for _, item := range list(retry, "on") {
		if name, ok := item.(string); !ok || !slices.Contains(allowed, name) {
			c.reportf(inner, "call_retry_on", "on has %s", quoted(item))
		}
	}
}

func (c *checker) poll(node *Object, result known, at *place) {
	if !node.Has("poll") {
		return
	}
	inner := at.at(".poll")
	poll, ok := object(node, "poll")
	if !ok {
		c.reportf(inner, "call_poll_object", "poll is %s", absentOr(node, "poll"))
		return
	}
	if until, _ := object(poll, "until"); until == nil {
		c.reportf(inner, "call_poll_until", "until is %s", absentOr(poll, "until"))
	} else {
		c.pollCondition(until, result, inner.at(".until"))
	}
	if poll.Has("fail_when") {
		fail, _ := object(poll, "fail_when")
		c.pollCondition(fail, result, inner.at(".fail_when"))
	}
	c.pollTimes(node, poll, inner)
}

// pollCondition checks a condition over the result of a call.
func (c *checker) pollCondition(p *Object, result known, at *place) {
	if !c.predicate(p, at, false) {
		return
	}
	path := text(p, "path")
	if text(p, "predicate") == "no_new_items" {
		path = text(p, "key")
	}
	if segment, ok := result.excludes(path); !ok {
		c.reportf(at, "call_poll_path", "the condition reads %q, but the result has no %q", clip(path), clip(segment))
	}
}

func (c *checker) pollTimes(node, poll *Object, at *place) {
	interval, _ := poll.Get("interval_s")
	if n, ok := interval.(float64); !ok || n < minInterval {
		c.reportf(at, "call_poll_interval", "interval_s is %s", absentOrQuoted(poll, "interval_s"))
	}
	deadline, _ := poll.Get("deadline_s")
	if n, ok := deadline.(float64); !ok || n < number(node, "deadline_s", 0) {
		c.reportf(at, "call_poll_deadline", "poll.deadline_s is %s and deadline_s %s", absentOrQuoted(poll, "deadline_s"),
			absentOrQuoted(node, "deadline_s"))
	}
}
