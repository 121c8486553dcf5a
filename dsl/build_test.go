package dsl

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func docWith(root *Object) *Object {
	return ObjectOf("v", 2.0, "name", "w", "schemas", ObjectOf("O", ObjectOf("type", "object")),
		"output", ObjectOf("schemaId", "O", "path", "x"), "root", root)
}

func TestBuild(t *testing.T) {
	t.Parallel()
	at, yes := 0.25, "it is"
	emptyChain := &Chain{Base: Base{Kind: KindChain}, Steps: []Node{}}
	base := func(kind Kind) Base { return Base{Kind: kind, Label: "l", As: "a"} }
	cases := map[string]struct {
		node *Object
		want Node
	}{
		"code": {
			ObjectOf("node", "code", "label", "l", "as", "a", "code", "s => 1"),
			&Code{Base: base(KindCode), Source: "s => 1"},
		},
		"an agent with every default": {
			ObjectOf("node", "agent", "label", "l", "as", "a", "instructions", "i", "out", "O",
				"verify", ObjectOf("out", "Q")),
			&Generate{
				Base: base(KindAgent), Instructions: "i", Out: "O",
				Verify: &Verify{Out: "Q", MaxDrives: 2, Below: 0.3},
			},
		},
		"an agent with no tools, which is not the default tools": {
			ObjectOf("node", "agent", "label", "l", "as", "a", "tools", []any{}, "sopSection", "One"),
			&Generate{Base: base(KindAgent), Tools: []string{}, SOPSections: []string{"One"}},
		},
		"a prose artifact, which is a report": {
			ObjectOf("node", "artifact", "label", "l", "as", "a", "type", "markdown", "path", "x.md", "instructions", "i"),
			&Generate{Base: base(KindReport), Instructions: "i"},
		},
		"a file artifact": {
			ObjectOf("node", "artifact", "label", "l", "as", "a", "type", "video", "path", "x.mp4"),
			&Artifact{Base: base(KindArtifact), Type: "video", Path: "x.mp4"},
		},
		"a call with retry and poll": {
			ObjectOf("node", "call", "label", "l", "as", "a", "via", "tool", "tool", "t", "args", ObjectOf("x", 1.0),
				"deadline_s", 3.0, "retry", ObjectOf("attempts", 3.0),
				"poll", ObjectOf("until", ObjectOf("predicate", "empty", "path", "p"), "interval_s", 1.0, "deadline_s", 9.0)),
			&Call{
				Base: base(KindCall), Via: "tool", Tool: "t", Args: ObjectOf("x", 1.0), DeadlineSeconds: 3,
				Retry: &Retry{Attempts: 3, BackoffSeconds: 1},
				Poll: &Poll{
					Until: &Predicate{Name: "empty", Path: "p"}, IntervalSeconds: 1, DeadlineSeconds: 9,
				},
			},
		},
		"a loop until a judge says so": {
			ObjectOf("node", "loop", "label", "l", "as", "a", "maxIters", 5.0, "body", ObjectOf("node", "chain"),
				"until", ObjectOf("predicate", "ask", "instructions", "done?", "criteria", ObjectOf("true", "it is"))),
			&Loop{
				Base: base(KindLoop), MaxIters: 5, Body: emptyChain,
				Until: &Predicate{Name: "ask", Ask: &Ask{Instructions: "done?", True: &yes, AtLeast: 0.6}},
			},
		},
		"a sift that keeps from a bound on": {
			ObjectOf("node", "sift", "label", "l", "as", "a", "itemsPath", "i", "out", "Q",
				"keep", ObjectOf("path", "q", "gte", 0.25)),
			&Sift{Base: base(KindSift), ItemsPath: "i", Out: "Q", KeepPath: "q", KeepAt: &at},
		},
		"a route, its branches in the document's order": {
			ObjectOf("node", "route", "label", "l", "as", "a", "valuePath", "v", "otherwise", "9", "branches", ObjectOf(
				"b", ObjectOf("body", ObjectOf("node", "chain")),
				"9", ObjectOf("criteria", "it is", "body", ObjectOf("node", "chain")))),
			&Route{
				Base: base(KindRoute), ValuePath: "v", Otherwise: "9", Branches: []Branch{
					{Name: "b", Body: emptyChain},
					{Name: "9", Criteria: &yes, Body: emptyChain},
				},
			},
		},
		"a map with the default width": {
			ObjectOf("node", "map", "label", "l", "as", "a", "itemsPath", "i", "body",
				ObjectOf("node", "parallel", "branches", []any{ObjectOf("node", "chain")})),
			&Map{
				Base: base(KindMap), ItemsPath: "i", MaxConcurrency: 4,
				Body: &Parallel{Base: Base{Kind: KindParallel}, Branches: []Node{emptyChain}},
			},
		},
		"an escalation": {
			ObjectOf("node", "escalate", "label", "l", "as", "a", "kind", "review", "stage", "s", "summary", "x",
				"when", ObjectOf("predicate", "in", "path", "p", "values", []any{1.0, "b"})),
			&Escalate{
				Base: base(KindEscalate), Reason: "review", Stage: "s", Summary: "x",
				When: &Predicate{Name: "in", Path: "p", Values: []any{1.0, "b"}},
			},
		},
		"a judge": {
			ObjectOf("node", "judge", "label", "l", "as", "a", "state", ObjectOf("k", "{v}"), "out", "Q"),
			&Judge{Base: base(KindJudge), State: ObjectOf("k", "{v}"), Out: "Q"},
		},
		"a pick": {
			ObjectOf("node", "pick", "label", "l", "as", "a", "itemsPath", "i", "describe", "{item}", "allowNone", true),
			&Pick{Base: base(KindPick), ItemsPath: "i", Describe: "{item}", AllowNone: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := Build(docWith(tc.node))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, w.Root, cmp.AllowUnexported(Object{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBuildOfAChildKeepsItsOwnSource(t *testing.T) {
	t.Parallel()
	child := docWith(ObjectOf("node", "artifact", "type", "report"))
	w, err := Build(docWith(ObjectOf("node", "workflow", "label", "c", "as", "c", "out", "O", "workflow", child)))
	if err != nil {
		t.Fatal(err)
	}
	built := w.Root.(*Child).Workflow
	if built.Source() != child {
		t.Error("the child's source is not the document as written")
	}
	if kind := built.Root.base().Kind; kind != KindReport {
		t.Errorf("the child's prose artifact was built as %s", kind)
	}
	if built.OutputSchema != "O" || built.OutputPath != "x" {
		t.Errorf("output %q at %q", built.OutputSchema, built.OutputPath)
	}
}

func TestBuildRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	cases := map[string]*Object{
		"nothing":                 nil,
		"no root":                 ObjectOf("v", 2.0),
		"an unknown kind":         docWith(ObjectOf("node", "wat")),
		"a step that is no node":  docWith(ObjectOf("node", "chain", "steps", []any{1.0})),
		"an unknown kind below":   docWith(ObjectOf("node", "chain", "steps", []any{ObjectOf("node", "wat")})),
		"a map without a body":    docWith(ObjectOf("node", "map")),
		"a branch that is no map": docWith(ObjectOf("node", "route", "branches", ObjectOf("a", 1.0))),
		"a branch without a body": docWith(ObjectOf("node", "route", "branches", ObjectOf("a", ObjectOf()))),
		"a child that is none":    docWith(ObjectOf("node", "workflow")),
		"a child without a root":  docWith(ObjectOf("node", "workflow", "workflow", ObjectOf())),
	}
	for name, doc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Build(doc); !errors.Is(err, errNotBuilt) {
				t.Errorf("error %v", err)
			}
		})
	}
}
