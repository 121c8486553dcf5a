package models

import (
	"encoding/json"

	"github.com/agentrun/agentrun/run"
)

// conversation is a request in the middle of a run: two turns with tools, one of whose calls had broken arguments.
func conversation(api string) Request {
	return Request{
		Model: run.Model{
			ID: "test/model-1", Name: "model-1", Provider: "test", API: api, MaxOutput: 4000, Reasoning: true,
			Efforts: []string{"low", "medium", "high", "max"},
		},
		BaseURL:      "https://models.example/v1",
		APIKey:       testKey,
		Instructions: "Be brief.",
		Tools: []Tool{
			{Name: "read", Description: "Reads a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
			{Name: "list", Description: "Lists files.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
		},
		Effort:   "high",
		CacheKey: "run_1",
		Messages: []Message{
			{Role: RoleUser, Text: "What do the files say?"},
			{Role: RoleAssistant, Text: "I look.", Calls: []Call{
				{ID: "call_1", Name: "list", Args: json.RawMessage(`{}`)},
				{ID: "call_2", Name: "read", Args: json.RawMessage(`"{\"path\":"`)},
			}},
			{Role: RoleTool, CallID: "call_1", Text: "a.txt"},
			{Role: RoleTool, CallID: "call_2", Text: "the arguments are not JSON", IsError: true},
			{Role: RoleUser, Text: "Go on."},
		},
	}
}

const answerSchema = `{"type":"object","properties":{"total":{"type":"integer"}},"required":["total"],"additionalProperties":false}`
