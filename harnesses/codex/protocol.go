package codex

import (
	"encoding/json"
	"net/http"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// budgetCode is the code of a refusal for want of money (cli.Refused).
const budgetCode = "budget"

// protocol is the Responses protocol as one session's program speaks it.
type protocol struct {
	spec         cli.Spec
	instructions string
	calls        *calls
}

// Path is where the program asks for answers.
func (*protocol) Path() string { return "/v1/responses" }

// Read says what is asked. It waits for the results of calls that the program answered itself (calls.fill).
func (p *protocol) Read(body []byte, _ http.Header) (ask cli.Ask, stream bool, err error) {
	r, err := readRequest(body)
	if err != nil {
		return cli.Ask{}, false, err
	}
	if err := p.calls.fill(r); err != nil {
		return cli.Ask{}, false, err
	}
	wire, err := r.wire(p.spec)
	if err != nil {
		return cli.Ask{}, false, err
	}
	return cli.Ask{
		Main:      r.main(p.instructions),
		Place:     r.place(),
		Words:     r.words(),
		Calls:     r.calls(),
		Wire:      wire,
		MaxOutput: r.known.MaxOutput,
	}, r.known.Stream, nil
}

// Answer writes an answer, and sees to the calls in it that the program will not pass on.
func (p *protocol) Answer(a cli.Answer, stream bool) []byte {
	p.calls.begin(a.Calls)
	replay := models.Replay{ID: a.ID, Model: p.spec.Model.Name, Answer: a.Answer}
	if items, err := answerItems(a.Answer); err == nil {
		if native, err := compact(items); err == nil {
			replay.Answer.Native = native
		}
	}
	if stream {
		return models.ReplayResponses(replay)
	}
	return models.ReplayResponsesWhole(replay)
}

// Refusal writes a refusal. The program takes a used-up quota for an end and asks no more, but says so in words of its
// own; of a bad request it says what the body says.
func (*protocol) Refusal(r *cli.Refused) (status int, header http.Header, body []byte) {
	if r.Code != budgetCode {
		return http.StatusBadRequest, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, []byte(r.Message)
	}
	body, err := compact(map[string]any{"error": fault("insufficient_quota", r.Message)})
	if err != nil {
		body = []byte(`{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`)
	}
	return http.StatusTooManyRequests, http.Header{"Content-Type": {"application/json"}}, body
}

// StreamError writes the event of an answer that failed, with the code that keeps the program from another attempt.
func (*protocol) StreamError(message string) []byte {
	data, err := compact(map[string]any{
		"type":     "response.failed",
		"response": map[string]any{"id": "resp_failed", "status": "failed", "error": fault("invalid_prompt", message)},
	})
	if err != nil {
		return nil
	}
	return append(append([]byte("event: response.failed\ndata: "), data...), "\n\n"...)
}

func fault(code, message string) map[string]string {
	return map[string]string{"type": code, "code": code, "message": message}
}

// Beat writes a comment, which a reader of events passes over.
func (*protocol) Beat() []byte { return []byte(": waiting\n\n") }

// Other serves nothing: the program asks for nothing else.
func (*protocol) Other(http.ResponseWriter, *http.Request) bool { return false }

// instructionsOf are the instructions a program is given: the session's, with the schema of the final answer in words
// where the provider would not hold the model to it.
func instructionsOf(spec cli.Spec) string {
	if len(spec.Output) == 0 || models.ConstrainsResponses(spec.Output) {
		return spec.Instructions
	}
	if spec.Instructions == "" {
		return models.SchemaWords(spec.Output)
	}
	return spec.Instructions + "\n\n" + models.SchemaWords(spec.Output)
}

// outputSchema is the schema that the program is to ask the provider to hold the model to; nil: none.
func outputSchema(spec cli.Spec) json.RawMessage {
	if len(spec.Output) == 0 || !models.ConstrainsResponses(spec.Output) {
		return nil
	}
	return spec.Output
}
