package faux

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
)

const everyKind = `
rules:
  - name: text
    when: {user: text}
    reply: {text: "Grüße \"quoted\"\n<b>", chunks: 3, usage: {input: 100, cached: 40, cache_write: 10, output: 7, reasoning: 2}}
  - name: calls
    when: {user: calls}
    replies:
      - text: Two files.
        reasoning: Both at once.
        tool_calls:
          - {name: write, args: {path: a.txt, content: "A\n"}}
          - {name: write, args: {path: b.txt, content: "{{user}} {{step}}"}}
      - text: "Done: {{tool_result}}"
  - name: refusal
    when: {user: refusal}
    reply: {refusal: I will not.}
  - name: output
    when: {user: output, wants_output: true}
    reply: {output: {answer: 42, why: [because]}}
  - name: length
    when: {user: length}
    reply: {text: This is as far as, stop: length}
  - name: filtered
    when: {user: filtered}
    reply: {text: Hm, stop: content_filter}
  - name: busy
    when: {user: busy}
    reply: {status: 429, headers: {retry-after: "7"}, error: {message: Slow down.}}
  - name: down
    when: {user: down}
    reply: {status: 529}
  - name: cut
    when: {user: cut}
    reply: {text: This will not be whole., fault: {kind: cut, mid_event: true, after_events: 2}}
  - name: failing
    when: {user: failing}
    reply: {text: This will fail., fault: {kind: error, after_events: 2}, error: {code: server_error, message: The model fell over.}}
  - name: garbage
    when: {user: garbage}
    reply: {text: This has garbage., fault: {kind: garbage}}
`

func asText(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: "faux-1",
		Input: responses.ResponseNewParamsInputUnion{OfString: param.NewOpt(text)},
	}
}

// streamed is what a streamed response came to.
type streamed struct {
	kinds []string
	text  string
	args  []string
	last  responses.Response
	err   error
}

func collect(stream *ssestream.Stream[responses.ResponseStreamEventUnion]) streamed {
	var got streamed
	for stream.Next() {
		event := stream.Current()
		got.kinds = append(got.kinds, event.Type)
		switch event.Type {
		case "response.output_text.delta", "response.refusal.delta":
			got.text += event.Delta
		case "response.function_call_arguments.done":
			got.args = append(got.args, event.Arguments)
		case "response.completed", "response.incomplete", "response.failed":
			got.last = event.Response
		}
	}
	got.err = stream.Err()
	return got
}

func TestResponsesText(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})
	client := server.openAI()

	whole, err := client.Responses.New(t.Context(), asText("text"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "Grüße \"quoted\"\n<b>"
	if whole.OutputText() != want || whole.Status != "completed" || whole.Model != "faux-1" {
		t.Errorf("whole: %q, %s, model %s", whole.OutputText(), whole.Status, whole.Model)
	}
	usage := whole.Usage
	got := []int64{
		usage.InputTokens, usage.InputTokensDetails.CachedTokens, usage.InputTokensDetails.CacheWriteTokens,
		usage.OutputTokens, usage.OutputTokensDetails.ReasoningTokens, usage.TotalTokens,
	}
	if diff := cmp.Diff([]int64{100, 40, 10, 7, 2, 107}, got); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}

	stream := collect(client.Responses.NewStreaming(t.Context(), asText("text")))
	if stream.err != nil {
		t.Fatal(stream.err)
	}
	kinds := []string{
		"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
		"response.output_text.delta", "response.output_text.delta", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
	}
	if diff := cmp.Diff(kinds, stream.kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if stream.text != want || stream.last.OutputText() != want || stream.last.Usage.OutputTokens != 7 {
		t.Errorf("streamed: %q, then %q, %d tokens", stream.text, stream.last.OutputText(), stream.last.Usage.OutputTokens)
	}
}

func TestResponsesToolCalls(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})
	client := server.openAI()
	request := asText("calls")
	request.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}

	stream := collect(client.Responses.NewStreaming(t.Context(), request))
	if stream.err != nil {
		t.Fatal(stream.err)
	}
	args := []string{`{"path":"a.txt","content":"A\n"}`, `{"path":"b.txt","content":"calls 0"}`}
	if diff := cmp.Diff(args, stream.args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	input := make([]responses.ResponseInputItemUnionParam, 0, 10)
	input = append(input, responses.ResponseInputItemParamOfMessage("calls", responses.EasyInputMessageRoleUser))
	kinds := make([]string, 0, 4)
	for _, item := range stream.last.Output {
		kinds = append(kinds, item.Type)
		input = append(input, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
		if item.Type == "reasoning" && item.EncryptedContent == "" {
			t.Error("the reasoning item has no encrypted content")
		}
	}
	if diff := cmp.Diff([]string{"reasoning", "message", "function_call", "function_call"}, kinds); diff != "" {
		t.Fatalf("items (-want +got):\n%s", diff)
	}
	first, second := stream.last.Output[2], stream.last.Output[3]
	if first.CallID == second.CallID {
		t.Errorf("both calls have the id %s", first.CallID)
	}
	input = append(input,
		functionOutput(first.CallID, "wrote a"), functionOutput(second.CallID, "wrote b"))
	answer, err := client.Responses.New(t.Context(), responses.ResponseNewParams{
		Model: "faux-1",
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: input},
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer.OutputText() != "Done: wrote b" {
		t.Errorf("the answer to the results is %q", answer.OutputText())
	}
	records := server.await(t, ended(2))
	if records[0].Conversation != records[1].Conversation || records[1].Turn != 1 || records[1].ConversationRequest != 2 {
		t.Errorf("records: %+v", records)
	}
}

func functionOutput(callID, text string) responses.ResponseInputItemUnionParam {
	item := responses.ResponseInputItemParamOfFunctionCallOutput(text)
	item.OfFunctionCallOutput.CallID = param.NewOpt(callID)
	return item
}

func TestResponsesEndings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		status, reason, text, lastEvent string
	}{
		"length":   {"incomplete", "max_output_tokens", "This is as far as", "response.incomplete"},
		"filtered": {"incomplete", "content_filter", "Hm", "response.incomplete"},
		"refusal":  {"completed", "", "I will not.", "response.completed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := setup(t, everyKind, Options{}).openAI()
			stream := collect(client.Responses.NewStreaming(t.Context(), asText(name)))
			if stream.err != nil {
				t.Fatal(stream.err)
			}
			if stream.kinds[len(stream.kinds)-1] != want.lastEvent || stream.text != want.text ||
				string(stream.last.Status) != want.status || stream.last.IncompleteDetails.Reason != want.reason {
				t.Errorf("streamed: %v, %q, %s, %q", stream.kinds, stream.text, stream.last.Status, stream.last.IncompleteDetails.Reason)
			}
			whole, err := client.Responses.New(t.Context(), asText(name))
			if err != nil {
				t.Fatal(err)
			}
			part := whole.Output[0].Content[0]
			if part.Text+part.Refusal != want.text || string(whole.Status) != want.status {
				t.Errorf("whole: %q, %s", part.Text+part.Refusal, whole.Status)
			}
		})
	}
}

