package faux

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/google/go-cmp/cmp"
)

func messageOf(text string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model:     "faux-1-messages",
		MaxTokens: 4096,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))},
	}
}

// collectMessage streams a request and returns what the SDK's accumulator makes of it, and the events' names.
func collectMessage(t *testing.T, client anthropic.Client, request anthropic.MessageNewParams) (anthropic.Message, []string, error) {
	t.Helper()
	stream := client.Messages.NewStreaming(t.Context(), request)
	var message anthropic.Message
	var kinds []string
	for stream.Next() {
		event := stream.Current()
		kinds = append(kinds, event.Type)
		if err := message.Accumulate(event); err != nil {
			t.Fatalf("event %s does not fit: %v", event.RawJSON(), err)
		}
	}
	return message, kinds, stream.Err()
}

func TestMessagesText(t *testing.T) {
	t.Parallel()
	client := setup(t, everyKind, Options{}).anthropic()
	whole, err := client.Messages.New(t.Context(), messageOf("text"))
	if err != nil {
		t.Fatal(err)
	}
	streamed, kinds, err := collectMessage(t, client, messageOf("text"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"message_start", "content_block_start", "content_block_delta", "content_block_delta", "content_block_delta",
		"content_block_stop", "message_delta", "message_stop",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for name, message := range map[string]anthropic.Message{"whole": *whole, "streamed": streamed} {
		if message.Content[0].Text != "Grüße \"quoted\"\n<b>" || message.StopReason != "end_turn" || message.Model != "faux-1-messages" {
			t.Errorf("%s: %q, %s, %s", name, message.Content[0].Text, message.StopReason, message.Model)
		}
		usage := message.Usage
		counts := []int64{usage.InputTokens, usage.CacheReadInputTokens, usage.CacheCreationInputTokens, usage.OutputTokens}
		if diff := cmp.Diff([]int64{50, 40, 10, 7}, counts); diff != "" {
			t.Errorf("usage, %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMessagesToolCalls(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})
	client := server.anthropic()
	request := messageOf("calls")
	request.Thinking = anthropic.ThinkingConfigParamOfEnabled(1024)
	request.Tools = []anthropic.ToolUnionParam{
		{OfTool: &anthropic.ToolParam{Name: "mcp__host__write", InputSchema: anthropic.ToolInputSchemaParam{}}},
	}
	whole, err := client.Messages.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	streamed, _, err := collectMessage(t, client, request)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"thinking: Both at once.", "text: Two files.",
		`mcp__host__write: {"path":"a.txt","content":"A\n"}`, `mcp__host__write: {"path":"b.txt","content":"calls 0"}`,
	}
	for name, message := range map[string]anthropic.Message{"whole": *whole, "streamed": streamed} {
		var got []string
		for _, block := range message.Content {
			switch block.Type {
			case "thinking":
				got = append(got, "thinking: "+block.Thinking)
				if block.Signature == "" {
					t.Errorf("%s: the thinking block has no signature", name)
				}
			case "text":
				got = append(got, "text: "+block.Text)
			default:
				got = append(got, block.Name+": "+string(block.Input))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || message.StopReason != "tool_use" {
			t.Errorf("%s: %s, blocks (-want +got):\n%s", name, message.StopReason, diff)
		}
	}
	request.Messages = append(request.Messages, streamed.ToParam(), anthropic.NewUserMessage(
		anthropic.NewToolResultBlock(streamed.Content[2].ID, "wrote a", false),
		anthropic.NewToolResultBlock(streamed.Content[3].ID, "wrote b", true),
		anthropic.NewTextBlock("<system-reminder>Mind the gap.</system-reminder>")))
	answer, err := client.Messages.New(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Content[0].Text; got != "Done: wrote b" {
		t.Errorf("the answer to the results is %q", got)
	}
}

func TestMessagesThinkingGoesOnlyToClientsThatAsk(t *testing.T) {
	t.Parallel()
	client := setup(t, everyKind, Options{}).anthropic()
	message, err := client.Messages.New(t.Context(), messageOf("calls"))
	if err != nil {
		t.Fatal(err)
	}
	if message.Content[0].Type != "text" {
		t.Errorf("the first block is %s", message.Content[0].RawJSON())
	}
}

func TestMessagesEndings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		reason            anthropic.StopReason
		text, explanation string
	}{
		"length":   {"max_tokens", "This is as far as", ""},
		"filtered": {"refusal", "Hm", ""},
		"refusal":  {"refusal", "", "I will not."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := setup(t, everyKind, Options{}).anthropic()
			whole, err := client.Messages.New(t.Context(), messageOf(name))
			if err != nil {
				t.Fatal(err)
			}
			streamed, _, err := collectMessage(t, client, messageOf(name))
			if err != nil {
				t.Fatal(err)
			}
			for kind, message := range map[string]anthropic.Message{"whole": *whole, "streamed": streamed} {
				var text strings.Builder
				for _, block := range message.Content {
					text.WriteString(block.Text)
				}
				if message.StopReason != want.reason || text.String() != want.text || message.StopDetails.Explanation != want.explanation {
					t.Errorf("%s: %s, %q, %q", kind, message.StopReason, text.String(), message.StopDetails.Explanation)
				}
			}
		})
	}
}

func TestMessagesErrors(t *testing.T) {
	t.Parallel()
	client := setup(t, everyKind, Options{}).anthropic()
	for name, want := range map[string]struct {
		status        int
		kind, message string
	}{
		"busy":          {429, "rate_limit_error", "Slow down."},
		"down":          {529, "overloaded_error", "Overloaded"},
		"not in script": {400, "invalid_request_error", "no rule of the script matches"},
	} {
		_, err := client.Messages.New(t.Context(), messageOf(name))
		var refused *anthropic.Error
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var body struct {
			Error ErrorBody `json:"error"`
		}
		if err := json.Unmarshal([]byte(refused.RawJSON()), &body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if refused.StatusCode != want.status || body.Error.Type != want.kind || !strings.HasPrefix(body.Error.Message, want.message) ||
			refused.RequestID == "" {
			t.Errorf("%s: %d, %+v, request id %q", name, refused.StatusCode, body, refused.RequestID)
		}
	}
	if _, kinds, err := collectMessage(t, client, messageOf("cut")); err == nil {
		t.Errorf("a cut stream was read without an error: %v", kinds)
	}
	_, _, err := collectMessage(t, client, messageOf("failing"))
	var refused *anthropic.Error
	if !errors.As(err, &refused) || !strings.Contains(refused.RawJSON(), "The model fell over.") {
		t.Errorf("a failing stream gives %v", err)
	}
}

func TestMessagesCountTokens(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})
	client := server.anthropic()
	count, err := client.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{
		Model: "faux-1", Messages: messageOf("how many tokens is this?").Messages,
	})
	if err != nil {
		t.Fatal(err)
	}
	if count.InputTokens < 10 || len(server.Requests()) != 0 {
		t.Errorf("%d tokens, %d requests recorded", count.InputTokens, len(server.Requests()))
	}
}

func TestMessagesArgumentsThatAreNoJSON(t *testing.T) {
	t.Parallel()
	client := setup(t, `
rules:
  - reply: {tool_calls: [{name: write, args_text: "{\"path\": "}]}
`, Options{}).anthropic()
	whole, err := client.Messages.New(t.Context(), messageOf("go"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(whole.Content[0].Input); got != `"{\"path\": "` {
		t.Errorf("the input is %s", got)
	}
	stream := client.Messages.NewStreaming(t.Context(), messageOf("go"))
	var partial strings.Builder
	for stream.Next() {
		partial.WriteString(stream.Current().Delta.PartialJSON)
	}
	if partial.String() != `{"path": ` || stream.Err() != nil {
		t.Errorf("the streamed input is %q, %v", partial.String(), stream.Err())
	}
}
