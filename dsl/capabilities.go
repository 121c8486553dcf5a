package dsl

import "strings"

// capabilities refuses a run whose document needs what the host lacks, before anything runs: branches that may never be
// taken and child workflows are looked at too.
func (in *interpreter) capabilities() error {
	return in.offers(in.root, in.root.Root)
}

func (in *interpreter) offers(w *Workflow, node Node) error {
	if err := in.offersNode(w, node); err != nil {
		return err
	}
	if child, ok := node.(*Child); ok {
		w = child.Workflow
	}
	for _, below := range inside(node) {
		if err := in.offers(w, below); err != nil {
			return err
		}
	}
	return nil
}

func (in *interpreter) offersNode(w *Workflow, node Node) error {
	label := node.base().Label
	switch n := node.(type) {
	case *Generate:
		return in.offersGenerate(w, n)
	case *Call:
		if !in.adapters().Effect {
			return capability("%s: this host makes no calls", label)
		}
		return nil
	}
	asked, count := asksJudge(w, node)
	if !asked {
		return nil
	}
	return in.offersJudge(label, count)
}

func (in *interpreter) adapters() Adapters {
	if in.options.Adapters == nil {
		return Adapters{Generate: true, Judge: true, Effect: true}
	}
	return *in.options.Adapters
}

func (in *interpreter) offersGenerate(w *Workflow, node *Generate) error {
	if !in.adapters().Generate {
		return capability("%s: this host has no model for generative nodes", node.Label)
	}
	if len(node.SOPSections) > 0 {
		if in.sop.text == "" {
			return capability("%s: this host has no procedure text to read %s from", node.Label, strings.Join(node.SOPSections, ", "))
		}
		if _, absent := in.sop.slice(node.SOPSections); len(absent) > 0 {
			return capability("%s: the procedure text has no section %q", node.Label, absent[0])
		}
	}
	if node.Verify == nil {
		return nil
	}
	schema, _ := object(w.Schemas, node.Verify.Out)
	return in.offersJudge(node.Label, len(questionsOf(schema)))
}

func (in *interpreter) offersJudge(label string, questions int) error {
	if !in.adapters().Judge {
		return capability("%s: this host has no judge", label)
	}
	if limit := in.options.MaxQuestionsPerRequest; questions > limit {
		return capability("%s: it asks %d questions at once, and this host's judge takes %d", label, questions, limit)
	}
	return nil
}

// asksJudge tells whether a node needs a judge, and how many questions it asks at least in one request.
func asksJudge(w *Workflow, node Node) (asks bool, questions int) {
	switch n := node.(type) {
	case *Judge:
		schema, _ := object(w.Schemas, n.Out)
		return true, len(questionsOf(schema))
	case *Sift:
		schema, _ := object(w.Schemas, n.Out)
		return true, len(questionsOf(schema))
	case *Pick:
		return true, 1
	case *Route:
		return n.ValuePath == "", 1
	case *Loop:
		return n.Until != nil && n.Until.Ask != nil, 1
	case *Escalate:
		return n.When != nil && n.When.Ask != nil, 1
	default:
		return false, 0
	}
}
