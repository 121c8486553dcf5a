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
func (s *session) answered(ended *run.RequestEnded, out *outgoing, answer models.Answer) []run.Row {
	usage := run.UsageRow{Request: out.id, Model: out.request.Model.ID, Usage: answer.Usage}
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
func (s *session) recordAnswer(out *outgoing, answer models.Answer) []run.Row {
	body := run.Answer{
		Request: out.id, Text: answer.Text, ToolCalls: len(answer.Calls), Refusal: answer.Refusal,
		Truncated: answer.Stop == models.StopLength,
	}
	if answer.Stop == models.StopRefusal && body.Refusal == "" {
		body.Refusal = "the model declined to answer"
	}
	var rows []run.Row
	if len(answer.Calls) == 0 && body.Refusal == "" {
		body.Output, body.Invalid = s.typed(answer.Text)
		if body.Invalid != "" {
			rows = append(rows, warning(out, "invalid_output", "the answer is not the typed output: "+body.Invalid))
		} else if body.Truncated {
			rows = append(rows, warning(out, "answer_truncated", "the answer was cut at its output limit"))
		}
	}
	private := run.AnswerPrivate{API: out.request.Model.API, Native: answer.Native}
	rows = append([]run.Row{run.NewRow(run.RowAnswer, out.id+"/answer", body, private)}, rows...)
	return append(rows, s.callRows(out, answer)...)
}

func warning(out *outgoing, code, message string) run.Row {
	return run.NewRow(run.RowWarning, out.id+"/"+code, run.Warning{Code: code, Message: message}, nil)
}

// callRows makes the rows of an answer's tool calls. A truncated answer's calls may be cut anywhere: they are refused.
func (s *session) callRows(out *outgoing, answer models.Answer) []run.Row {
	calls := make([]tools.Call, 0, len(answer.Calls))
	for _, call := range answer.Calls {
		calls = append(calls, tools.Call{ID: call.ID, Name: call.Name, Args: call.Args})
	}
	truncated := answer.Stop == models.StopLength
	var proofs []*run.ToolProof
	if !truncated {
		proofs = tools.Plan(s.workspace, s.offered(calls))
		s.mu.Lock()
		s.ownTurn = out.begin.Started.Turn
		s.mu.Unlock()
	}
	var uses, refusals []run.Row
	for i, call := range calls {
		use := run.ToolUse{
			Request: out.id, CallID: call.ID, Name: call.Name, Args: call.Args, Replay: replayOf(call.Name),
		}
		var proof any
		if !truncated && proofs[i] != nil {
			proof = proofs[i]
		}
		uses = append(uses, run.NewRow(run.RowToolUse, callKey(out.id, i, "use"), use, proof))
		if truncated {
			refusals = append(refusals, run.NewRow(run.RowToolResult, callKey(out.id, i, "result"), run.ToolResult{
				CallID: call.ID, Name: call.Name,
				Content: "Not run: the answer was cut at its output limit, so this call may be incomplete. Ask again.",
			}, nil))
		}
	}
	return append(uses, refusals...)
}

// offered blanks the names of tools the run does not have, so that nothing is planned for them.
func (s *session) offered(calls []tools.Call) []tools.Call {
	offered := make([]tools.Call, len(calls))
	for i, call := range calls {
		offered[i] = call
		if !s.has(call.Name) {
			offered[i].Name = ""
		}
	}
	return offered
}

func (s *session) has(tool string) bool {
	return slices.Contains(s.opened.Config.Tools, tool)
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

// compileOutput compiles a definition's output schema; nil where there is none.
func compileOutput(schema json.RawMessage) (*jsonschema.Schema, error) {
	if len(schema) == 0 || bytes.Equal(bytes.TrimSpace(schema), []byte("null")) {
		return nil, nil
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, run.Errorf(run.ErrInvalid, "definition.output: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("output.json", document); err != nil {
		return nil, run.Errorf(run.ErrInvalid, "definition.output: %w", err)
	}
	return compiler.Compile("output.json")
}

// typed reads an answer's text as the run's typed output; invalid says why it is none.
func (s *session) typed(text string) (output json.RawMessage, invalid string) {
	if s.output == nil {
		return nil, ""
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		return nil, "it is not JSON (" + bounded(err.Error()) + ")"
	}
	if err := s.output.Validate(value); err != nil {
		return nil, bounded(err.Error())
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return nil, "it is not JSON (" + bounded(err.Error()) + ")"
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
