package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/agentrun/agentrun/run"
)

// jevDecoder makes an answer of the one piece that a judge's answer comes in.
type jevDecoder struct{ got *jevAnswer }

// jevAnswer is a System One answer; Answers stays as it was written, for its order is the questions'.
type jevAnswer struct {
	Model   string          `json:"model"`
	Answers json.RawMessage `json:"answers"`
	Usage   *jevUsage       `json:"usage"`
}

func (d *jevDecoder) take(e event) (bool, error) {
	if !utf8.Valid(e.data) {
		return false, errors.New("it is not UTF-8")
	}
	var got jevAnswer
	if err := json.Unmarshal(e.data, &got); err != nil {
		return false, fmt.Errorf("it is not what the protocol says: %w", err)
	}
	if len(got.Answers) == 0 || got.Answers[0] != '{' {
		return false, errors.New("it has no answers")
	}
	d.got = &got
	return true, nil
}

func (d *jevDecoder) answer() (Answer, error) {
	if d.got == nil {
		return Answer{}, errIncomplete
	}
	answer := Answer{Text: string(d.got.Answers), Stop: StopEnd, ServedModel: d.got.Model}
	answer.Usage, answer.NoUsage = d.got.Usage.neutral()
	return answer, nil
}

// jevUsage is a System One usage.
type jevUsage struct {
	InputTokens  *int64 `json:"input_tokens"`
	OutputTokens *int64 `json:"output_tokens"`
}

func (u *jevUsage) neutral() (usage run.Usage, unknown bool) {
	if u == nil {
		return counted(run.Usage{}, true)
	}
	usage = run.Usage{InputTokens: number(u.InputTokens), OutputTokens: number(u.OutputTokens)}
	return counted(usage, u.InputTokens == nil || u.OutputTokens == nil)
}
