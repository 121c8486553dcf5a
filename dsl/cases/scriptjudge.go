package cases

import (
	"context"
	"strings"

	"github.com/agentrun/agentrun/dsl"
)

// Judge answers a judge's questions.
func (s *Script) Judge(ctx context.Context, ask dsl.Judgment) (dsl.Judged, error) {
	fake, err := s.take("judge", ask.Path, s.fakes.Judge)
	if err != nil {
		return dsl.Judged{}, err
	}
	if err := s.meet(ctx, ask.Path); err != nil {
		return dsl.Judged{}, err
	}
	s.expects(fake, "expect_state", ask.Path, ask.State)
	s.expects(fake, "expect_kind", ask.Path, ask.Purpose)
	s.expects(fake, "expect_label", ask.Path, ask.Label)
	s.expectQuestions(fake, ask)
	judged := dsl.Judged{Source: "model"}
	if model, ok := fake.Get("model"); ok {
		judged.Model, _ = model.(string)
	}
	if cost, ok := fake.Get("cost_usd"); ok {
		if usd, isNumber := cost.(float64); isNumber {
			judged.CostUSD = &usd
		}
	}
	if items, ok := fake.Get("items"); ok {
		judged.Answers = answersOfItems(listOf(items), ask)
		return judged, nil
	}
	answers, _ := fake.Get("answers")
	judged.Answers, _ = answers.(*dsl.Object)
	return judged, nil
}

// answersOfItems renames the answers by item to what one request asks: `0.id` is about the first item that the
// request's state holds.
func answersOfItems(items []any, ask dsl.Judgment) *dsl.Object {
	first := firstItem(ask.State)
	renamed := dsl.NewObject(len(ask.Questions))
	for _, question := range ask.Questions {
		local, id, _ := strings.Cut(question.ID, ".")
		at := first + indexOf(local)
		if at >= len(items) {
			continue
		}
		item, _ := items[at].(*dsl.Object)
		answers, _ := item.Get("answers")
		object, _ := answers.(*dsl.Object)
		if answer, ok := object.Get(id); ok {
			renamed.Set(question.ID, answer)
		}
	}
	return renamed
}

// firstItem reads which item a request begins with off its state.
func firstItem(state any) int {
	object, _ := state.(*dsl.Object)
	items, _ := object.Get("items")
	list := listOf(items)
	if len(list) == 0 {
		return 0
	}
	entry, _ := list[0].(*dsl.Object)
	id, _ := entry.Get("id")
	text, _ := id.(string)
	return indexOf(strings.TrimPrefix(text, "item_"))
}

func indexOf(text string) int {
	index := 0
	for _, digit := range text {
		index = index*10 + int(digit-'0')
	}
	return index
}

func (s *Script) expectQuestions(fake *dsl.Object, ask dsl.Judgment) {
	ids := make([]any, len(ask.Questions))
	asked := dsl.NewObject(len(ask.Questions))
	for i, question := range ask.Questions {
		ids[i] = question.ID
		asked.Set(question.ID, shown(question))
	}
	s.expects(fake, "expect_question_ids", ask.Path, ids)
	if want, ok := fake.Get("expect_questions"); ok && !contains(asked, want) {
		s.note(Problem{What: "expect_questions at " + ask.Path, Want: dsl.JSON(want), Got: dsl.JSON(asked)})
	}
	if len(ask.Questions) > 0 {
		s.expects(fake, "expect_criteria", ask.Path, ask.Questions[0].Criteria)
	}
}

// shown is a question as cases write it.
func shown(question dsl.Question) *dsl.Object {
	object := dsl.ObjectOf("type", question.Type, "instructions", question.Instructions)
	switch {
	case question.Type == "score":
		object.Set("criteria", anyOf(question.Levels))
	case question.Criteria.Len() > 0:
		object.Set("criteria", question.Criteria)
	}
	return object
}

// contains tells whether a value has everything that another names: objects may have more keys.
func contains(got, want any) bool {
	wanted, ok := want.(*dsl.Object)
	if !ok {
		return dsl.Equal(got, want)
	}
	object, ok := got.(*dsl.Object)
	if !ok {
		return false
	}
	for key, value := range wanted.All() {
		found, has := object.Get(key)
		if !has || !contains(found, value) {
			return false
		}
	}
	return true
}
