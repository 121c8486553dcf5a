package cases

import (
	"fmt"

	"github.com/agentrun/agentrun/dsl"
)

// Expect is what must come out of a case. What it leaves out may be anything.
type Expect struct {
	// Valid says whether the document is; IssueCodes must all be among what the validator finds.
	Valid      Maybe
	IssueCodes []string
	// Outcome is complete, escalated or failed; "" where the document is not run.
	Outcome                       string
	Output, State, StateHas, Host Maybe
	Escalation                    Maybe
	ExecutionPath                 Maybe
	ErrorCode, ErrorClass         Maybe
	ErrorReason, ErrorLabel       Maybe
	ErrorPath, ErrorStage         Maybe
	ResponseReason, Interruption  Maybe
	Events                        map[string][]string
	EventTypes                    *dsl.Object
	NodeStarts                    Maybe
	RouteChosen                   Maybe
	Calls                         *dsl.Object
	Attempts, EffectFailed        Maybe
	EffectPoll, Verify            Maybe
	KeyPreimage                   Maybe
	SameKey, DistinctKeys         Maybe
	DryRun                        Maybe
}

func (r *reader) expect(fields *dsl.Object) Expect {
	if !fields.Has("expect") {
		r.fail("it has no expect")
	}
	o := r.field(fields, "expect", "valid", "issue_codes", "outcome", "output", "state", "state_has", "host", "escalation",
		"execution_path", "error_code", "error_class", "error_reason", "error_label", "error_path", "error_stage",
		"response_reason", "interruption", "events", "event_types", "node_starts", "route_chosen_detail", "calls",
		"attempts", "effect_failed", "effect_poll", "verify", "idempotency_key_preimage", "same_idempotency_key",
		"distinct_idempotency_keys", "dry_run")
	e := Expect{
		Valid: maybe(o, "valid"), IssueCodes: r.texts(o, "issue_codes"), Outcome: r.text(o, "outcome"),
		Output: maybe(o, "output"), State: maybe(o, "state"), StateHas: maybe(o, "state_has"), Host: maybe(o, "host"),
		Escalation: maybe(o, "escalation"), ExecutionPath: maybe(o, "execution_path"),
		ErrorCode: maybe(o, "error_code"), ErrorClass: maybe(o, "error_class"), ErrorReason: maybe(o, "error_reason"),
		ErrorLabel: maybe(o, "error_label"), ErrorPath: maybe(o, "error_path"), ErrorStage: maybe(o, "error_stage"),
		ResponseReason: maybe(o, "response_reason"), Interruption: maybe(o, "interruption"),
		EventTypes: r.field(o, "event_types", "*"), NodeStarts: maybe(o, "node_starts"),
		RouteChosen: maybe(o, "route_chosen_detail"), Calls: r.field(o, "calls", "gen", "judge", "effect"),
		Attempts: maybe(o, "attempts"), EffectFailed: maybe(o, "effect_failed"), EffectPoll: maybe(o, "effect_poll"),
		Verify: maybe(o, "verify"), KeyPreimage: maybe(o, "idempotency_key_preimage"),
		SameKey: maybe(o, "same_idempotency_key"), DistinctKeys: maybe(o, "distinct_idempotency_keys"),
		DryRun: maybe(o, "dry_run"), Events: map[string][]string{},
	}
	events := r.field(o, "events", "*")
	for path := range events.All() {
		e.Events[path] = r.texts(events, path)
	}
	switch e.Outcome {
	case "", "complete", "escalated", "failed":
	default:
		r.fail(fmt.Sprintf("outcome is %q, which is none of complete, escalated and failed", e.Outcome))
	}
	return e
}
