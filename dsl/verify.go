package dsl

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// verifySuffix follows a node's key to make that of its record of reviews.
const verifySuffix = "$verify"

// meetsFrom is the probability from which a requirement of a submission is met.
const meetsFrom = 0.5

// reviewer has a judge doubt the drafts of one node, up to its number of drives.
type reviewer struct {
	in        *interpreter
	at        scope
	node      *Generate
	schema    *Object
	state     *Object
	questions []Question

	mutex    sync.Mutex
	drives   []any
	last     any
	accepted bool
	answers  any
}

func newReviewer(in *interpreter, at scope, node *Generate, schema, state *Object) *reviewer {
	if node.Verify == nil {
		return nil
	}
	questions, _ := object(at.workflow.Schemas, node.Verify.Out)
	return &reviewer{in: in, at: at, node: node, schema: schema, state: state, questions: questionsOf(questions)}
}

// draft reviews what the session would submit. It does not fail on a draft that the schema refuses: that is said when
// it is submitted.
func (r *reviewer) draft(ctx context.Context, draft any) (Review, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	value := declared(r.schema, withNulls(r.schema, draft, 0))
	return r.drive(ctx, value)
}

// final checks what was submitted, unless it is the draft that was accepted last. It returns the record of all drives.
func (r *reviewer) final(ctx context.Context, value any) (*Object, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.accepted || !Equal(r.last, value) {
		review, err := r.drive(ctx, value)
		if err != nil {
			return nil, err
		}
		if !review.Accepted {
			return nil, r.exhausted(value)
		}
	}
	return ObjectOf("drives", r.drives, "answers", r.answers), nil
}

func (r *reviewer) exhausted(candidate any) *Failure {
	return &Failure{
		Code: CodeVerification, Class: ClassRun, Stage: r.at.label(r.node), ExecutionPath: r.at.path,
		Candidate: candidate, Drives: r.drives, Message: "the submission was not accepted by its review",
	}
}

func (r *reviewer) drive(ctx context.Context, value any) (Review, error) {
	if len(r.drives) >= r.node.Verify.MaxDrives {
		return Review{}, r.exhausted(value)
	}
	at := r.at
	at.ctx = ctx
	seen, err := r.judged(value)
	if err != nil {
		return Review{}, err
	}
	place := at.place(r.node)
	place.Label += " (verify)"
	said, err := r.in.askJudge(at, Judgment{
		Place: place, Purpose: "verify", Request: len(r.drives), State: seen, Questions: r.questions,
	})
	if err != nil {
		return Review{}, err
	}
	review := r.weigh(said, value)
	review.Drive = len(r.drives) + 1
	review.Last = review.Drive >= r.node.Verify.MaxDrives
	sidecar := said.sidecar()
	record := ObjectOf("drive", float64(review.Drive), "doubted", anys(review.Doubted), "unmet", anys(review.Unmet),
		"accepted", review.Accepted, "sidecar", sidecar)
	r.drives = append(r.drives, record)
	r.last, r.accepted, r.answers = value, review.Accepted, said.Answers
	r.in.emit(at, r.node, "verify.answered", said.describe(merged(record, nil)))
	return review, nil
}

// judged is the state that the judge sees: the node's own, in which its key already reads the candidate, and the
// candidate as `submission`.
func (r *reviewer) judged(value any) (*Object, error) {
	with := r.state.With(keyOf(r.node), value)
	seen := NewObject(1)
	if given := r.node.Verify.State; given != nil {
		var err error
		if seen, err = filled(r.at, r.node, given, with); err != nil {
			return nil, err
		}
	}
	return seen.With("submission", value), nil
}

// weigh sorts the answers: a field of the submission that is filled but likely wrong is doubted, a requirement that is
// likely not met is unmet.
func (r *reviewer) weigh(said *answered, value any) Review {
	review := Review{Doubted: []string{}, Unmet: []string{}}
	fields, _ := value.(*Object)
	for i, question := range said.questions {
		if question.Type != typeNoul {
			continue
		}
		yes := said.answers[i].measure
		field, has := fields.Get(question.ID)
		switch {
		case has && isFilled(field) && yes < r.node.Verify.Below:
			review.Doubted = append(review.Doubted, question.ID)
		case !has && yes < meetsFrom:
			review.Unmet = append(review.Unmet, question.ID)
		}
	}
	review.Accepted = len(review.Doubted) == 0 && len(review.Unmet) == 0
	return review
}

// isFilled tells whether a field claims something that could be wrong.
func isFilled(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return !isPlaceholder(v)
	case []any:
		return len(v) > 0
	default:
		return true
	}
}

// isPlaceholder tells whether a text only says that there is nothing.
func isPlaceholder(text string) bool {
	word := strings.ToLower(trimSpace(text))
	if rest, ok := strings.CutPrefix(word, "not "); ok {
		return slices.Contains([]string{"published", "stated", "available", "found", "applicable"}, trimSpace(rest))
	}
	return slices.Contains([]string{"", "none", "null", "nil", "n/a", "na", "unknown", "-"}, word)
}
