package models

import (
	"encoding/json"
	"testing"
)

func TestDialects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schema           string
		strict, messages bool
	}{
		"closed, all required":  {answerSchema, true, true},
		"closed, one optional":  {`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, false, true},
		"open":                  {`{"type":"object","properties":{}}`, false, false},
		"a range":               {`{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false}`, true, false},
		"an open object inside": {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"],"additionalProperties":false}`, false, false},
		"a closed one inside": {
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"object","properties":{},"additionalProperties":false}]}},"required":["a"],"additionalProperties":false}`, true, true,
		},
		"an open one that may be null": {`{"type":"object","properties":{"a":{"type":["object","null"]}},"required":["a"],"additionalProperties":false}`, false, false},
		"a list at the root":           {`{"type":"array","items":{"type":"string"}}`, false, false},
		"a keyword it does not know":   {`{"type":"object","properties":{},"additionalProperties":false,"if":{}}`, false, false},
		"a broken keyword":             {`{"type":"object","properties":[],"additionalProperties":false}`, false, false},
		"a reference": {
			`{"type":"object","$defs":{"n":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"],"additionalProperties":false}`, true, false,
		},
		"true":     {`true`, false, false},
		"not JSON": {`{`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strictJSON.takes(json.RawMessage(test.schema)); got != test.strict {
				t.Errorf("strict: %v, want %v", got, test.strict)
			}
			if got := messagesJSON.takes(json.RawMessage(test.schema)); got != test.messages {
				t.Errorf("messages: %v, want %v", got, test.messages)
			}
		})
	}
}