func TestResponsesStructuredOutput(t *testing.T) {
	t.Parallel()
	client := setup(t, everyKind, Options{}).openAI()
	request := asText("output")
	request.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("answer", map[string]any{"type": "object"})
	answer, err := client.Responses.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"answer":42,"why":["because"]}`; answer.OutputText() != want {
		t.Errorf("output is %s, want %s", answer.OutputText(), want)
	}
}

func TestResponsesRefusedRequests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		status              int
		code, message, wait string
	}{
		"busy":                     {429, "rate_limit_exceeded", "Slow down.", "7"},
		"down":                     {529, "overloaded", "Overloaded", ""},
		"nobody wrote a rule here": {400, "no_rule_matches", "no rule of the script matches this request (responses, model \"faux-1\", turn 0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := setup(t, everyKind, Options{}).openAI()
			_, err := client.Responses.New(t.Context(), asText(name))
			checkOpenAIError(t, err, want.status, want.code, want.message, want.wait)
			stream := collect(client.Responses.NewStreaming(t.Context(), asText(name)))
			checkOpenAIError(t, stream.err, want.status, want.code, want.message, want.wait)
		})
	}
}

func checkOpenAIError(t *testing.T, err error, status int, code, message, wait string) {
	t.Helper()
	var refused *openai.Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v, want a refusal", err)
	}
	if refused.StatusCode != status || refused.Code != code || !strings.HasPrefix(refused.Message, message) ||
		refused.Response.Header.Get("Retry-After") != wait || refused.Response.Header.Get("X-Request-Id") == "" {
		t.Errorf("refused with %d %q %q, headers %v", refused.StatusCode, refused.Code, refused.Message, refused.Response.Header)
	}
}

func TestResponsesBrokenStreams(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})
	client := server.openAI()

	cut := collect(client.Responses.NewStreaming(t.Context(), asText("cut")))
	if cut.err == nil || len(cut.kinds) != 2 {
		t.Errorf("cut after %v with %v, want an error after two events", cut.kinds, cut.err)
	}
	failing := collect(client.Responses.NewStreaming(t.Context(), asText("failing")))
	if failing.err != nil || failing.last.Status != "failed" || failing.last.Error.Message != "The model fell over." {
		t.Errorf("failing: %v, %s, %+v", failing.err, failing.last.Status, failing.last.Error)
	}
	garbage := collect(client.Responses.NewStreaming(t.Context(), asText("garbage")))
	if garbage.err == nil {
		t.Error("the garbage was read without an error")
	}
	if _, err := client.Responses.New(t.Context(), asText("cut")); err == nil {
		t.Error("a cut answer was read without an error")
	}
	want := []Outcome{Cut, Cut, Cut, Cut}
	if diff := cmp.Diff(want, outcomes(server.await(t, ended(4)))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func TestResponsesCustomAndNamespacedTools(t *testing.T) {
	t.Parallel()
	server := setup(t, `
rules:
  - reply:
      tool_calls:
        - {name: patch, args_text: "*** Begin\n"}
        - {name: shout, args: "loud"}
        - {name: look, args: {at: it}}
`, Options{})
	status, answer := server.post(t, "/v1/responses", `{"model":"m","input":"go","tools":[
		{"type":"custom","name":"patch"},{"type":"custom","name":"shout"},
		{"type":"namespace","name":"host","tools":[{"type":"function","name":"look"}]}]}`)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, answer)
	}
	var response responses.Response
	if err := json.Unmarshal([]byte(answer), &response); err != nil {
		t.Fatal(err)
	}
	got := make([][3]string, 0, len(response.Output))
	for _, item := range response.Output {
		arguments := item.Arguments.OfString
		got = append(got, [3]string{item.Type, item.Input + arguments, item.Namespace})
	}
	want := [][3]string{
		{"custom_tool_call", "*** Begin\n", ""}, {"custom_tool_call", "loud", ""}, {"function_call", `{"at":"it"}`, "host"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
