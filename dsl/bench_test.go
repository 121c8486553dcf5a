package dsl

import (
	"context"
	"testing"
)

// stubHost answers generative nodes at once and keeps no events.
type stubHost struct{ submission Submission }

func (h stubHost) Generate(context.Context, Generation) (Submission, error) { return h.submission, nil }
func (stubHost) Judge(context.Context, Judgment) (Judged, error)            { return Judged{}, nil }
func (stubHost) Effect(context.Context, Attempt) (Settled, error)           { return Settled{}, nil }
func (stubHost) Wait(context.Context, Pause) error                          { return nil }
func (stubHost) Observe(Event)                                              {}

func benchmarkRun(b *testing.B, steps int, document string) {
	b.Helper()
	doc, err := Decode([]byte(document))
	if err != nil {
		b.Fatal(err)
	}
	object, _ := doc.(*Object)
	workflow, err := Build(object)
	if err != nil {
		b.Fatal(err)
	}
	host := stubHost{submission: Submission{Value: ObjectOf("v", "x")}}
	sandbox := NewSandbox(Bounds{})
	for b.Loop() {
		if _, err := workflow.Run(b.Context(), host, Options{Sandbox: sandbox}, NewObject(0)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*steps)/b.Elapsed().Seconds(), "steps/s")
}

const benchSchemas = `"schemas":{"V":{"type":"object","properties":{"v":{"type":"string"}}},"Any":{"type":"object"}},
	"output":{"schemaId":"Any"}`

func BenchmarkStepsWithoutCode(b *testing.B) {
	benchmarkRun(b, 1000, `{"v":2,"name":"bench",`+benchSchemas+`,"root":{"node":"loop","label":"l","maxIters":1000,
		"until":{"predicate":"field_true","path":"a.done"},
		"body":{"node":"agent","label":"a","instructions":"i","state":{},"out":"V","as":"a"}}}`)
}

func BenchmarkCodeNode(b *testing.B) {
	benchmarkRun(b, 100, `{"v":2,"name":"bench",`+benchSchemas+`,"root":{"node":"loop","label":"l","maxIters":100,
		"until":{"predicate":"field_true","path":"done"},
		"body":{"node":"code","label":"c","code":"s => ({ n: (s.n ?? 0) + 1, xs: [1,2,3].map(x => x * 2) })"}}}`)
}

func BenchmarkExpression(b *testing.B) {
	benchmarkRun(b, 1000, `{"v":2,"name":"bench",`+benchSchemas+`,"root":{"node":"loop","label":"l","maxIters":1000,
		"until":{"predicate":"expr","expr":"n > 2000"},
		"body":{"node":"code","label":"c","as":"n","expr":"(n ?? 0) + 1"}}}`)
}
