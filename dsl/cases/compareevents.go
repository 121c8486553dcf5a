package cases

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/agentrun/agentrun/dsl"
)

// events compares what happened.
func (c Case) events(o Outcome) []Problem {
	var problems []Problem
	seen := map[string][]string{}
	counts := map[string]int{}
	starts := []any{}
	for _, event := range o.Events {
		seen[event.Path] = append(seen[event.Path], eventText(event))
		counts[event.Type]++
		if event.Type == "node.start" {
			starts = append(starts, event.Label)
		}
	}
	for path, texts := range c.Expect.Events {
		for _, text := range texts {
			if !slices.Contains(seen[path], text) {
				problems = append(problems, Problem{What: "events at " + path, Want: text, Got: strings.Join(seen[path], ", ")})
			}
		}
	}
	for kind, want := range c.Expect.EventTypes.All() {
		problems = append(problems, differences("event_types/"+kind, want, float64(counts[kind]))...)
	}
	if want := c.Expect.NodeStarts; want.Given {
		problems = append(problems, differences("node_starts", want.Value, starts)...)
	}
	if want := c.Expect.RouteChosen; want.Given {
		problems = append(problems, part("route_chosen_detail", want.Value, firstDetail(o.Events, "route.chosen"))...)
	}
	return problems
}

// eventText is an event as cases write it.
func eventText(event dsl.Event) string {
	parts := []string{event.Type, event.Label}
	for _, key := range map[string][]string{
		"node.end": {"status"}, "loop.exited": {"reason", "iterations"}, "escalate.evaluated": {"fired"},
	}[event.Type] {
		value, _ := event.Detail.Get(key)
		parts = append(parts, plainText(value))
	}
	if event.Type == "route.chosen" {
		chosen, _ := event.Detail.Get("value")
		object, _ := chosen.(*dsl.Object)
		taken, _ := object.Get("taken")
		parts = append(parts, plainText(taken))
	}
	return strings.Join(parts, ":")
}

func plainText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return dsl.JSON(value)
}

func details(events []dsl.Event, kind string) []any {
	found := []any{}
	for _, event := range events {
		if event.Type == kind {
			found = append(found, value(event.Detail))
		}
	}
	return found
}

func firstDetail(events []dsl.Event, kind string) any {
	if found := details(events, kind); len(found) > 0 {
		return found[0]
	}
	return nil
}

// calls compares what was asked of the host.
func (c Case) calls(o Outcome) []Problem {
	var problems []Problem
	for kind, want := range c.Expect.Calls.All() {
		problems = append(problems, differences("calls/"+kind, want, float64(o.Script.Calls(kind)))...)
	}
	numbers := []any{}
	keys := []string{}
	for _, attempt := range o.Script.Attempts() {
		numbers = append(numbers, float64(attempt.Number))
		keys = append(keys, attempt.IdempotencyKey)
	}
	if want := c.Expect.Attempts; want.Given {
		problems = append(problems, differences("attempts", want.Value, numbers)...)
	}
	problems = append(problems, c.keys(keys)...)
	problems = append(problems, each("effect_failed", c.Expect.EffectFailed, details(o.Events, "effect.failed"))...)
	problems = append(problems, each("verify", c.Expect.Verify, details(o.Events, "verify.answered"))...)
	if want := c.Expect.EffectPoll; want.Given {
		polls := []any{}
		for _, detail := range details(o.Events, "effect.poll") {
			object, _ := detail.(*dsl.Object)
			iteration, _ := object.Get("iteration")
			settled, _ := object.Get("settled")
			polls = append(polls, []any{iteration, settled})
		}
		problems = append(problems, differences("effect_poll", want.Value, polls)...)
	}
	return problems
}

// each compares a list of details with what a case expects of each.
func each(what string, want Maybe, got []any) []Problem {
	if !want.Given {
		return nil
	}
	wanted := listOf(want.Value)
	if len(wanted) != len(got) {
		return differences(what, want.Value, got)
	}
	var problems []Problem
	for i := range wanted {
		problems = append(problems, part(fmt.Sprintf("%s/%d", what, i), wanted[i], got[i])...)
	}
	return problems
}

// keys compares the idempotency keys of the attempts.
func (c Case) keys(keys []string) []Problem {
	var problems []Problem
	if want := c.Expect.KeyPreimage; want.Given {
		preimage, _ := want.Value.(string)
		sum := sha256.Sum256([]byte(preimage))
		if key := hex.EncodeToString(sum[:]); !slices.Contains(keys, key) {
			problems = append(problems, Problem{What: "idempotency_key_preimage", Want: key, Got: strings.Join(keys, ", ")})
		}
	}
	distinct := len(slices.Compact(slices.Sorted(slices.Values(keys))))
	if want := c.Expect.SameKey; want.Given && want.Value != any(distinct == 1) {
		problems = append(problems, Problem{What: "same_idempotency_key", Want: dsl.JSON(want.Value), Got: strings.Join(keys, ", ")})
	}
	if want := c.Expect.DistinctKeys; want.Given {
		switch count := want.Value.(type) {
		case bool:
			if count != (distinct == len(keys)) {
				problems = append(problems, Problem{What: "distinct_idempotency_keys", Want: dsl.JSON(count), Got: strings.Join(keys, ", ")})
			}
		default:
			problems = append(problems, differences("distinct_idempotency_keys", count, float64(distinct))...)
		}
	}
	return problems
}
