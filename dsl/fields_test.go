package dsl

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryKindIsInTheTable(t *testing.T) {
	t.Parallel()
	want := []Kind{
		KindAgent, KindArtifact, KindCall, KindChain, KindCode, KindDecide, KindEscalate, KindExtract, KindJudge, KindLoop,
		KindMap, KindParallel, KindPick, KindReport, KindRoute, KindSift, KindWorkflow,
	}
	var got []Kind
	for _, spec := range Kinds() {
		got = append(got, spec.Kind)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTheTableExplainsItself holds every field to what the reference and the editor need of it.
func TestTheTableExplainsItself(t *testing.T) {
	t.Parallel()
	for _, spec := range Kinds() {
		if spec.Doc == "" {
			t.Errorf("%s says nothing of itself", spec.Kind)
		}
		explains(t, string(spec.Kind), spec.Fields)
		labelled := slices.ContainsFunc(spec.Fields, func(f Field) bool { return f.Name == "label" && f.Required })
		if labelled == (spec.Kind == KindChain) {
			t.Errorf("%s: label required is %v", spec.Kind, labelled)
		}
	}
	for _, spec := range Predicates() {
		if spec.Doc == "" {
			t.Errorf("%s says nothing of itself", spec.Name)
		}
		explains(t, spec.Name, spec.Fields)
	}
	explains(t, "document", DocumentFields())
}

func explains(t *testing.T, where string, fields []Field) {
	t.Helper()
	seen := map[string]bool{}
	for _, field := range fields {
		name := where + "." + field.Name
		if !strings.HasSuffix(field.Doc, ".") {
			t.Errorf("%s has no sentence about it", name)
		}
		if seen[field.Name] {
			t.Errorf("%s stands twice", name)
		}
		seen[field.Name] = true
		nested := field.Type == TypePart || field.Type == TypeBranches
		if nested != (len(field.Fields) > 0) {
			t.Errorf("%s is a %s with %d fields", name, field.Type, len(field.Fields))
		}
		explains(t, name, field.Fields)
	}
}

// TestTheShapeOfEveryField gives every field a value of a wrong sort and looks for the issue at its place.
func TestTheShapeOfEveryField(t *testing.T) {
	t.Parallel()
	wrong := map[FieldType]any{
		TypeText: 1.0, TypeTexts: "one", TypeTextOrAll: 1.0, TypeMap: []any{}, TypePart: "x", TypeNode: []any{}, TypeNodes: ObjectOf(),
		TypeBranches: 1.0, TypeDocument: "x",
	}
	for _, spec := range Kinds() {
		for _, field := range spec.Fields {
			value, checked := wrong[field.Type]
			if spec.Kind == KindRoute && field.Name == "branches" {
				value = []any{}
			}
			if !checked || field.Loose {
				continue
			}
			node := ObjectOf("node", string(spec.Kind), field.Name, value)
			issues := Validate(docWith(ObjectOf("node", "chain", "steps", []any{node})), Check{})
			want := "workflow.root.steps[0]." + field.Name
			if len(issues) != 1 || issues[0].Code != "shape_type" || issues[0].Path != want {
				t.Errorf("%s.%s: issues %+v", spec.Kind, field.Name, issues)
			}
		}
	}
}

// TestNoOtherFieldIsTaken gives every kind a field that only other kinds have.
func TestNoOtherFieldIsTaken(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, spec := range Kinds() {
		for _, field := range spec.Fields {
			names[field.Name] = true
		}
	}
	for _, spec := range Kinds() {
		for name := range names {
			has := slices.ContainsFunc(spec.Fields, func(f Field) bool { return f.Name == name })
			tables := newTables()
			c := newChecker(tables, docWith(nil))
			c.keys(ObjectOf("node", string(spec.Kind), name, 1.0), tables.kinds[spec.Kind], &place{step: "root"})
			if refused := len(c.issues) > 0; refused == has {
				t.Errorf("%s with %s: refused %v", spec.Kind, name, refused)
			}
		}
	}
}
