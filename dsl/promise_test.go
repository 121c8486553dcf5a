package dsl

import (
	"context"
	"errors"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// drawnDocument draws workflow documents, good and bad: chains of every kind of step, whose templates name keys that are
// there, that come later, or that never come.
func drawnDocument() *rapid.Generator[*Object] {
	return rapid.Custom(func(t *rapid.T) *Object {
		steps := rapid.SliceOfN(drawnStep(2), 1, 5).Draw(t, "steps")
		output := ObjectOf("schemaId", rapid.SampledFrom([]string{"Any", "V", "Gone"}).Draw(t, "schema"))
		if rapid.Bool().Draw(t, "with a path") {
			output.Set("path", drawnPath().Draw(t, "path"))
		}
		return ObjectOf("v", 2.0, "name", "drawn", "schemas", drawnSchemas(), "output", output,
			"root", ObjectOf("node", "chain", "steps", steps))
	})
}

func drawnSchemas() *Object {
	text := ObjectOf("type", "string")
	return ObjectOf(
		"Any", ObjectOf("type", "object"),
		"V", ObjectOf("type", "object", "properties", ObjectOf("v", text), "required", []any{"v"}, "additionalProperties", false),
		"Yes", ObjectOf("type", "object", "properties",
			ObjectOf("ok", ObjectOf("type", "boolean", "description", "Is it?")), "required", []any{"ok"},
			"additionalProperties", false))
}

// drawnPath draws paths: the input's keys, those that steps may write, fields that their schema has and has not, and one
// that nothing writes.
func drawnPath() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"q", "items", "a", "b", "c", "a.v", "b.v", "a.nope", "a$answers", "gone"})
}

func drawnTemplate() *rapid.Generator[*Object] {
	return rapid.Custom(func(t *rapid.T) *Object {
		given := NewObject(2)
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y"}), 1, 2, rapid.ID).Draw(t, "keys") {
			before := rapid.SampledFrom([]string{"", "about "}).Draw(t, "before")
			given.Set(key, before+"{"+drawnPath().Draw(t, "path")+"}")
		}
		return given
	})
}

func drawnPredicate() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		path := drawnPath().Draw(t, "path")
		return rapid.SampledFrom([]any{
			ObjectOf("predicate", "field_true", "path", path), ObjectOf("predicate", "gte", "path", path, "n", 1.0),
			ObjectOf("predicate", "empty", "path", path), ObjectOf("predicate", "no_new_items", "key", path),
			ObjectOf("predicate", "in", "path", path, "values", []any{"x"}), ObjectOf("predicate", "in", "path", path, "values", []any{}),
			ObjectOf("predicate", "expr", "expr", "len(items) > 3"), ObjectOf("predicate", "expr", "expr", "len(items"),
			ObjectOf("predicate", "ask", "instructions", "Is it?"), ObjectOf("predicate", "sometimes"),
		}).Draw(t, "predicate")
	})
}

