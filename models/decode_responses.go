package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// responsesDecoder makes an answer of a Responses stream. The deltas are shown only; the answer is made of the finished
// items.
type responsesDecoder struct {
	room    room
	onDelta func(Delta)
	items   map[int]json.RawMessage
	final   *response
}

type response struct {
	Status     string            `json:"status"`
	Model      string            `json:"model"`
	Output     []json.RawMessage `json:"output"`
	Usage      *responsesUsage   `json:"usage"`
	Error      *fault            `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

func (d *responsesDecoder) take(e event) (bool, error) {
	kind := e.kind
	if kind == "" {
		var named struct {
			Type string `json:"type"`
		}
		if err := decodeEvent(e, &named); err != nil {
			return false, err
		}
		kind = named.Type
	}
	switch kind {
	case "response.output_text.delta", "response.refusal.delta":
		return false, d.delta(e, func(text string) Delta { return Delta{Text: text} })
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return false, d.delta(e, func(text string) Delta { return Delta{Reasoning: text} })
	case "response.output_item.done":
		return false, d.item(e)
	case "response.completed", "response.incomplete", "response.failed":
		return true, d.end(e)
	case "error":
		return false, streamFault(e)
	}
	return false, e.check()
}

func (d *responsesDecoder) delta(e event, made func(string) Delta) error {
	var piece struct {
		Delta string `json:"delta"`
	}
	if err := decodeEvent(e, &piece); err != nil {
		return err
	}
	d.onDelta(made(piece.Delta))
	return nil
}

func (d *responsesDecoder) item(e event) error {
	var done struct {
		Index int             `json:"output_index"`
		Item  json.RawMessage `json:"item"`
	}
	if err := decodeEvent(e, &done); err != nil {
		return err
	}
	if _, twice := d.items[done.Index]; twice || done.Index < 0 {
		return fmt.Errorf("output item %d came twice or has no place", done.Index)
	}
	if d.items == nil {
		d.items = map[int]json.RawMessage{}
	}
	d.items[done.Index] = done.Item
	return d.room.take(len(done.Item))
}

func (d *responsesDecoder) end(e event) error {
	var ended struct {
		Response *response `json:"response"`
	}
	if err := decodeEvent(e, &ended); err != nil {
		return err
	}
	if ended.Response == nil {
		return errors.New("the last event has no response")
	}
	d.final = ended.Response
	return nil
}

func (d *responsesDecoder) answer() (Answer, error) {
	if d.final == nil {
		return Answer{}, errIncomplete
	}
	answer := Answer{ServedModel: d.final.Model}
	answer.Usage, answer.NoUsage = d.final.Usage.neutral()
	if d.final.Status == "failed" {
		reported := d.final.Error
		if reported == nil {
			reported = &fault{}
		}
		reported.used = &answer
		return Answer{}, reported
	}
	output, err := d.output()
	if err != nil {
		return Answer{}, err
	}
	read := itemReader{answer: &answer}
	for _, raw := range output {
		if err := read.item(raw); err != nil {
			return Answer{}, err
		}
	}
	read.finish()
	if err := distinct(answer.Calls); err != nil {
		return Answer{}, err
	}
	return d.stop(answer)
}

// output are the answer's items: those of the last event, or, from servers that leave it empty there, those that came
// one by one.
func (d *responsesDecoder) output() ([]json.RawMessage, error) {
	if len(d.final.Output) > 0 {
		return d.final.Output, nil
	}
	output := make([]json.RawMessage, len(d.items))
	for i := range output {
		item, ok := d.items[i]
		if !ok {
			return nil, fmt.Errorf("output item %d never came", i)
		}
		output[i] = item
	}
	return output, nil
}

func (d *responsesDecoder) stop(answer Answer) (Answer, error) {
	final := d.final
	switch {
	case final.Status == "incomplete" && final.Incomplete.Reason == "content_filter":
		return Answer{}, &fault{Code: "content_filter", used: &answer}
	case final.Status == "incomplete":
		answer.Stop = StopLength
	case final.Status != "completed":
		return Answer{}, fmt.Errorf("the answer ended %q", final.Status)
	case len(answer.Calls) > 0:
		answer.Stop = StopToolCalls
	case answer.Refusal != "" && strings.TrimSpace(answer.Text) == "":
		answer.Stop = StopRefusal
	default:
		answer.Stop = StopEnd
	}
	return answer, nil
}
