package claudeagent

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

func testProtocol() *protocol {
	spec := thinker()
	return &protocol{spec: spec, system: spec.Instructions, cleaner: testCleaner()}
}

func TestReadingRequests(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"name":"mcp__host__read"}],`
	const system = `"system":[{"type":"text","text":"x-anthropic-billing-header: v=1"},{"type":"text","text":"Be good."}],`
	for _, c := range []struct {
		name, body string
		want       cli.Ask
		stream     bool
	}{
		{
			"the conversation begins", `{` + tools + system + `"stream":true,"max_tokens":9,"messages":[{"role":"user","content":"\n/hi"}]}`,
			cli.Ask{Main: true, Words: "/hi", MaxOutput: 9},
			true,
		},
		{
			"the conversation goes on", `{` + tools + system + `"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"a"},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"mcp__host__read","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"},{"type":"text","text":"<system-reminder>x</system-reminder>"}]}]}`,
			cli.Ask{Main: true, Place: 1, Words: "hi", Calls: []string{"c1"}},
			false,
		},
		{
			"an answer without calls", `{` + tools + system + `"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c1"}]},` +
				`{"role":"user","content":"x"},{"role":"assistant","content":"a"},{"role":"user","content":"y"}]}`,
			cli.Ask{Main: true, Place: 2, Words: "y", Calls: []string{}},
			false,
		},
		{"is the key good", `{` + tools + system + `"max_tokens":1,"messages":[{"role":"user","content":"quota"}]}`, cli.Ask{Words: "quota", MaxOutput: 1}, false},
		{"other instructions", `{` + tools + `"system":"Find a title.","messages":[{"role":"user","content":"t"}]}`, cli.Ask{Words: "t"}, false},
		{"no tools", `{` + system + `"messages":[{"role":"user","content":"t"}]}`, cli.Ask{Words: "t"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ask, stream, err := testProtocol().Read([]byte(c.body), http.Header{})
			if err != nil {
				t.Fatal(err)
			}
			if len(ask.Wire.Digest) != 64 || ask.Wire.Body == nil {
				t.Errorf("the request that is sent on: %+v", ask.Wire)
			}
			ask.Wire = models.Wire{}
			if diff := cmp.Diff(c.want, ask); diff != "" || stream != c.stream {
				t.Errorf("it reads as (-want +got; stream %v):\n%s", stream, diff)
			}
		})
	}
}

func TestReadingWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"nothing": "", "no object": "[]", "null": "null", "no messages": "{}", "messages of another kind": `{"messages":{}}`,
		"content of another kind": `{"messages":[{"role":"user","content":7}]}`, "null blocks": `{"messages":[{"role":"user","content":[null]}]}`,
		"a system prompt of another kind": `{"system":1,"messages":[{"role":"user","content":"a"}]}`,
		"tools of another kind":           `{"tools":"x","messages":[{"role":"user","content":"a"}]}`,
	} {
		if _, _, err := testProtocol().Read([]byte(body), nil); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"messages":` + conversationJSON + `}`))
	f.Add([]byte(`{"system":[{}],"tools":[null,{}],"messages":[{"role":"user","content":[{"type":"text","cache_control":null}]}]}`))
	f.Add([]byte(`{"max_tokens":1e3,"thinking":{"budget_tokens":9e99},"output_config":[],"context_management":{"edits":{}},"messages":[{}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		ask, _, err := testProtocol().Read(body, nil)
		if err != nil {
			return
		}
		for _, ceiling := range []int64{0, 1, 5000} {
			data, err := ask.Wire.Body(ceiling)
			if err != nil || !json.Valid(data) || int64(len(data)) > ask.Wire.Size {
				t.Fatalf("under %d: %d bytes of %d (%v): %s", ceiling, len(data), ask.Wire.Size, err, data)
			}
		}
		again, _, err := testProtocol().Read(body, nil)
		if err != nil || again.Wire.Digest != ask.Wire.Digest {
			t.Fatalf("read again, it asks something else (%v)", err)
		}
	})
}

func TestAnswersInTheProgramsNames(t *testing.T) {
	t.Parallel()
	p := testProtocol()
	answer := cli.Answer{ID: "a1", Answer: models.Answer{
		Text: "hm", Stop: models.StopToolCalls, ServedModel: "another",
		Calls: []models.Call{{ID: "c8", Name: "read", Args: json.RawMessage(`"{\"p"`)}, {ID: "c9", Name: "nosuch", Args: json.RawMessage(`{}`)}},
	}}
	golden(t, "answer.sse", p.Answer(answer, true))
	if got := p.cleaner.book.name("c9"); got != "nosuch" {
		t.Errorf("the call of a tool that is not offered is remembered as %q", got)
	}
	var whole struct {
		Content []block `json:"content"`
	}
	if err := json.Unmarshal(p.Answer(answer, false), &whole); err != nil || len(whole.Content) != 3 {
		t.Fatalf("the whole answer has %d blocks (%v)", len(whole.Content), err)
	}
	if got := string(whole.Content[1]["input"]); got != `{"INVALID_JSON":"{\"p"}` {
		t.Errorf("the program is given the input %s", got)
	}
}

func TestAnswersThatSayNothing(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]models.Answer{
		"a refusal":     {Stop: models.StopRefusal, Refusal: "The provider's safety system stopped the answer."},
		"only thinking": {Stop: models.StopEnd, Native: json.RawMessage(`[{"type":"thinking","thinking":"hm","signature":"s"}]`)},
		"cut at once":   {Stop: models.StopLength},
	} {
		said := string(testProtocol().Answer(cli.Answer{ID: "a1", Answer: answer}, true))
		if !strings.Contains(said, emptyAnswer) || !strings.Contains(said, `"stop_reason":"end_turn"`) || strings.Contains(said, "hm") {
			t.Errorf("%s is given as %s", name, said)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		"budget": 402, "anything": 402, cli.CodeUnavailable: 402, cli.CodeInvalid: 400, cli.CodeEncoding: 400, cli.CodeTooLarge: 413,
	} {
		status, header, body := testProtocol().Refusal(&cli.Refused{Code: code, Message: "no <more>"})
		if status != want || header.Get("Content-Type") != "application/json" || !strings.Contains(string(body), `"message":"no <more>"`) {
			t.Errorf("%s is %d %v %s", code, status, header, body)
		}
	}
	if got := string(testProtocol().StreamError("no")); !strings.HasPrefix(got, "event: error\ndata: {") || !strings.HasSuffix(got, "}\n\n") {
		t.Errorf("in a stream it is %q", got)
	}
	if got := string(testProtocol().Beat()); got != "event: ping\ndata: {\"type\":\"ping\"}\n\n" {
		t.Errorf("a beat is %q", got)
	}
}

func TestOtherPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, want string
	}{
		{http.MethodPost, "/v1/messages/count_tokens", `{"input_tokens":3}`},
		{http.MethodGet, "/v1/messages/count_tokens", ""},
		{http.MethodHead, "/", ""},
		{http.MethodGet, "/v1/models", ""},
	} {
		w := httptest.NewRecorder()
		served := testProtocol().Other(w, httptest.NewRequest(c.method, c.path, strings.NewReader("1234567")))
		said, _ := io.ReadAll(w.Body)
		if strings.TrimSpace(string(said)) != c.want || served != (c.want != "") {
			t.Errorf("%s %s: %v %s", c.method, c.path, served, said)
		}
	}
}