// drawnStep draws one step; deeper ones may be within it.
func drawnStep(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		as := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "as")
		schema := rapid.SampledFrom([]string{"V", "V", "Yes", "Gone"}).Draw(t, "out")
		given := drawnTemplate().Draw(t, "given")
		kinds := []string{"agent", "decide", "judge", "pick", "sift", "call", "shell", "escalate", "code", "expr", "workflow", "requires"}
		if depth > 0 {
			kinds = append(kinds, "map", "loop", "parallel", "route", "value")
		}
		switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
		case "agent", "decide":
			return ObjectOf("node", kind, "label", kind, "instructions", "i", "out", schema, "as", as, "state", given)
		case "requires":
			return ObjectOf("node", "extract", "label", "r", "instructions", "i", "out", "V", "as", as,
				"requires", []any{drawnPath().Draw(t, "required")})
		case "judge":
			return ObjectOf("node", "judge", "label", "j", "out", "Yes", "as", as, "state", given)
		case "pick":
			return ObjectOf("node", "pick", "label", "p", "itemsPath", drawnPath().Draw(t, "items"),
				"describe", "{item.name}", "instructions", "Which?", "as", as)
		case "sift":
			return ObjectOf("node", "sift", "label", "s", "itemsPath", drawnPath().Draw(t, "items"), "out", "Yes", "as", as,
				"keep", ObjectOf("path", rapid.SampledFrom([]string{"ok", "ok.confidence", "no"}).Draw(t, "keep")))
		case "call":
			return ObjectOf("node", "call", "label", "c", "via", "tool", "tool", "t", "args", given, "out", schema, "as", as, "deadline_s", 1.0)
		case "shell":
			return ObjectOf("node", "call", "label", "sh", "via", "shell", "command", "true", "env", ObjectOf("X", "{q}"), "as", as, "deadline_s", 1.0)
		case "escalate":
			return ObjectOf("node", "escalate", "label", "e", "when", drawnPredicate().Draw(t, "when"), "kind", "k", "stage", "s", "summary", "{gone}")
		case "code":
			return ObjectOf("node", "code", "label", "code", "code",
				rapid.SampledFrom([]string{"s => ({ a: { v: 'x' } })", "s => s.items", "s =>"}).Draw(t, "code"))
		case "expr":
			return ObjectOf("node", "code", "label", "x", "as", as, "expr", rapid.SampledFrom([]string{"len(items)", "1 +"}).Draw(t, "expr"))
		case "workflow":
			return ObjectOf("node", "workflow", "label", "w", "as", as, "out", "V", "input", given, "workflow", drawnChild(t))
		default:
			return branching(t, kind, as, depth-1)
		}
	})
}

func drawnChild(t *rapid.T) *Object {
	return ObjectOf("v", 2.0, "name", "child", "schemas", drawnSchemas(), "input", ObjectOf("schemaId", "Any"),
		"output", ObjectOf("schemaId", "V", "path", "r"),
		"root", ObjectOf("node", "agent", "label", "inner", "instructions", "i", "out", "V", "as", "r",
			"state", ObjectOf("x", "{"+rapid.SampledFrom([]string{"x", "q"}).Draw(t, "child reads")+"}")))
}

func branching(t *rapid.T, kind, as string, depth int) *Object {
	body := drawnStep(depth)
	switch kind {
	case "map":
		return ObjectOf("node", "map", "label", "m", "itemsPath", drawnPath().Draw(t, "items"), "as", as, "body", body.Draw(t, "body"))
	case "loop":
		return ObjectOf("node", "loop", "label", "l", "maxIters", 2.0, "until", drawnPredicate().Draw(t, "until"), "body", body.Draw(t, "body"))
	case "parallel":
		return ObjectOf("node", "parallel", "label", "both", "branches", rapid.SliceOfN(body, 1, 2).Draw(t, "branches"))
	default:
		branches := ObjectOf("x", ObjectOf("body", body.Draw(t, "x")), "y", ObjectOf("body", body.Draw(t, "y")))
		if kind == "value" {
			return ObjectOf("node", "route", "label", "by", "valuePath", drawnPath().Draw(t, "value"), "otherwise", "x", "branches", branches)
		}
		return ObjectOf("node", "route", "label", "r", "state", ObjectOf("x", "{q}"), "instructions", "Where?", "branches", branches)
	}
}

// opaque tells whether a document has a node after which the validator no longer knows which keys there are.
func opaque(root Node) bool {
	for node := range nodes(root) {
		switch node.(type) {
		case *Code, *Map, *Parallel, *Loop, *Route:
			return true
		}
	}
	return false
}

