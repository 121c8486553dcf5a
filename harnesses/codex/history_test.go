package codex

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/models"
)

func TestHistoryItems(t *testing.T) {
	t.Parallel()
	native := `[{"type":"reasoning","summary":[],"encrypted_content":"x"},{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Hm."}]},{"type":"function_call","call_id":"c1","name":"read","arguments":"{ }"}]`
	cases := map[string]struct {
		message models.Message
		want    []string
	}{
		"a user": {models.Message{Role: models.RoleUser, Text: "<q> “☃”\n"}, []string{
			`{"content":[{"type":"input_text","text":"<q> “☃”\n"}],"role":"user","type":"message"}`,
		}},
		"a result": {models.Message{Role: models.RoleTool, CallID: "c1", Text: "r"}, []string{
			`{"call_id":"c1","output":"r","type":"function_call_output"}`,
		}},
		"a result that is an error": {models.Message{Role: models.RoleTool, CallID: "c1", Text: "r", IsError: true}, []string{
			`{"call_id":"c1","output":"r","type":"function_call_output"}`,
		}},
		"an answer as it was": {models.Message{Role: models.RoleAssistant, Text: "Hm.", Native: json.RawMessage(native), NativeAPI: models.APIResponses}, []string{
			`{"encrypted_content":"x","summary":[],"type":"reasoning"}`,
			`{"content":[{"type":"output_text","text":"Hm."}],"phase":"commentary","role":"assistant","type":"message"}`,
			`{"arguments":"{ }","call_id":"c1","name":"read","type":"function_call"}`,
		}},
		"an answer of another protocol": {models.Message{
			Role: models.RoleAssistant, Text: "Hm.", Native: json.RawMessage(`[{"type":"thinking"}]`), NativeAPI: models.APIMessages,
			Calls: []models.Call{{ID: "c1", Name: "read", Args: json.RawMessage(`{"a":1}`)}, {ID: "c2", Name: "read", Args: json.RawMessage(`"{\"a"`)}},
		}, []string{
			`{"content":[{"type":"output_text","text":"Hm.","annotations":[]}],"role":"assistant","status":"completed","type":"message"}`,
			`{"arguments":"{\"a\":1}","call_id":"c1","name":"read","status":"completed","type":"function_call"}`,
			`{"arguments":"{\"a","call_id":"c2","name":"read","status":"completed","type":"function_call"}`,
		}},
		"an answer that says nothing": {models.Message{Role: models.RoleAssistant, NativeAPI: models.APIResponses}, []string{silence}},
		"an answer that is empty":     {models.Message{Role: models.RoleAssistant, Native: json.RawMessage("[]"), NativeAPI: models.APIResponses}, []string{silence}},
		"an answer that declines": {models.Message{
			Role: models.RoleAssistant, NativeAPI: models.APIResponses,
			Native: json.RawMessage(`[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"No <b>."}]}]`),
		}, []string{
			`{"content":[{"annotations":[],"text":"No <b>.","type":"output_text"}],"role":"assistant","type":"message"}`,
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, err := historyItems([]models.Message{tc.message})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, raw := range items {
				got = append(got, string(raw))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAConversationWithAStranger(t *testing.T) {
	t.Parallel()
	_, err := historyItems([]models.Message{{Role: models.RoleUser}, {Role: "system"}})
	if err == nil || !strings.Contains(err.Error(), "message 1") {
		t.Errorf("the fault is %v", err)
	}
	items, err := historyItems(nil)
	if err != nil || items == nil || len(items) != 0 {
		t.Errorf("of nothing come %v, %v", items, err)
	}
}

// TestAnAnswerStandsForItself holds the two ways an answer gets to the program to each other: as the answer to a request
// and as part of the conversation it is opened with.
func TestAnAnswerStandsForItself(t *testing.T) {
	t.Parallel()
	cases := map[string]models.Answer{
		"text":    {Text: "Hm."},
		"decline": {Refusal: "No."},
		"nothing": {},
		"calls":   {Calls: []models.Call{{ID: "c1", Name: "read", Args: json.RawMessage(`{}`)}}},
	}
	for name, answer := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told, err := answerItems(answer)
			if err != nil {
				t.Fatal(err)
			}
			native, err := compact(told)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := messageItems(models.Message{Role: models.RoleAssistant, Native: native, NativeAPI: models.APIResponses})
			if err != nil {
				t.Fatal(err)
			}
			join := func(list []json.RawMessage) string {
				texts := make([]string, len(list))
				for i, raw := range list {
					texts[i] = string(raw)
				}
				return strings.Join(texts, ",")
			}
			if diff := cmp.Diff(join(told), join(kept)); diff != "" || len(told) != 1 {
				t.Errorf("%d items: %s", len(told), diff)
			}
		})
	}
}
