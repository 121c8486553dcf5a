package claudeagent

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// protocol is the Messages protocol as one session of the program speaks it. It is a cli.Protocol.
type protocol struct {
	spec cli.Spec
	// system is the system prompt the program was given.
	system  string
	cleaner cleaner
}

func (p *protocol) Path() string { return "/v1/messages" }

// Read reads a model request.
func (p *protocol) Read(body []byte, header http.Header) (cli.Ask, bool, error) {
	r, err := readRequest(body)
	if err != nil {
		return cli.Ask{}, false, err
	}
	r.messages = p.cleaner.clean(r.messages)
	main := p.main(r)
	ask := cli.Ask{
		Main:      main,
		Place:     answers(r.messages),
		Words:     lastWords(r.messages),
		Calls:     lastCalls(r.messages),
		MaxOutput: r.fields.number("max_tokens"),
	}
	instructions, tools := p.system, p.spec.Tools
	if !main {
		instructions, tools = systemText(r), nil
	}
	ask.Wire, err = rewrite(p.spec, r, main).wire(header, digestOf(instructions, tools, r.messages))
	return ask, r.streams(), err
}

// main tells whether a request goes on with the conversation: it is told who the model is and what it can do. The
// program's own requests (is the key good, what is a title for this) have other instructions, or no tools.
func (p *protocol) main(r *request) bool {
	if r.fields.number("max_tokens") == 1 || !strings.Contains(systemText(r), p.system) {
		return false
	}
	return len(p.spec.Tools) == 0 || len(r.tools) >= len(p.spec.Tools)
}

// systemText is a request's system prompt, but for the line that the program keeps its accounts with.
func systemText(r *request) string {
	var texts []string
	for _, b := range r.system {
		if text := b.text("text"); !strings.HasPrefix(text, "x-anthropic-billing-header") {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// lastWords are the last words of people's in a conversation.
func lastWords(messages []message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role != user {
			continue
		}
		for _, b := range slices.Backward(m.Content) {
			if text := b.text("text"); b.text("type") == "text" && !reminder(text) {
				return text
			}
		}
	}
	return ""
}

// lastCalls are the calls of the last answer in a conversation; nil where there is no answer.
func lastCalls(messages []message) []string {
	for _, m := range slices.Backward(messages) {
		if m.Role != assistant {
			continue
		}
		calls := []string{}
		for _, b := range m.Content {
			if b.text("type") == "tool_use" {
				calls = append(calls, b.text("id"))
			}
		}
		return calls
	}
	return nil
}

// Answer writes an answer of the journal's, its calls under the names the program knows. The program is told neither that
// an answer was cut, nor that it is a refusal, nor that it is empty: it would ask again in words of its own, or drop the
// answer, and its conversation would not be the journal's. What becomes of such an answer is the host's to say.
func (p *protocol) Answer(a cli.Answer, stream bool) []byte {
	blocks := answerBlocks(models.Message{
		Role: models.RoleAssistant, Text: a.Text, Calls: a.Calls, Native: a.Native, NativeAPI: models.APIMessages,
	})
	if len(blocks) == 0 {
		blocks = []block{textBlock(emptyAnswer)}
	}
	disguise(blocks, p.cleaner.box, p.cleaner.book)
	a.Stop = models.StopEnd
	if len(a.Calls) > 0 {
		a.Stop = models.StopToolCalls
	}
	// Without the calls their inputs are given as the blocks have them: objects, also those that were no JSON, on which the
	// program would give up before it asks the host.
	a.Native, a.Calls = encoded(blocks), nil
	replay := models.Replay{ID: a.ID, Model: p.spec.Model.Name, Answer: a.Answer}
	if stream {
		return models.ReplayMessages(replay)
	}
	return models.ReplayMessagesWhole(replay)
}

// Refusal writes a refusal. The program gives up at once on status 402 (and on 413, for which it has words of its own);
// everything else but a fault in its request it would send again.
func (p *protocol) Refusal(r *cli.Refused) (int, http.Header, []byte) {
	status, kind := http.StatusPaymentRequired, "billing_error"
	switch r.Code {
	case cli.CodeInvalid, cli.CodeEncoding:
		status, kind = http.StatusBadRequest, "invalid_request_error"
	case cli.CodeTooLarge:
		status, kind = http.StatusRequestEntityTooLarge, "request_too_large"
	case cli.CodeUnavailable:
		kind = "api_error"
	}
	header := http.Header{"Content-Type": {"application/json"}, "X-Should-Retry": {"false"}}
	return status, header, errorBody(kind, r.Message)
}

func errorBody(kind, message string) []byte {
	return encoded(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}})
}

// StreamError writes the event that ends a stream.
func (p *protocol) StreamError(message string) []byte {
	return []byte("event: error\ndata: " + string(errorBody("invalid_request_error", message)) + "\n\n")
}

// Beat writes a ping.
func (p *protocol) Beat() []byte { return []byte("event: ping\ndata: {\"type\":\"ping\"}\n\n") }

// countedBytes bounds the body of a request to count tokens (bytes).
const countedBytes = 64 << 20

// Other counts the tokens of a request, three bytes for each: nobody is asked for what only the program's own display needs.
func (p *protocol) Other(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost || r.URL.Path != p.Path()+"/count_tokens" {
		return false
	}
	size, _ := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, countedBytes))
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encoded(map[string]int64{"input_tokens": size/3 + 1}))
	return true
}
