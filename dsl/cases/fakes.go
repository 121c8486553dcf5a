package cases

import "github.com/agentrun/agentrun/dsl"

// Fakes are scripted answers by execution path. Of a path's answers the last one is given again where Repeat says so.
type Fakes struct {
	Generate map[string]Answers
	Judge    map[string]Answers
	Effect   map[string]Answers
	// Code says what code returns at a path. The document's own code runs; this only tells readers.
	Code map[string]any
	// After are the patches of the host's policy after the node at a path.
	After map[string]*dsl.Object
	// Barrier are paths none of whose answers is given before all were asked.
	Barrier []string
	// Absent are adapters that the host does not offer: runNode, runJudge, runEffect.
	Absent []string
}

// Answers are the answers at one path, in order; one that Repeat marks is given every time.
type Answers struct {
	List   []*dsl.Object
	Repeat bool
}

// ReadFakes reads scripted answers that stand by themselves: {gen, judge, effect, code, after, barrier, absent_adapters}.
func ReadFakes(value any) (Fakes, error) {
	r := &reader{}
	fakes := r.fakes(dsl.ObjectOf("fakes", value))
	return fakes, r.err
}

func (r *reader) fakes(fields *dsl.Object) Fakes {
	object := r.field(fields, "fakes", "gen", "judge", "effect", "code", "after", "barrier", "absent_adapters")
	fakes := Fakes{
		Generate: r.answers(object, "gen", "submission", "markdown", "host", "drafts", "expect_user", "expect_system",
			"expect_tools", "expect_item"),
		Judge: r.answers(object, "judge", "answers", "items", "model", "cost_usd", "expect_state", "expect_questions",
			"expect_criteria", "expect_question_ids", "expect_kind", "expect_label"),
		Effect: r.answers(object, "effect", "result", "throw", "pending", "reject_on_abort", "expect_input"),
		Code:   map[string]any{}, After: map[string]*dsl.Object{},
		Barrier: r.texts(object, "barrier"), Absent: r.texts(object, "absent_adapters"),
	}
	for path, value := range r.field(object, "code", "*").All() {
		fakes.Code[path] = value
	}
	for path, value := range r.field(object, "after", "*").All() {
		fakes.After[path] = r.object("after", value, "*")
	}
	return fakes
}

func (r *reader) answers(from *dsl.Object, kind string, known ...string) map[string]Answers {
	found := map[string]Answers{}
	for path, value := range r.field(from, kind, "*").All() {
		items, isList := value.([]any)
		if !isList {
			items = []any{value}
		}
		answers := Answers{Repeat: !isList}
		for _, item := range items {
			answers.List = append(answers.List, r.object(kind+" at "+path, item, known...))
		}
		found[path] = answers
	}
	return found
}
