package dsl

import (
	"fmt"

	"github.com/expr-lang/expr/vm"
)

// plan is what is made once of a document, its children included, for all its runs.
type plan struct {
	code       map[*Code]*function
	expr       map[*Code]*vm.Program
	conditions map[*Predicate]*vm.Program
	// schemas are those of the document and of each child; fixed are the language's own.
	schemas map[*Workflow]*Schemas
	fixed   *Schemas
	// composed says which of the two forms the idempotency keys of the run have.
	composed bool
}

// The ids of the schemas that the language fixes.
const (
	shellID  = "shell"
	reportID = "report"
)

// prepare makes the plan of a document, or returns the one that was made before.
func (w *Workflow) prepare() (*plan, error) {
	if made := w.plan.Load(); made != nil {
		return made, nil
	}
	made := &plan{
		code: map[*Code]*function{}, expr: map[*Code]*vm.Program{}, conditions: map[*Predicate]*vm.Program{},
		schemas: map[*Workflow]*Schemas{}, composed: composed(w.Root, false, false),
	}
	made.fixed, _ = CompileSchemas(ObjectOf(shellID, shellSchema(), reportID, reportSchema()))
	made.schemas[w], _ = CompileSchemas(w.Schemas)
	for node := range nodes(w.Root) {
		if err := made.add(node); err != nil {
			return nil, &Failure{
				Code: CodeWorkflowInvalid, Class: ClassRun, Stage: "validate", Message: err.Error(), cause: err,
			}
		}
	}
	w.plan.CompareAndSwap(nil, made)
	return w.plan.Load(), nil
}

func (p *plan) add(node Node) error {
	switch n := node.(type) {
	case *Code:
		return p.addCode(n)
	case *Child:
		p.schemas[n.Workflow], _ = CompileSchemas(n.Workflow.Schemas)
		return nil
	case *Loop:
		return p.addCondition(n.Until)
	case *Escalate:
		return p.addCondition(n.When)
	case *Call:
		if n.Poll == nil {
			return nil
		}
		if err := p.addCondition(n.Poll.Until); err != nil {
			return err
		}
		return p.addCondition(n.Poll.FailWhen)
	default:
		return nil
	}
}

func (p *plan) addCode(node *Code) error {
	var err error
	if node.Expr != "" {
		p.expr[node], err = exprProgram(node.Expr)
	} else {
		p.code[node], err = codeProgram(node.Source)
	}
	if err != nil {
		return fmt.Errorf("the code of %q: %w", node.Label, err)
	}
	return nil
}

func (p *plan) addCondition(predicate *Predicate) error {
	if predicate == nil || predicate.Name != "expr" {
		return nil
	}
	program, err := exprProgram(predicate.Expr)
	if err != nil {
		return fmt.Errorf("a predicate: %w", err)
	}
	p.conditions[predicate] = program
	return nil
}

// problems are what of a value does not fit a schema of a document.
func (in *interpreter) problems(w *Workflow, id string, value any) []string {
	return in.plan.schemas[w].Check(id, value)
}

// issuesOn validates the document again with the input that it is to run on: a key that a node reads may be missing.
func (w *Workflow) issuesOn(input *Object) []Issue {
	if w.source == nil {
		return nil // made by a program, not read from a document
	}
	return Validate(w.source, Check{InputKeys: append([]string{}, input.Keys()...)})
}
