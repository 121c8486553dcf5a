package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The two parts of a judgment, as the one message of a request to a judge has them.
const (
	partState     = "state"
	partQuestions = "questions"
)

var errNoJudgment = errors.New(`it is not one JSON object of a "state" and the "questions" about it`)

// encodeJev writes the body of a System One request: the model, and the state and the questions in the order and the
// bytes of the caller, because a judge may read both.
func encodeJev(r Request) ([]byte, error) {
	if len(r.Messages) != 1 || r.Messages[0].Role != RoleUser {
		return nil, fmt.Errorf("the judge %s takes one message of a user, and nothing else of a conversation", r.Model.ID)
	}
	if r.Instructions != "" || len(r.Tools) > 0 || len(r.Output) > 0 {
		return nil, fmt.Errorf("the judge %s takes no instructions, no tools and no schema", r.Model.ID)
	}
	parts, err := judgmentParts(r.Messages[0].Text)
	if err != nil {
		return nil, fmt.Errorf("the message to the judge %s: %w", r.Model.ID, err)
	}
	b := body{buf: make([]byte, 0, len(r.Messages[0].Text)+len(r.Model.Name)+len(`{"model":"",}`))}
	b.open('{')
	b.field("model", r.Model.Name)
	for _, part := range parts {
		b.rawField(part.name, part.value)
	}
	b.close('}')
	return b.buf, nil
}

// part is one field of an object, its value as it was written.
type part struct {
	name  string
	value json.RawMessage
}

// judgmentParts are the state and the questions of a message, in its order.
func judgmentParts(text string) ([]part, error) {
	if !utf8.ValidString(text) {
		return nil, errNoJudgment
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, errNoJudgment
	}
	var parts []part
	seen := map[string]bool{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, errNoJudgment
		}
		next := part{name: fmt.Sprint(name)}
		if err := decoder.Decode(&next.value); err != nil || seen[next.name] {
			return nil, errNoJudgment
		}
		seen[next.name] = true
		parts = append(parts, next)
		if next.name == partQuestions && next.value[0] != '{' {
			return nil, errNoJudgment
		}
	}
	if _, err := decoder.Token(); err != nil || len(parts) != 2 || !seen[partState] || !seen[partQuestions] {
		return nil, errNoJudgment
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNoJudgment
	}
	return parts, nil
}
