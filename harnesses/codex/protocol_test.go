package codex

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// testProtocol is the protocol of a session whose calls a test answers.
func testProtocol(t *testing.T, host cli.Host) *protocol {
	t.Helper()
	spec := cli.Spec{Model: testModel, Tools: testTools, Instructions: "You are a tester.", Marker: "run_1/x"}
	return &protocol{spec, instructionsOf(spec), newCalls(t.Context(), spec, host, func(error) {})}
}

func TestRead(t *testing.T) {
	t.Parallel()
	p := testProtocol(t, nobody{})
	p.calls.known["c1"] = true
	body := `{"model":"x","stream":true,"max_output_tokens":77,"input":[` + strings.Join([]string{system, asks, calls1, results1}, ",") + `]}`
	ask, stream, err := p.Read([]byte(body), nil)
	if err != nil || !stream || !ask.Main || ask.Place != 1 || ask.Words != "q" || ask.MaxOutput != 77 || len(ask.Calls) != 1 {
		t.Errorf("read %+v, stream %v, %v", ask, stream, err)
	}
	if ask.Wire.Tools != 0 || ask.Wire.Digest == "" || ask.Wire.Header != nil {
		t.Errorf("sent on is %+v", ask.Wire)
	}
	if _, _, err := p.Read([]byte("nonsense"), nil); err == nil {
		t.Error("nonsense is a request")
	}
}

func TestAnswersAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	p := testProtocol(t, nobody{})
	answer := cli.Answer{ID: "a1", Answer: models.Answer{Refusal: "No.", Stop: models.StopRefusal}}
	first := string(p.Answer(answer, true))
	if first != string(p.Answer(answer, true)) {
		t.Error("the same answer is told in two ways")
	}
	for _, want := range []string{"response.completed", `"text":"No."`, `"model":"m"`, `"resp_a1"`} {
		if !strings.Contains(first, want) {
			t.Errorf("it has no %s: %s", want, first)
		}
	}
	if strings.Contains(first, "refusal") {
		t.Errorf("the program is told a refusal, which it does not keep: %s", first)
	}
	var whole struct{ Status string }
	if err := json.Unmarshal(p.Answer(answer, false), &whole); err != nil || whole.Status != "completed" {
		t.Errorf("whole it is %+v, %v", whole, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		refused cli.Refused
		status  int
		body    string
	}{
		"no money":   {cli.Refused{Code: "budget", Message: "The <cap>"}, http.StatusTooManyRequests, `{"error":{"code":"insufficient_quota","message":"The <cap>","type":"insufficient_quota"}}`},
		"any other":  {cli.Refused{Code: "model", Message: "Too long: ☃"}, http.StatusBadRequest, "Too long: ☃"},
		"no message": {cli.Refused{}, http.StatusBadRequest, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, header, body := (&protocol{}).Refusal(&tc.refused)
			if status != tc.status || string(body) != tc.body || header.Get("Content-Type") == "" {
				t.Errorf("%d %v %s", status, header, body)
			}
		})
	}
}

func TestEventsAreEvents(t *testing.T) {
	t.Parallel()
	p := &protocol{}
	event := string(p.StreamError("bro\nken"))
	if !strings.HasPrefix(event, "event: response.failed\ndata: {") || !strings.HasSuffix(event, "}\n\n") || strings.Count(event, "\n") != 3 {
		t.Errorf("the event is %q", event)
	}
	if beat := string(p.Beat()); !strings.HasPrefix(beat, ":") || !strings.HasSuffix(beat, "\n\n") {
		t.Errorf("the beat is %q", beat)
	}
	if p.Path() != "/v1/responses" || p.Other(nil, nil) {
		t.Error("it serves something else")
	}
}

func TestInstructionsHaveTheSchemaThatNobodyHoldsTheModelTo(t *testing.T) {
	t.Parallel()
	strict := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)
	loose := json.RawMessage(`{"type":"array"}`)
	cases := map[string]struct {
		instructions string
		output       json.RawMessage
		want         string
		schema       bool
	}{
		"no schema":         {"Be.", nil, "Be.", false},
		"a strict one":      {"Be.", strict, "Be.", true},
		"a loose one":       {"Be.", loose, "Be.\n\n" + models.SchemaWords(loose), false},
		"nothing before it": {"", loose, models.SchemaWords(loose), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := cli.Spec{Instructions: tc.instructions, Output: tc.output}
			if got := instructionsOf(spec); got != tc.want {
				t.Errorf("instructions %q", got)
			}
			if got := outputSchema(spec) != nil; got != tc.schema {
				t.Errorf("a schema: %v", got)
			}
		})
	}
}

// FuzzRead: whatever the program sends, it is read or refused, and what is sent on of it is JSON within its bound.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"input":[` + strings.Join([]string{system, asks, thinks, says, calls1, results1}, ",") + `],"tools":[{"type":"function","name":"read"}]}`))
	f.Add([]byte(`{"input":[{"type":"function_call","call_id":"c"},{"type":"function_call_output","call_id":"c","output":[1,{"a":null}]}]}`))
	f.Add([]byte(`{"input":[{"type":"x_output","role":"assistant","content":"a"}],"text":{"format":{"schema":{"a":1e999}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		spec := cli.Spec{Model: testModel, Tools: testTools}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := &protocol{spec, "", newCalls(ctx, spec, talker{}, func(error) {})}
		ask, _, err := p.Read(body, nil)
		if err != nil {
			return
		}
		sent, err := ask.Wire.Body(1 << 40)
		if err != nil || !json.Valid(sent) || int64(len(sent)) > ask.Wire.Size {
			t.Errorf("sent on are %d bytes of %d: %q, %v", len(sent), ask.Wire.Size, sent, err)
		}
		again, _, err := p.Read(body, nil)
		if err != nil || again.Wire.Digest != ask.Wire.Digest {
			t.Errorf("read again it is %+v, %v", again, err)
		}
	})
}

// talker answers every call.
type talker struct{ nobody }

func (talker) Call(context.Context, cli.Call) (cli.Result, error) { return cli.Result{Text: "r"}, nil }
