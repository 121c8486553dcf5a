package activities

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/tools"
)

// answered makes every row of an answered attempt: its end, its usage, and what its answer says. They are written in
// one commit, so an answer that was paid for is never half there.
func (t *thread) answered(ended *run.RequestEnded, out *outgoing, answer models.Answer) []run.Row {
	usage := run.UsageRow{Node: t.node, Request: out.id, Model: out.request.Model.ID, Usage: answer.Usage}
	switch price := out.request.Model.Price; {
	case answer.NoUsage:
		ended.UnknownSpend = true // an answer without usage: nobody knows what it cost
	case price != nil:
		cost := price.Cost(answer.Usage)
		usage.CostUSD, ended.CostUSD = &cost, &cost
	}
	return append([]run.Row{
		run.NewRow(run.RowRequestEnded, out.key("end"), ended, nil),
		run.NewRow(run.RowUsage, out.id+"/usage", usage, nil),
	}, out.record(out, answer)...)
}

// recordAnswer makes the rows of a turn's answer and of the calls it asks for.
func (t *thread) recordAnswer(out *outgoing, answer models.Answer) []run.Row {
	body := run.Answer{
		Node: t.node, Request: out.id, Text: answer.Text, ToolCalls: len(answer.Calls), Refusal: answer.Refusal,
		Truncated: answer.Stop == models.StopLength,
	}
	if answer.Stop == models.StopRefusal && body.Refusal == "" {
		body.Refusal = "the model declined to answer"
	}
	var rows []run.Row
	if len(answer.Calls) == 0 && body.Refusal == "" {
		body.Output, body.Invalid = t.typed(answer.Text)
		if body.Invalid != "" {
			rows = append(rows, t.warning(out, "invalid_output", "the answer is not the typed output: "+body.Invalid))
		} else if body.Truncated {
			rows = append(rows, t.warning(out, "answer_truncated", "the answer was cut at its output limit"))
		}
	}
	private := run.AnswerPrivate{API: out.request.Model.API, Native: answer.Native}
	rows = append([]run.Row{run.NewRow(run.RowAnswer, out.id+"/answer", body, private)}, rows...)
	return append(rows, t.callRows(out, answer)...)
}

func (t *thread) warning(out *outgoing, code, message string) run.Row {
	return run.NewRow(run.RowWarning, out.id+"/"+code, run.Warning{Node: t.node, Code: code, Message: message}, nil)
}

// callRows makes the rows of an answer's tool calls. A truncated answer's calls may be cut anywhere: they are refused.
func (t *thread) callRows(out *outgoing, answer models.Answer) []run.Row {
	calls := make([]tools.Call, 0, len(answer.Calls))
	for _, call := range answer.Calls {
		calls = append(calls, tools.Call{ID: call.ID, Name: call.Name, Args: call.Args})
	}
	truncated := answer.Stop == models.StopLength
	var proofs []*run.ToolProof
	if !truncated {
		proofs = tools.Plan(t.workspace, t.offered(calls))
		t.mu.Lock()
		t.ownTurn = out.begin.Started.Turn
		t.mu.Unlock()
	}
	var uses, refusals []run.Row
	for i, call := range calls {
		use := run.ToolUse{
			Node: t.node, Request: out.id, CallID: call.ID, Name: call.Name, Args: call.Args, Replay: replayOf(call.Name),
		}
		var proof any
		if !truncated && proofs[i] != nil {
			proof = proofs[i]
		}
		uses = append(uses, run.NewRow(run.RowToolUse, callKey(out.id, i, "use"), use, proof))
		if truncated {
			refusals = append(refusals, run.NewRow(run.RowToolResult, callKey(out.id, i, "result"), run.ToolResult{
				Node: t.node, CallID: call.ID, Name: call.Name,
				Content: "Not run: the answer was cut at its output limit, so this call may be incomplete. Ask again.",
			}, nil))
		}
	}
	return append(uses, refusals...)
}

// offered blanks the names of tools the run does not have, so that nothing is planned for them.
func (t *thread) offered(calls []tools.Call) []tools.Call {
	offered := make([]tools.Call, len(calls))
	for i, call := range calls {
		offered[i] = call
		if !t.has(call.Name) {
			offered[i].Name = ""
		}
	}
	return offered
}

func (t *thread) has(tool string) bool {
	return slices.Contains(t.brief.tools, tool)
}

func replayOf(name string) run.Replay {
	if tool, ok := tools.Lookup(name); ok {
		return tool.Replay
	}
	return run.ReplaySafe // an unknown tool has no effect
}

func callKey(request string, index int, part string) string {
	return fmt.Sprintf("%s/call%d/%s", request, index, part)
}

// typed reads an answer's text as the run's typed output; invalid says why it is none.
func (t *thread) typed(text string) (output json.RawMessage, invalid string) {
	if t.brief.output == nil {
		return nil, ""
	}
	output, invalid = t.brief.output(text)
	return output, bounded(invalid)
}

// typed reads a text as a value of a schema.
func typed(schema *jsonschema.Schema, text string) (output json.RawMessage, invalid string) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		return nil, "it is not JSON (" + err.Error() + ")"
	}
	if err := schema.Validate(value); err != nil {
		return nil, err.Error()
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return nil, "it is not JSON (" + err.Error() + ")"
	}
	return compact.Bytes(), ""
}

// bounded keeps a reason short enough for a row and a prompt.
func bounded(text string) string {
	const limit = 1000
	if len(text) <= limit {
		return text
	}
	return text[:limit] + "…"
}
