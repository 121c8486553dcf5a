package codex

import (
	"strings"
	"testing"
)

func TestWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ body, fault string }{
		"nothing":              {``, "no JSON object"},
		"a list":               {`[]`, "no JSON object"},
		"null":                 {`null`, "no list of items"},
		"no input":             {`{}`, "no list of items"},
		"input that is text":   {`{"input":"hello"}`, "no list of items"},
		"an item that is null": {`{"input":[null]}`, "item 0"},
		"an item that is text": {`{"input":[{"type":"message"},"x"]}`, "item 1"},
		"a name that is none":  {`{"input":[{"type":"function_call","name":7}]}`, "item 0"},
		"a tool that is text":  {`{"input":[],"tools":["x"]}`, "tool 0"},
		"tools that are none":  {`{"input":[],"tools":{}}`, "not what the protocol says"},
		"half of one":          {`{"input":[`, "no JSON object"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := readRequest([]byte(tc.body)); err == nil || !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("the fault is %v, want %q", err, tc.fault)
			}
		})
	}
}

func TestItemsThatAreSaid(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		item string
		text string
		made bool
	}{
		"a user":                 {`{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]}`, "ab", false},
		"a user's plain content": {`{"role":"user","content":"a"}`, "a", false},
		"the model":              {`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}`, "a", true},
		"the model's thoughts":   {`{"type":"reasoning","encrypted_content":"x"}`, "", true},
		"a call":                 {`{"type":"function_call","call_id":"c"}`, "", true},
		"a result":               {`{"type":"function_call_output","call_id":"c","output":"x"}`, "", false},
		"another kind's result":  {`{"type":"custom_tool_call_output","call_id":"c","output":"x"}`, "", false},
		"where the program is":   {`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>\n"}]}`, "", false},
		"one who speaks so":      {`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context> is what?"}]}`, "<environment_context> is what?", false},
		"what it may do":         {`{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>x</permissions instructions>"}]}`, "", false},
		"a content that is none": {`{"type":"message","role":"user","content":7}`, "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, err := readItem([]byte(tc.item))
			if err != nil {
				t.Fatal(err)
			}
			if one.text() != tc.text || one.made() != tc.made {
				t.Errorf("it says %q, the model's: %v", one.text(), one.made())
			}
		})
	}
}
