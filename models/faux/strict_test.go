package faux

import (
	"errors"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

// TestLostToolResultsAreRefused: a client that forgets a result, or makes one up, is told so as its provider would tell it.
func TestLostToolResultsAreRefused(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})

	t.Run("responses", func(t *testing.T) {
		t.Parallel()
		client := server.openAI()
		request := responses.ResponseNewParams{Model: "m", Input: responses.ResponseNewParamsInputUnion{
			OfInputItemList: []responses.ResponseInputItemUnionParam{
				responses.ResponseInputItemParamOfMessage("calls", responses.EasyInputMessageRoleUser),
				responses.ResponseInputItemParamOfFunctionCall("{}", "call_1", "write"),
			},
		}}
		_, err := client.Responses.New(t.Context(), request)
		checkOpenAIError(t, err, 400, "", `the tool call "call_1" (write) has no result`, "")
		request.Input.OfInputItemList[1] = functionOutput("call_1", "made up")
		_, err = client.Responses.New(t.Context(), request)
		checkOpenAIError(t, err, 400, "", `there is a result for the tool call "call_1"`, "")
	})

	t.Run("chat", func(t *testing.T) {
		t.Parallel()
		client := server.openAI()
		first, err := client.Chat.Completions.New(t.Context(), chatOf(openai.UserMessage("calls")))
		if err != nil {
			t.Fatal(err)
		}
		message := first.Choices[0].Message
		_, err = client.Chat.Completions.New(t.Context(), chatOf(
			openai.UserMessage("calls"), message.ToParam(), openai.ToolMessage("a", message.ToolCalls[0].ID), openai.UserMessage("and?")))
		checkOpenAIError(t, err, 400, "", `the tool call "`+message.ToolCalls[1].ID+`" (write) has no result`, "")
	})

	t.Run("messages", func(t *testing.T) {
		t.Parallel()
		client := server.anthropic()
		request := messageOf("calls")
		first, err := client.Messages.New(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		request.Messages = append(request.Messages, first.ToParam(), anthropic.NewUserMessage(anthropic.NewTextBlock("and?")))
		_, err = client.Messages.New(t.Context(), request)
		var refused *anthropic.Error
		if !errors.As(err, &refused) || refused.StatusCode != 400 || !strings.Contains(refused.RawJSON(), "has no result") {
			t.Errorf("the error is %v", err)
		}
	})
}
