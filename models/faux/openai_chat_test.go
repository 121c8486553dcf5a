package faux

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"
)

func chatOf(messages ...openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "faux-1-chat", Messages: messages}
}

// collectChat streams a request and returns what the SDK's accumulator makes of it.
func collectChat(t *testing.T, client openai.Client, request openai.ChatCompletionNewParams) (openai.ChatCompletionAccumulator, int, error) {
	t.Helper()
	stream := client.Chat.Completions.NewStreaming(t.Context(), request)
	var got openai.ChatCompletionAccumulator
	chunks := 0
	for stream.Next() {
		chunks++
		if !got.AddChunk(stream.Current()) {
			t.Fatalf("chunk %d does not fit: %s", chunks, stream.Current().RawJSON())
		}
	}
	return got, chunks, stream.Err()
}

func TestChatText(t *testing.T) {
	t.Parallel()
	client := setup(t, everyKind, Options{}).openAI()
	request := chatOf(openai.SystemMessage("Be kind."), openai.UserMessage("text"))
	const want = "Grüße \"quoted\"\n<b>"

	whole, err := client.Chat.Completions.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got := whole.Choices[0]; got.Message.Content != want || got.FinishReason != "stop" {
		t.Errorf("whole: %q, %s", got.Message.Content, got.FinishReason)
	}
	request.StreamOptions.IncludeUsage = param.NewOpt(true)
	got, chunks, err := collectChat(t, client, request)
	if err != nil {
		t.Fatal(err)
	}
	if chunks != 6 { // the role, three pieces, the end, the usage
		t.Errorf("streamed in %d chunks, want 6", chunks)
	}
	if got.Choices[0].Message.Content != want || got.Choices[0].FinishReason != "stop" {
		t.Errorf("streamed: %q, %s", got.Choices[0].Message.Content, got.Choices[0].FinishReason)
	}
	if got := whole.Usage.PromptTokensDetails.CacheWriteTokens; got != 10 { // the SDK's accumulator leaves it out
		t.Errorf("%d cache-write tokens", got)
	}
	for name, usage := range map[string]openai.CompletionUsage{"whole": whole.Usage, "streamed": got.Usage} {
		counts := []int64{
			usage.PromptTokens, usage.PromptTokensDetails.CachedTokens, usage.CompletionTokens, usage.CompletionTokensDetails.ReasoningTokens, usage.TotalTokens,
		}
		if diff := cmp.Diff([]int64{100, 40, 7, 2, 107}, counts); diff != "" {
			t.Errorf("usage, %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestChatStreamGivesUsageOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})
	_, answer := server.post(t, "/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"text"}]}`)
	if strings.Contains(answer, "usage") || !strings.HasSuffix(answer, "data: [DONE]\n\n") {
		t.Errorf("the stream is %s", answer)
	}
}

func TestChatToolCalls(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})
	client := server.openAI()
	request := chatOf(openai.UserMessage("calls"))
	request.Tools = []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "write"}),
	}
	want := []string{`{"path":"a.txt","content":"A\n"}`, `{"path":"b.txt","content":"calls 0"}`}

	streamed, _, err := collectChat(t, client, request)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := client.Chat.Completions.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	for name, choice := range map[string]openai.ChatCompletionChoice{"streamed": streamed.Choices[0], "whole": whole.Choices[0]} {
		var args []string
		for _, call := range choice.Message.ToolCalls {
			args = append(args, call.Function.Arguments)
		}
		if diff := cmp.Diff(want, args); diff != "" || choice.FinishReason != "tool_calls" || choice.Message.Content != "Two files." {
			t.Errorf("%s: %q, %s, arguments (-want +got):\n%s", name, choice.Message.Content, choice.FinishReason, diff)
		}
	}
	calls := whole.Choices[0].Message.ToolCalls
	request.Messages = append(request.Messages, whole.Choices[0].Message.ToParam(),
		openai.ToolMessage("wrote a", calls[0].ID), openai.ToolMessage("wrote b", calls[1].ID))
	answer, err := client.Chat.Completions.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Choices[0].Message.Content; got != "Done: wrote b" {
		t.Errorf("the answer to the results is %q", got)
	}
}

func TestChatEndings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ reason, text, refusal string }{
		"length":   {"length", "This is as far as", ""},
		"filtered": {"content_filter", "Hm", ""},
		"refusal":  {"stop", "", "I will not."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := setup(t, everyKind, Options{}).openAI()
			request := chatOf(openai.UserMessage(name))
			whole, err := client.Chat.Completions.New(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			streamed, _, err := collectChat(t, client, request)
			if err != nil {
				t.Fatal(err)
			}
			for kind, choice := range map[string]openai.ChatCompletionChoice{"streamed": streamed.Choices[0], "whole": whole.Choices[0]} {
				if choice.FinishReason != want.reason || choice.Message.Content != want.text || choice.Message.Refusal != want.refusal {
					t.Errorf("%s: %s, %q, %q", kind, choice.FinishReason, choice.Message.Content, choice.Message.Refusal)
				}
			}
		})
	}
}

func TestChatStructuredOutput(t *testing.T) {
	t.Parallel()
	client := setup(t, everyKind, Options{}).openAI()
	request := chatOf(openai.UserMessage("output"))
	request.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: map[string]any{"type": "object"}},
	}
	answer, err := client.Chat.Completions.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Choices[0].Message.Content; got != `{"answer":42,"why":["because"]}` {
		t.Errorf("output is %s", got)
	}
}

func TestChatErrors(t *testing.T) {
	t.Parallel()
	client := setup(t, everyKind, Options{}).openAI()
	_, err := client.Chat.Completions.New(t.Context(), chatOf(openai.UserMessage("busy")))
	checkOpenAIError(t, err, 429, "rate_limit_exceeded", "Slow down.", "7")
	_, _, err = collectChat(t, client, chatOf(openai.UserMessage("cut")))
	if err == nil {
		t.Error("a cut stream was read without an error")
	}
	_, _, err = collectChat(t, client, chatOf(openai.UserMessage("failing")))
	if err == nil || !strings.Contains(err.Error(), "The model fell over.") {
		t.Errorf("a failing stream gives %v", err)
	}
}

func TestChatReasoningAndCustomTools(t *testing.T) {
	t.Parallel()
	server := setup(t, `
rules:
  - reply: {reasoning: Let me think., tool_calls: [{name: patch, args: "*** Begin"}]}
`, Options{})
	request := `{"model":"m","messages":[{"role":"user","content":"go"}],"tools":[{"type":"custom","custom":{"name":"patch"}}]`
	_, whole := server.post(t, "/v1/chat/completions", request+`}`)
	var completion openai.ChatCompletion
	if err := json.Unmarshal([]byte(whole), &completion); err != nil {
		t.Fatal(err)
	}
	call := completion.Choices[0].Message.ToolCalls[0]
	if call.Type != "custom" || call.Custom.Input != "*** Begin" || !strings.Contains(whole, `"reasoning_content":"Let me think."`) {
		t.Errorf("whole: %s", whole)
	}
	_, stream := server.post(t, "/v1/chat/completions", request+`,"stream":true}`)
	for _, want := range []string{`"reasoning_content":"Let me think."`, `"custom":{"name":"patch","input":""}`, `"custom":{"input":"*** Begin"}`} {
		if !strings.Contains(stream, want) {
			t.Errorf("the stream lacks %s:\n%s", want, stream)
		}
	}
}
