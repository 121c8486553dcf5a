// Package cases tests workflow documents without a model: a case is a JSON file with a document, an input, scripted
// answers and what must come out. Run interprets the document on the scripted answers and says, one Problem each, what
// came out otherwise.
//
// The answers are a Script, which any host may answer from: the one here (Host), or a durable one that is to be shown to
// give the same results. It holds no rule of the language; those are package dsl's.
//
// # The fields of a case
//
// name, source, note and kinds say what the case is about. workflow is the document, or workflow_file names a file that
// holds it, beside the case. input is what it runs on. A field that is not named here is refused.
//
// validate_with says what the document is validated with: the keys of the input where it is absent, nothing for "none",
// or {"inputKeys": […]}, {"input": {…}}.
//
// deps are the host's settings: sop (a procedure text), skill, maxQuestionsPerRequest.
//
// fakes are the answers, by execution path (/root/steps/1/items/0/body). A path has one answer, given every time, or a
// list, given in order:
//
//   - gen: {submission} or {markdown} of a report, host for what the host's policy decodes beside it, drafts to hand to
//     the review first. expect_user, expect_system, expect_tools and expect_item check what the model would be given.
//   - judge: {answers}, or {items: [{answers}…]}, one for each item of a sift, whichever request asks for it; model and
//     cost_usd. expect_state, expect_questions (a part of them), expect_question_ids, expect_criteria, expect_kind and
//     expect_label check what the judge would be asked.
//   - effect: {result}, {throw: {message, retry_class, code, detail}}, {pending: true} for one that never settles, or
//     {reject_on_abort: {message, retry_class}} for one that fails when it is told to stop. expect_input checks what it
//     would be given.
//   - code says what code returns, for readers; after is a patch of the host's policy after a node; barrier lists paths
//     none of which is answered before all were asked; absent_adapters names what the host lacks: runNode, runJudge,
//     runEffect.
//
// expect says what must come out; what it leaves out may be anything:
//
//   - valid, and issue_codes, which must all be among those found.
//   - outcome (complete, escalated, failed), output, state or state_has (a part), host, escalation and execution_path.
//   - error_code, error_class, error_stage, error_label, error_path, error_reason, response_reason, interruption; null is
//     for one that the failure does not have.
//   - events ({path: ["node.start:label", "node.end:label:ok", "loop.exited:label:condition_met:2",
//     "escalate.evaluated:label:true", "route.chosen:label:branch"]}), which must have happened there; event_types, how
//     often each did; node_starts, the labels in order; route_chosen_detail.
//   - calls ({gen, judge, effect}), attempts (their numbers), effect_failed, effect_poll ([[iteration, settled]…]),
//     verify (what each review said), idempotency_key_preimage, same_idempotency_key, distinct_idempotency_keys.
//   - dry_run ({ok, stage, skipped}), of a dry run on a made input.
package cases
