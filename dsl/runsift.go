package dsl

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// siftInFlight is how many requests of one sift are open at once.
const siftInFlight = 4

// runSift asks the same questions of every item, in as few requests as the judge's bounds allow, and keeps some items.
func (in *interpreter) runSift(at scope, node *Sift, state *Object) (*Object, error) {
	if err := in.needs(at, node, node.Requires, state); err != nil {
		return nil, err
	}
	items, err := itemsAt(at, node, node.ItemsPath, state)
	if err != nil {
		return nil, err
	}
	seen, err := filled(at, node, node.State, state)
	if err != nil {
		return nil, err
	}
	schema, _ := object(at.workflow.Schemas, node.Out)
	sifting := &sifting{in: in, at: at, node: node, seen: seen, questions: questionsOf(schema)}
	for i, item := range items {
		sifting.entries = append(sifting.entries, siftEntry(node, state, item, i))
	}
	requests, err := sifting.split()
	if err != nil {
		return nil, err
	}
	said, err := sifting.ask(requests)
	if err != nil {
		return nil, err
	}
	value, err := sifting.value(items, requests, said)
	if err != nil {
		return nil, err
	}
	in.emit(at, node, "judge.answered", siftDetail(node, value, said, len(items)))
	return state.With(node.As, value), nil
}

// sifting is one run of a sift. Entries are the items as the judge sees them.
type sifting struct {
	in        *interpreter
	at        scope
	node      *Sift
	seen      *Object
	questions []Question
	entries   []any
}

func siftEntry(node *Sift, state *Object, item any, i int) *Object {
	entry := ObjectOf("id", itemID(i))
	if node.Describe != "" {
		entry.Set("summary", describeItem(node.Describe, state, item, i))
	}
	entry.Set("item", item)
	return entry
}

// span is the items of one request: from, and up to but not with.
type span struct{ from, to int }

// split puts as many items into each request as its bounds allow.
func (s *sifting) split() ([]span, error) {
	perRequest := s.in.options.MaxQuestionsPerRequest / max(1, len(s.questions))
	limit := s.in.options.MaxStateBytesPerRequest
	base := len(JSON(s.seen.With("items", []any{})))
	if limit > 0 && base > limit && len(s.entries) > 0 {
		return nil, s.tooLarge("the state without any item", base, limit)
	}
	var requests []span
	size := base
	for i, entry := range s.entries {
		bytes := 0
		if limit > 0 {
			bytes = len(JSON(entry)) + 1
			// The comma before the first item of a list is not there.
			if base+bytes-1 > limit {
				return nil, s.tooLarge(itemID(i), base+bytes-1, limit)
			}
		}
		last := len(requests) - 1
		if last < 0 || i-requests[last].from >= perRequest || limit > 0 && size+bytes-1 > limit {
			requests, size = append(requests, span{from: i, to: i}), base
			last++
		}
		requests[last].to = i + 1
		size += bytes
	}
	return requests, nil
}

func (s *sifting) tooLarge(what string, size, limit int) error {
	return &Failure{
		Class: ClassCapability, Stage: s.at.label(s.node), ExecutionPath: s.at.path, Path: s.node.ItemsPath,
		Message: fmt.Sprintf("%s takes %d bytes, and a request to the judge may have %d", what, size, limit),
	}
}

func (s *sifting) ask(requests []span) ([]*answered, error) {
	said := make([]*answered, len(requests))
	failed, _ := s.in.fanOut(s.at.ctx, len(requests), siftInFlight, func(ctx context.Context, i int) error {
		at := s.at
		at.ctx = ctx
		var err error
		said[i], err = s.in.askJudge(at, Judgment{
			Place: at.place(s.node), Purpose: "sift", Request: i, Questions: s.asked(requests[i]),
			State: s.seen.With("items", s.entries[requests[i].from:requests[i].to:requests[i].to]),
		})
		return err
	})
	return said, joined(s.at.ctx, s.at, s.at.label(s.node), failed, len(requests))
}

// asked are the questions of one request: each of them for each of its items, named by the item's place in the request.
func (s *sifting) asked(request span) []Question {
	questions := make([]Question, 0, (request.to-request.from)*len(s.questions))
	for i := request.from; i < request.to; i++ {
		local := strconv.Itoa(i - request.from)
		for _, question := range s.questions {
			question.ID = local + "." + question.ID
			question.Instructions = "About items[" + local + "], which is " + itemID(i) + ": " + question.Instructions
			questions = append(questions, question)
		}
	}
	return questions
}

// value is what the state gets: the kept items and their indexes, and what was said of every item.
func (s *sifting) value(items []any, requests []span, said []*answered) (*Object, error) {
	keptItems, kept, values, sidecars := []any{}, []any{}, []any{}, []any{}
	for r, request := range requests {
		for i := request.from; i < request.to; i++ {
			answers := said[r].answers[(i-request.from)*len(s.questions):][:len(s.questions)]
			value := (&answered{questions: s.questions, answers: answers}).values()
			if problems := s.in.problems(s.at.workflow, s.node.Out, value); len(problems) > 0 {
				return nil, outputInvalid(s.at, s.at.label(s.node), problems)
			}
			values = append(values, value)
			sidecars = append(sidecars, sidecarOf(s.questions, answers, s.rawOf(said[r], i-request.from)))
			if s.keeps(answers) {
				keptItems, kept = append(keptItems, items[i]), append(kept, float64(i))
			}
		}
	}
	return ObjectOf("items", keptItems, "values", values, "answers", sidecars, "kept", kept), nil
}

// rawOf are the raw answers for one item of a request, under the questions' own names.
func (s *sifting) rawOf(said *answered, local int) *Object {
	raw := NewObject(len(s.questions))
	for _, question := range s.questions {
		answer, _ := said.Answers.Get(strconv.Itoa(local) + "." + question.ID)
		raw.Set(question.ID, answer)
	}
	return raw
}

func (s *sifting) keeps(answers []answer) bool {
	if s.node.KeepPath == "" {
		return true
	}
	id, byConfidence := strings.CutSuffix(s.node.KeepPath, ".confidence")
	for i, question := range s.questions {
		if question.ID != id {
			continue
		}
		measure, bound := answers[i].measure, 0.0
		if byConfidence {
			measure = fourDecimals(answers[i].confidence)
		} else if question.Type == typeNoul {
			bound = 0.5
		}
		if s.node.KeepAt != nil {
			bound = *s.node.KeepAt
		}
		return measure >= bound
	}
	return false
}

// siftDetail tells of all requests together: the cost is unknown where one's is, the model where they differ.
func siftDetail(node *Sift, value *Object, said []*answered, count int) *Object {
	kept, _ := value.Get("kept")
	detail := ObjectOf("kind", "sift", "as", node.As, "count", float64(count), "kept", kept, "model", nil, "cost_usd", nil)
	if len(said) > 1 {
		detail.Set("requests", float64(len(said)))
	}
	total, known := 0.0, len(said) > 0
	for i, answered := range said {
		if i == 0 {
			detail.Set("model", textOrNull(answered.Model))
			detail.Set("source", textOrNull(answered.Source))
		}
		if answered.Model != said[0].Model {
			detail.Set("model", nil)
		}
		if answered.CostUSD == nil {
			known = false
			continue
		}
		total += *answered.CostUSD
	}
	if known {
		detail.Set("cost_usd", total)
	}
	return detail
}
