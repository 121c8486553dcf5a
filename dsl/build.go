package dsl

import (
	"errors"
	"fmt"
)

// Defaults of the fields that a document may leave out.
const (
	defaultMaxConcurrency = 4
	defaultMaxDrives      = 2
	defaultBelow          = 0.3
	defaultAtLeast        = 0.6
	defaultAttempts       = 1
	defaultBackoffSeconds = 1
)

// errNotBuilt is a document that Validate would have refused.
var errNotBuilt = errors.New("the document is not valid")

// Build makes the typed form of a document that Validate found valid, with the defaults of what it leaves out. Prose
// artifacts are reports in it. Of another document it says the first thing that it cannot read.
func Build(doc *Object) (*Workflow, error) {
	root, ok := object(doc, "root")
	if !ok {
		return nil, fmt.Errorf("%w: it has no root", errNotBuilt)
	}
	node, err := buildNode(root, "root")
	if err != nil {
		return nil, err
	}
	schemas, _ := object(doc, "schemas")
	input, _ := object(doc, "input")
	output, _ := object(doc, "output")
	return &Workflow{
		Name: text(doc, "name"), Schemas: schemas, InputSchema: text(input, "schemaId"),
		OutputSchema: text(output, "schemaId"), OutputPath: text(output, "path"), Root: node, source: doc,
	}, nil
}

// Source is the document as it was written, for its digest and for showing it.
func (w *Workflow) Source() *Object { return w.source }

func buildNode(raw *Object, path string) (Node, error) {
	raw = desugarNode(raw)
	base := Base{Kind: Kind(text(raw, "node")), Label: text(raw, "label"), As: text(raw, "as")}
	switch base.Kind {
	case KindChain, KindMap, KindParallel, KindLoop, KindRoute, KindWorkflow:
		return buildParent(raw, base, path)
	case KindAgent, KindDecide, KindExtract, KindReport:
		return buildGenerate(raw, base), nil
	case KindCode:
		return &Code{Base: base, Source: text(raw, "code"), Expr: text(raw, "expr")}, nil
	case KindArtifact:
		return &Artifact{Base: base, Type: text(raw, "type"), Path: text(raw, "path")}, nil
	case KindEscalate:
		return &Escalate{
			Base: base, When: buildPredicate(raw, "when"), Reason: text(raw, "kind"), Stage: text(raw, "stage"),
			Summary: text(raw, "summary"),
		}, nil
	case KindCall:
		return buildCall(raw, base), nil
	case KindJudge, KindPick, KindSift:
		return buildAsk(raw, base), nil
	default:
		return nil, fmt.Errorf("%w: %s is a node of kind %q", errNotBuilt, path, base.Kind)
	}
}
