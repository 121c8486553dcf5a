package dsl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hostileDocuments are documents that try to make the validator work for long. Each has size parts.
func hostileDocuments(size int) map[string]string {
	repeat := func(part string) string { return strings.TrimSuffix(strings.Repeat(part, size), ",") }
	number := func(format string) string {
		var b strings.Builder
		for i := range size {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String()
	}
	schemas := func(text string) string {
		return `{"v": 2, "name": "w", "schemas": {"Q": {"properties": {` + number(`"q%[1]d": {"type": "boolean", "description": "d"}`) + `}}, ` + text + `}, "output": {"schemaId": "Q"}, "root": ` + code + `}`
	}
	long := strings.Repeat("n", size)
	return map[string]string{
		"many steps":                 documentText(steps(number(`{"node": "agent", "label": "a%[1]d", "instructions": "i", "out": "V", "as": "a%[1]d", "state": {"x": "{a%[1]d}"}}`))),
		"steps that read on":         documentText(steps(agent(""), number(`{"node": "agent", "label": "a", "instructions": "i", "out": "V", "as": "a%[2]d", "state": {"x": "{a.v}"}}`))),
		"many branches":              documentText(`{"node": "parallel", "label": "p", "branches": [` + number(`{"node": "agent", "label": "a", "instructions": "i", "out": "V", "as": "a%[1]d"}`) + `]}`),
		"many unknown kinds":         documentText(steps(repeat(`{"node": "x"},`))),
		"many stray fields":          documentText(`{"node": "code", ` + number(`"f%[1]d": 1`) + `}`),
		"many judges of a wide set":  judgesOf(size, number),
		"schemas that refer in line": schemas(number(`"S%[1]d": {"$ref": "#/definitions/S%[2]d"}`) + fmt.Sprintf(`, "S%d": {"type": "string"}`, size)),
		"schemas that refer to bad":  schemas(number(`"S%[1]d": {"$ref": "#/definitions/Bad"}`) + `, "Bad": {"type": 1, "enum": [` + repeat(`1,`) + `]}`),
		"schemas that double":        schemas(number(`"S%[1]d": {"allOf": [{"$ref": "#/definitions/S%[2]d"}, {"$ref": "#/definitions/S%[2]d"}]}`) + fmt.Sprintf(`, "S%d": {"type": "string"}`, size)),
		"schemas in a circle":        schemas(number(`"S%[1]d": {"$ref": "#/definitions/S%[2]d"}`) + fmt.Sprintf(`, "S%d": {"$ref": "#/definitions/S0"}`, size)),
		"many bad schemas":           schemas(number(`"S%[1]d": {"type": "x"}`)),
		"many patterns":              schemas(number(`"S%[1]d": {"pattern": "(a+)+$"}`)),
		"braces":                     documentText(agent(`, "state": {"x": "` + strings.Repeat("{a", size) + `"}`)),
		"placeholders":               documentText(agent(`, "state": {"x": "` + strings.Repeat("{a.b.c}", size) + `"}`)),
		"a long path":                documentText(agent(`, "requires": ["q` + strings.Repeat(".a", size) + `"]`)),
		"long names":                 documentText(`{"node": "route", "label": "` + long + `", "valuePath": "` + long + `", "branches": {"` + long + `": {"body": {"node": "` + long + `"}}}}`),
		"long code":                  documentText(`{"node": "code", "label": "a", "code": "s => ` + strings.Repeat("1+", size) + `1"}`),
		"code that nests":            documentText(`{"node": "code", "label": "a", "code": "` + strings.Repeat("(", size) + `"}`),
		"an expression that nests":   documentText(`{"node": "code", "label": "a", "expr": "` + strings.Repeat("(", size) + `"}`),
		"words":                      documentText(executor(strings.Repeat("returns ", size))),
		"options":                    schemas(`"C": {"properties": {"c": {"type": "string", "description": "d", "enum": [` + number(`"o%[1]d"`) + `]}}}`),
	}
}

// judgesOf is a document whose judges all use one wide question schema with a fault in every question.
func judgesOf(size int, number func(string) string) string {
	return `{"v": 2, "name": "w", "schemas": {"O": {}, "Q": {"properties": {` + number(`"q%[1]d": {"type": "number"}`) +
		`}}}, "output": {"schemaId": "O"}, "root": {"node": "chain", "steps": [` +
		number(`{"node": "judge", "label": "j", "state": {"a": 1}, "out": "Q", "as": "j%[1]d"}`) + `]}}`
}

// TestHostileDocumentsEnd validates documents that try to take long or to crash the validator; the bounds are far above
// what honest documents of the size need, and far below what anything but linear work would take.
func TestHostileDocumentsEnd(t *testing.T) {
	t.Parallel()
	for name, text := range hostileDocuments(4000) {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			doc := decodeText(t, text)
			issues := Validate(doc, Check{InputKeys: []string{"q"}})
			took := time.Since(began)
			size := 0
			for i := range issues {
				size += len(issues[i].Error())
			}
			t.Logf("%d bytes: %v, %d issues of %d bytes", len(text), took, len(issues), size)
			if took > 30*time.Second {
				t.Errorf("took %v", took)
			}
			if len(issues) > maxIssues || size > 4<<20 {
				t.Errorf("%d issues of %d bytes", len(issues), size)
			}
		})
	}
}

func TestDeepDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	var deep any = 1.0
	for range 10_000 {
		deep = []any{deep}
	}
	circle := NewObject(1)
	circle.Set("again", circle)
	wide := make([]any, maxValues)
	shared := any([]any{1.0})
	for range 20 {
		shared = []any{shared, shared}
	}
	cases := map[string]struct {
		value any
		code  string
	}{
		"deep":             {deep, "doc_depth"},
		"in a circle":      {circle, "doc_depth"},
		"wide":             {wide, "doc_size"},
		"shared and large": {shared, "doc_size"},
		"a Go integer":     {map[string]int{"v": 2}, "doc_not_plain"},
		"a number of Go":   {ObjectOf("v", 2), "doc_not_plain"},
		"a list":           {[]any{}, "shape_type"},
		"null":             {nil, "shape_type"},
		"nothing":          {(*Object)(nil), "version"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issues := Validate(tc.value, Check{})
			if len(issues) == 0 || issues[0].Code != tc.code {
				t.Errorf("issues %v", issues)
			}
		})
	}
}

// TestASchemaThatDoublesIsStopped checks a value against schemas that would take 2^60 steps.
func TestASchemaThatDoublesIsStopped(t *testing.T) {
	t.Parallel()
	schemas := NewObject(61)
	for i := range 60 {
		next := ObjectOf("$ref", fmt.Sprintf("#/definitions/S%d", i+1))
		schemas.Set(fmt.Sprintf("S%d", i), ObjectOf("allOf", []any{next, next}))
	}
	schemas.Set("S60", ObjectOf("type", "object"))
	doc := ObjectOf("v", 2.0, "name", "w", "schemas", schemas, "input", ObjectOf("schemaId", "S0"),
		"output", ObjectOf("schemaId", "S60"), "root", ObjectOf("node", "code", "label", "a", "code", "s => 1"))
	issues := Validate(doc, Check{Input: NewObject(0)})
	if len(issues) != 1 || issues[0].Code != "input_schema" || !strings.Contains(issues[0].Message, "too long") {
		t.Errorf("issues %v", issues)
	}
}

// anyValue draws values that look a little like documents.
func anyValue(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](2.0), rapid.Just[any](-0.5),
		rapid.Map(rapid.SampledFrom([]string{
			"", "V", "a", "{q}", "{a.v}", "tool", "shell", "executor", "ask", "in", "gte", "markdown", "s => 1", "__proto__", "toString",
			"$host", "return 1", "ok.confidence",
		}), func(s string) any { return s }))
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(scalar, rapid.Map(rapid.SliceOfN(anyValue(depth-1), 0, 3), func(items []any) any { return items }),
		anyObject(depth-1))
}

func anyObject(depth int) *rapid.Generator[any] {
	keys := []string{"node", "label", "as", "predicate", "schemaId", "properties", "$ref", "enum", "criteria", "x"}
	for _, spec := range Kinds() {
		for _, field := range spec.Fields {
			keys = append(keys, field.Name)
		}
	}
	return rapid.Custom(func(t *rapid.T) any {
		o := NewObject(4)
		if rapid.Bool().Draw(t, "node") {
			o.Set("node", string(rapid.SampledFrom(Kinds()).Draw(t, "kind").Kind))
		}
		for range rapid.IntRange(0, 5).Draw(t, "fields") {
			o.Set(rapid.SampledFrom(keys).Draw(t, "key"), anyValue(depth).Draw(t, "value"))
		}
		return o
	})
}

// TestValidateNeverPanics validates documents of every shape; what it finds valid can be built.
func TestValidateNeverPanics(t *testing.T) {
	t.Parallel()
	base := decodeText(t, documentText(code)).(*Object)
	rapid.Check(t, func(t *rapid.T) {
		doc := base.With("root", anyObject(3).Draw(t, "root"))
		if key := rapid.SampledFrom([]string{"", "schemas", "input", "output", "v"}).Draw(t, "key"); key != "" {
			doc = doc.With(key, anyValue(3).Draw(t, "value"))
		}
		check := Check{}
		if rapid.Bool().Draw(t, "input") {
			check.Input = anyObject(2).Draw(t, "given")
		}
		issues := Validate(doc, check)
		if len(issues) > 0 {
			return
		}
		if _, err := Build(doc); err != nil {
			t.Fatalf("it is valid, but: %v", err)
		}
	})
}

func FuzzValidate(f *testing.F) {
	for _, tc := range allRuleCases() {
		f.Add([]byte(documentText(tc.root)))
	}
	for _, tc := range documentCases() {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := Decode(text)
		if err != nil {
			return
		}
		for _, check := range []Check{{}, {InputKeys: []string{"q", "items"}}, {Input: doc}} {
			if issues := Validate(doc, check); len(issues) > 0 {
				continue
			}
			if _, err := Build(doc.(*Object)); err != nil {
				t.Errorf("it is valid, but: %v", err)
			}
		}
	})
}
