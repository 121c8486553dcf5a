package dsl

import (
	"context"
	"fmt"
)

// hostKey holds in the state what the host's policy keeps there. Neither prompts nor code see it.
const hostKey = "$host"

// interpreter is one run of a workflow.
type interpreter struct {
	root    *Workflow
	host    Host
	options Options
	tasks   Tasks
	sandbox *Sandbox
	plan    *plan
	sop     sopText
}

// scope is where the interpreter is: the node's path, and what surrounds it. It is copied, never changed.
type scope struct {
	ctx context.Context //nolint:containedctx // a scope is an argument, split off only to keep signatures short
	// workflow is the document whose schemas hold; a child has its own.
	workflow *Workflow
	path     string
	// prefix is the labels of the child workflow invocations around the node, each with a slash.
	prefix string
	item   *MapItem
	// top says that the node is not in a child.
	top bool
}

func (s scope) at(format string, args ...any) scope {
	s.path += fmt.Sprintf(format, args...)
	return s
}

func (s scope) place(node Node) Place {
	return Place{Path: s.path, Label: s.label(node), Kind: node.base().Kind}
}

func (s scope) label(node Node) string { return s.prefix + node.base().Label }

func newInterpreter(w *Workflow, host Host, options Options) (*interpreter, error) {
	plan, err := w.prepare()
	if err != nil {
		return nil, err
	}
	in := &interpreter{
		root: w, host: host, options: options, tasks: options.Tasks, sandbox: options.Sandbox, plan: plan,
		sop: readSOP(options.SOP),
	}
	if in.tasks == nil {
		in.tasks = goroutines{}
	}
	if in.sandbox == nil {
		in.sandbox = NewSandbox(Bounds{})
	}
	if in.options.MaxQuestionsPerRequest <= 0 {
		in.options.MaxQuestionsPerRequest = defaultMaxQuestions
	}
	return in, nil
}

// run runs a node on a state and returns the state after it.
func (in *interpreter) run(at scope, node Node, state *Object) (*Object, error) {
	if err := at.ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", at.path, context.Cause(at.ctx))
	}
	switch n := node.(type) {
	case *Chain:
		return in.runChain(at, n, state)
	case *Map:
		return in.runMap(at, n, state)
	case *Parallel:
		return in.runParallel(at, n, state)
	case *Loop:
		return in.runLoop(at, n, state)
	case *Escalate:
		return in.runEscalate(at, n, state)
	case *Route:
		return in.runRoute(at, n, state)
	default:
		return in.runLeaf(at, node, state)
	}
}

func (in *interpreter) runChain(at scope, node *Chain, state *Object) (*Object, error) {
	for i, step := range node.Steps {
		next, err := in.run(at.at("/steps/%d", i), step, state)
		if err != nil {
			return nil, err
		}
		state = next
	}
	return state, nil
}

// runLeaf runs a node that has a beginning and an end in the events.
func (in *interpreter) runLeaf(at scope, node Node, state *Object) (*Object, error) {
	kind := string(node.base().Kind)
	in.emit(at, node, "node.start", ObjectOf("kind", kind))
	next, err := in.leaf(at, node, state)
	if err == nil {
		next, err = in.afterNode(at, node, next)
	}
	if err != nil {
		in.emit(at, node, "node.end", ObjectOf("kind", kind, "status", statusOf(err), "error", shortened(err.Error(), 300)))
		return nil, err
	}
	in.emit(at, node, "node.end", ObjectOf("kind", kind, "status", "ok"))
	return next, nil
}

func (in *interpreter) leaf(at scope, node Node, state *Object) (*Object, error) {
	switch n := node.(type) {
	case *Code:
		return in.runCode(at, n, state)
	case *Generate:
		return in.runGenerate(at, n, state)
	case *Artifact:
		return in.runArtifact(at, n, state)
	case *Call:
		return in.runCall(at, n, state)
	case *Child:
		return in.runChild(at, n, state)
	case *Judge:
		return in.runJudge(at, n, state)
	case *Pick:
		return in.runPick(at, n, state)
	case *Sift:
		return in.runSift(at, n, state)
	default:
		return nil, fmt.Errorf("%s: a node of kind %q cannot run", at.path, node.base().Kind)
	}
}

// afterNode lets the host's policy add to the state.
func (in *interpreter) afterNode(at scope, node Node, state *Object) (*Object, error) {
	hook := in.options.Policy.AfterNode
	if hook == nil {
		return state, nil
	}
	patch, err := hook(at.path, node, state)
	if err != nil || patch.Len() == 0 {
		return state, err //nolint:wrapcheck // the host's own error ends the run as it is
	}
	if patch.Has(hostKey) {
		return nil, stateInvalid(at, at.label(node), hostKey, "reserved_state_key", "the host's policy may not write $host here")
	}
	in.emit(at, node, "host.patched", ObjectOf("patch", patch))
	return merged(state, patch), nil
}

func (in *interpreter) emit(at scope, node Node, kind string, detail *Object) {
	in.host.Observe(Event{Type: kind, Place: at.place(node), Detail: detail})
}

func (in *interpreter) needs(at scope, node Node, paths []string, state *Object) error {
	for _, path := range paths {
		value, _ := lookup(state, path)
		if !concrete(value) {
			return stateInvalid(at, at.label(node), path, "required_nonempty", "the node requires a value at "+path)
		}
	}
	return nil
}

// filled interpolates an object that a node gives; nil is an empty one.
func filled(at scope, node Node, template, state *Object) (*Object, error) {
	object, err := interpolateObject(template, state)
	if err != nil {
		return nil, missing(at, node, err)
	}
	return object, nil
}

func statusOf(err error) string {
	if _, ok := err.(*escalated); ok { //nolint:errorlint // an escalation within another failure is a failure
		return "escalated"
	}
	return "failed"
}

func shortened(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}
