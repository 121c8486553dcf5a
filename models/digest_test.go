package models

import (
	"encoding/json"
	"testing"

	"github.com/agentrun/agentrun/run"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	base := Digest(conversation(APIChat))
	if len(base) != 64 {
		t.Errorf("digest %q", base)
	}
	for name, test := range map[string]struct {
		change func(*Request)
		same   bool
	}{
		"again":                {func(*Request) {}, true},
		"the output ceiling":   {func(r *Request) { r.MaxOutput = 7 }, true},
		"the key":              {func(r *Request) { r.APIKey = "other" }, true},
		"the address":          {func(r *Request) { r.BaseURL = "http://127.0.0.1:1" }, true},
		"the model's price":    {func(r *Request) { r.Model.Price = &run.Price{Input: 1} }, true},
		"the model":            {func(r *Request) { r.Model.Name = "model-2" }, false},
		"the protocol":         {func(r *Request) { r.Model.API = APIResponses }, false},
		"the instructions":     {func(r *Request) { r.Instructions = "Be long." }, false},
		"the effort":           {func(r *Request) { r.Effort = "low" }, false},
		"the output":           {func(r *Request) { r.Output = json.RawMessage(answerSchema) }, false},
		"the order of tools":   {func(r *Request) { r.Tools[0], r.Tools[1] = r.Tools[1], r.Tools[0] }, false},
		"a message more":       {func(r *Request) { r.Messages = append(r.Messages, Message{}) }, false},
		"a message's text":     {func(r *Request) { r.Messages[0].Text += " " }, false},
		"a result's success":   {func(r *Request) { r.Messages[2].IsError = true }, false},
		"a call's arguments":   {func(r *Request) { r.Messages[1].Calls[0].Args = json.RawMessage(`{"a":1}`) }, false},
		"where a text ends":    {func(r *Request) { r.Instructions, r.Effort = "Be brief.h", "igh" }, false},
		"what came with it":    {func(r *Request) { r.Messages[1].Native = json.RawMessage(`[]`) }, false},
		"the calls' number":    {func(r *Request) { r.Messages[1].Calls = r.Messages[1].Calls[:1] }, false},
		"the conversation key": {func(r *Request) { r.CacheKey = "run_2" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := conversation(APIChat)
			test.change(&r)
			if same := Digest(r) == base; same != test.same {
				t.Errorf("the same digest: %v, want %v", same, test.same)
			}
		})
	}
}
