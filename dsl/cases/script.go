package cases

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentrun/agentrun/dsl"
)

// Script answers what a host is asked from a case's fakes, records each call, and notes what was asked otherwise than
// the case expects. It may be asked from many goroutines at once. A host of any kind can be tested with it: it asks the
// Script where it would ask a model, a judge or a tool.
type Script struct {
	fakes Fakes

	mutex    sync.Mutex
	used     map[string]int
	calls    map[string]int
	attempts []dsl.Attempt
	problems []Problem
	waiting  map[string]bool
	barrier  chan struct{}
	closed   chan struct{}
}

// NewScript makes a script of fakes that were not used before.
func NewScript(fakes Fakes) *Script {
	waiting := map[string]bool{}
	for _, path := range fakes.Barrier {
		waiting[path] = true
	}
	return &Script{
		fakes: fakes, used: map[string]int{}, calls: map[string]int{}, waiting: waiting, barrier: make(chan struct{}),
		closed: make(chan struct{}),
	}
}

// Close lets go of the effects that never settle.
func (s *Script) Close() { close(s.closed) }

// errNoFake is a call that the case has no answer for.
var errNoFake = errors.New("the case has no answer")

// take counts a call and finds its answer.
func (s *Script) take(kind, path string, from map[string]Answers) (*dsl.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.calls[kind]++
	answers, ok := from[path]
	if !ok {
		return nil, fmt.Errorf("%w for %s at %s", errNoFake, kind, path)
	}
	n := s.used[kind+path]
	s.used[kind+path]++
	if answers.Repeat {
		n = 0
	}
	if n >= len(answers.List) {
		return nil, fmt.Errorf("%w for %s at %s: it was asked %d times", errNoFake, kind, path, n+1)
	}
	return answers.List[n], nil
}

// meet holds an answer back until all paths of the barrier were asked.
func (s *Script) meet(ctx context.Context, path string) error {
	if !slices.Contains(s.fakes.Barrier, path) {
		return nil
	}
	s.mutex.Lock()
	delete(s.waiting, path)
	if len(s.waiting) == 0 {
		select {
		case <-s.barrier:
		default:
			close(s.barrier)
		}
	}
	s.mutex.Unlock()
	select {
	case <-s.barrier:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx) //nolint:wrapcheck // the run was cancelled
	}
}

// expects notes a problem where a call does not have what the case expects of it.
func (s *Script) expects(fake *dsl.Object, key, path string, got any) {
	want, ok := fake.Get(key)
	if !ok || dsl.Equal(want, got) {
		return
	}
	s.note(Problem{What: key + " at " + path, Want: dsl.JSON(want), Got: dsl.JSON(got)})
}

func (s *Script) note(problem Problem) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.problems = append(s.problems, problem)
}

// Generate answers a generative node: it hands the drafts to the review, then submits.
func (s *Script) Generate(ctx context.Context, ask dsl.Generation) (dsl.Submission, error) {
	fake, err := s.take("gen", ask.Path, s.fakes.Generate)
	if err != nil {
		return dsl.Submission{}, err
	}
	if err := s.meet(ctx, ask.Path); err != nil {
		return dsl.Submission{}, err
	}
	s.expectPrompt(fake, ask)
	drafts, _ := fake.Get("drafts")
	for _, draft := range listOf(drafts) {
		if ask.Review == nil {
			break
		}
		if _, err := ask.Review(ctx, draft); err != nil {
			return dsl.Submission{}, err //nolint:wrapcheck // the interpreter's own error
		}
	}
	value, _ := fake.Get("submission")
	markdown, _ := fake.Get("markdown")
	text, _ := markdown.(string)
	return dsl.Submission{Value: value, Markdown: text}, nil
}

func (s *Script) expectPrompt(fake *dsl.Object, ask dsl.Generation) {
	if want, ok := fake.Get("expect_user"); ok {
		got, err := dsl.Decode([]byte(ask.User))
		if err != nil {
			got = ask.User
		}
		if text, isText := want.(string); isText {
			if wanted, err := dsl.Decode([]byte(text)); err == nil {
				want = wanted
			}
		}
		s.expects(dsl.ObjectOf("expect_user", want), "expect_user", ask.Path, got)
	}
	s.expects(fake, "expect_system", ask.Path, anyOf(ask.System))
	var tools any
	if ask.Tools != nil {
		tools = anyOf(ask.Tools)
	}
	s.expects(fake, "expect_tools", ask.Path, tools)
	var item any
	if ask.Item != nil {
		item = dsl.ObjectOf("label", ask.Item.Label, "index", float64(ask.Item.Index))
	}
	s.expects(fake, "expect_item", ask.Path, item)
}

// Decode is the host policy's decoding of a case: what the fake of the node keeps beside its submission.
func (s *Script) Decode(ask dsl.Generation, submission any) (any, *dsl.Object, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	answers := s.fakes.Generate[ask.Path]
	n := max(0, s.used["gen"+ask.Path]-1)
	if answers.Repeat {
		n = 0
	}
	if n >= len(answers.List) {
		return submission, nil, nil
	}
	value, _ := answers.List[n].Get("host")
	host, _ := value.(*dsl.Object)
	return submission, host, nil
}

// AfterNode is the host policy's patch of a case after the node at a path.
func (s *Script) AfterNode(path string, _ dsl.Node, _ *dsl.Object) (*dsl.Object, error) {
	return s.fakes.After[path], nil
}

// Policy is what the case's host adds to the language.
func (s *Script) Policy() dsl.Policy { return dsl.Policy{Decode: s.Decode, AfterNode: s.AfterNode} }

// Adapters are what the case's host offers.
func (s *Script) Adapters() *dsl.Adapters {
	absent := strings.Join(s.fakes.Absent, " ")
	return &dsl.Adapters{
		Generate: !strings.Contains(absent, "runNode"), Judge: !strings.Contains(absent, "runJudge"),
		Effect: !strings.Contains(absent, "runEffect"),
	}
}

// Problems are what was asked otherwise than the case expects.
func (s *Script) Problems() []Problem {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.problems)
}

// Calls counts the calls of a kind: gen, judge or effect.
func (s *Script) Calls(kind string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.calls[kind]
}

// Attempts are the attempts of calls, in the order in which they came.
func (s *Script) Attempts() []dsl.Attempt {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.attempts)
}

func listOf(value any) []any {
	items, _ := value.([]any)
	return items
}

func anyOf(texts []string) []any {
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = text
	}
	return items
}
