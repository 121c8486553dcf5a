package dsl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// largeDocument is an honest document of about that many bytes: every kind of node, a schema for every few of them.
func largeDocument(size int) string {
	const step = `{"node": "extract", "label": "read %[1]d", "instructions": "Read the note and say what changed.", "state": {"note": "{q}"}, "out": "S%[1]d", "as": "read%[1]d"},
	{"node": "judge", "label": "check %[1]d", "state": {"claim": "{read%[1]d.summary}"}, "out": "Checks", "as": "check%[1]d", "requires": ["read%[1]d.summary"]},
	{"node": "escalate", "label": "gate %[1]d", "when": {"predicate": "lt", "path": "check%[1]d$answers.min_confidence", "n": 0.2}, "kind": "review", "stage": "check", "summary": "Not sure of {read%[1]d.summary}"},
	{"node": "call", "label": "look %[1]d", "via": "tool", "tool": "search.read", "args": {"query": "{read%[1]d.summary}"}, "out": "S%[1]d", "as": "look%[1]d", "deadline_s": 30, "retry": {"attempts": 3, "on": ["timeout"]}},
	`
	const tail = `{"node": "map", "label": "map", "itemsPath": "items", "as": "mapped", "body": {"node": "chain", "steps": [%s]}}`
	const body = `{"node": "code", "label": "merge %[1]d", "code": "s => ({ total%[1]d: s.items.length + %[1]d, names: s.items.map(i => i.name) })"},
	{"node": "route", "label": "route %[1]d", "valuePath": "item.team", "otherwise": "other", "branches": {"a": {"body": {"node": "code", "label": "a", "expr": "item.size > %[1]d", "as": "big"}}, "other": {"body": {"node": "agent", "label": "w", "instructions": "Answer.", "out": "S%[1]d", "as": "w"}}}}`
	const schema = `"S%[1]d": {"type": "object", "properties": {"summary": {"type": "string", "minLength": 1}, "n": {"type": "integer", "minimum": 0}, "next": {"$ref": "#/definitions/Checks"}}, "required": ["summary"]}, `
	var steps, bodies, schemas strings.Builder
	for i := 0; steps.Len()+bodies.Len()+schemas.Len() < size; i++ {
		fmt.Fprintf(&steps, step, i)
		if i > 0 {
			bodies.WriteString(", ")
		}
		fmt.Fprintf(&bodies, body, i)
		fmt.Fprintf(&schemas, schema, i)
	}
	return `{"v": 2, "name": "large", "schemas": {` + schemas.String() +
		`"Checks": {"type": "object", "properties": {"ok": {"type": "boolean", "description": "Is it ok?"}}}}, "output": {"schemaId": "Checks"},
		"root": {"node": "chain", "steps": [` + steps.String() + fmt.Sprintf(tail, bodies.String()) + `]}}`
}

// TestValidatingIsLinear holds the time of a document of 1 MB against the bound, and against that of a quarter of it.
func TestValidatingIsLinear(t *testing.T) {
	took := func(size int) time.Duration {
		text := []byte(largeDocument(size))
		times := make([]time.Duration, 5)
		for i := range times {
			began := time.Now()
			doc, err := Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			issues := Validate(doc, Check{InputKeys: []string{"q", "items"}})
			times[i] = time.Since(began)
			if issues != nil {
				t.Fatal(issues[0])
			}
		}
		return slices.Min(times)
	}
	quarter, whole := took(250_000), took(1_000_000)
	t.Logf("250 kB in %v, 1 MB in %v", quarter, whole)
	// On a machine that is slow, or busy, or looks for races, reading the same text as plain JSON is slow too.
	if reference := decodingTime(t, 1_000_000); whole > 500*time.Millisecond && whole > 40*reference {
		t.Errorf("1 MB took %v, where reading it as JSON took %v", whole, reference)
	}
	if whole > 25*quarter {
		t.Errorf("1 MB took %v, a quarter of it %v", whole, quarter)
	}
}

func decodingTime(t *testing.T, size int) time.Duration {
	t.Helper()
	text := []byte(largeDocument(size))
	times := make([]time.Duration, 3)
	for i := range times {
		began := time.Now()
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		times[i] = time.Since(began)
	}
	return slices.Min(times)
}

func BenchmarkValidateOneMegabyte(b *testing.B) {
	doc, err := Decode([]byte(largeDocument(1_000_000)))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if issues := Validate(doc, Check{InputKeys: []string{"q", "items"}}); issues != nil {
			b.Fatal(issues[0])
		}
	}
}