// TestValidDocumentsKeepTheirPromise draws documents, and runs those that validate on answers that fit their schemas:
// they may not fail for what the validator promises to catch.
func TestValidDocumentsKeepTheirPromise(t *testing.T) {
	t.Parallel()
	input := ObjectOf("q", "text", "items", []any{ObjectOf("name", "x"), ObjectOf("name", "y")})
	sandbox := NewSandbox(Bounds{})
	valid := 0
	check := func(t *rapid.T) {
		doc := drawnDocument().Draw(t, "document")
		if len(Validate(doc, Check{InputKeys: input.Keys()})) > 0 {
			return
		}
		valid++
		workflow, err := Build(doc)
		if err != nil {
			t.Fatalf("a valid document is not built: %v", err)
		}
		_, err = workflow.Run(t.Context(), &dryHost{workflow: workflow}, Options{Sandbox: sandbox}, input)
		var failure *Failure
		if err == nil {
			return
		}
		if !errors.As(err, &failure) {
			t.Fatalf("it fails with no failure: %v", err)
		}
		if promised(failure, workflow) {
			t.Fatalf("%s\nvalidates, and fails with %s (%s at %q)", JSON(doc), failure.Error(), failure.Reason, failure.Path)
		}
	}
	for range 10 { // one document of twelve is valid
		rapid.Check(t, check)
	}
	if valid == 0 {
		t.Error("no drawn document was valid")
	}
}

// promised tells whether the validator promises that a document does not fail so: what depends on values it cannot know,
// and which keys there are only as long as nothing hides them from it.
func promised(failure *Failure, workflow *Workflow) bool {
	switch failure.Code {
	case CodeStateInvalid:
		switch failure.Reason {
		case "required_nonempty", "expected_list", "empty_selection", "parallel_write_conflict", "route_type":
			return false
		case "missing_interpolation":
			return !opaque(workflow.Root)
		default:
			return true
		}
	case CodeCodeFailed:
		return false
	case CodeOutputInvalid:
		// A path into a value whose schema is open may lead nowhere.
		return failure.Stage != "output"
	default:
		return true
	}
}

// hostileHost answers with values drawn at random, which fit no schema but by chance.
type hostileHost struct {
	dryHost

	mutex *sync.Mutex
	t     *rapid.T
}

func (h *hostileHost) any(what string) any {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return values().Draw(h.t, what)
}

func (h *hostileHost) Generate(context.Context, Generation) (Submission, error) {
	return Submission{Value: h.any("submission")}, nil
}

func (h *hostileHost) Judge(ctx context.Context, ask Judgment) (Judged, error) {
	judged, err := h.dryHost.Judge(ctx, ask)
	if answers, ok := h.any("answers").(*Object); ok {
		judged.Answers = answers
	}
	return judged, err
}

func (h *hostileHost) Effect(context.Context, Attempt) (Settled, error) {
	return Settled{Result: h.any("result")}, nil
}

// TestAnyAnswerIsSurvived runs valid documents on any answers and any input: each run ends, with a result or a failure.
func TestAnyAnswerIsSurvived(t *testing.T) {
	t.Parallel()
	sandbox := NewSandbox(Bounds{})
	check := func(t *rapid.T) {
		doc := drawnDocument().Draw(t, "document")
		if len(Validate(doc, Check{})) > 0 {
			return
		}
		workflow, err := Build(doc)
		if err != nil {
			t.Fatalf("a valid document is not built: %v", err)
		}
		input := values().Draw(t, "input")
		if keys, ok := input.(*Object); ok {
			input = keys.With("q", values().Draw(t, "q")).With("items", []any{values().Draw(t, "an item")})
		}
		host := &hostileHost{dryHost: dryHost{workflow: workflow}, mutex: &sync.Mutex{}, t: t}
		_, err = workflow.Run(t.Context(), host, Options{Sandbox: sandbox}, input)
		var failure *Failure
		if err != nil && !errors.As(err, &failure) {
			t.Fatalf("it fails with no failure: %v", err)
		}
	}
	for range 5 {
		rapid.Check(t, check)
	}
}
