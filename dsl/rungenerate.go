package dsl

import "unicode/utf8"

// runGenerate has a model submit what the node asks for, and takes only what fits.
func (in *interpreter) runGenerate(at scope, node *Generate, state *Object) (*Object, error) {
	slice, absent := in.sop.slice(node.SOPSections)
	if len(absent) > 0 {
		return nil, capability("%s: the procedure text has no section %q", at.label(node), absent[0])
	}
	if err := in.needs(at, node, node.Requires, state); err != nil {
		return nil, err
	}
	ask, err := in.generation(at, node, slice, state)
	if err != nil {
		return nil, err
	}
	in.coverage(at, node, slice)
	ask.Check = func(value any) []string {
		return in.submissionProblems(at, node, withNulls(ask.Schema, value, 0))
	}
	review := newReviewer(in, at, node, ask.Schema, state)
	if review != nil {
		ask.Review = review.draft
	}
	submission, err := in.host.Generate(at.ctx, ask)
	if err != nil {
		return nil, err //nolint:wrapcheck // the host's own error ends the run as it is
	}
	value, host, err := in.decode(at, node, ask, submission)
	if err != nil {
		return nil, err
	}
	if problems := in.submissionProblems(at, node, value); len(problems) > 0 {
		return nil, outputInvalid(at, at.label(node), problems)
	}
	value = declared(ask.Schema, value)
	patch := submissionPatch(node, value)
	if review != nil {
		record, err := review.final(at.ctx, value)
		if err != nil {
			return nil, err
		}
		patch.Set(keyOf(node)+verifySuffix, record)
	}
	if host.Len() > 0 {
		patch.Set(hostKey, merged(hostOf(state), host))
	}
	return merged(state, patch), nil
}

// generation is what the node asks of the host.
func (in *interpreter) generation(at scope, node *Generate, slice string, state *Object) (Generation, error) {
	var given any = promptState(state)
	if node.State != nil {
		filled, err := filled(at, node, node.State, state)
		if err != nil {
			return Generation{}, err
		}
		given = filled
	}
	ask := Generation{
		Place: at.place(node), User: JSON(given), Schema: in.submissionSchema(at, node),
		Definitions: at.workflow.Schemas, Tools: node.Tools, Effort: node.Effort, Thinking: node.Thinking,
		Tier: node.Tier, BudgetUSD: node.BudgetUSD, Context: node.Context, Item: at.item,
		Terminal: at.top && node.Kind != KindReport && node.Out == at.workflow.OutputSchema,
	}
	blocks := []string{slice, in.options.Skill, node.Instructions}
	if extra := in.options.Policy.SystemBlocks; extra != nil {
		blocks = append(blocks, extra(ask)...)
	}
	for _, block := range blocks {
		if block != "" {
			ask.System = append(ask.System, block)
		}
	}
	return ask, nil
}

func (in *interpreter) submissionSchema(at scope, node *Generate) *Object {
	if node.Kind == KindReport {
		return reportSchema()
	}
	schema, _ := object(at.workflow.Schemas, node.Out)
	return schema
}

// decode takes a submission apart as the host's policy says, and reads texts that mean null.
func (in *interpreter) decode(at scope, node *Generate, ask Generation, submission Submission) (any, *Object, error) {
	value := submission.Value
	if node.Kind == KindReport {
		value = ObjectOf(reportKey, submission.Markdown)
	}
	var host *Object
	if take := in.options.Policy.Decode; take != nil {
		var err error
		if value, host, err = take(ask, value); err != nil {
			return nil, nil, err //nolint:wrapcheck // the host's own error ends the run as it is
		}
		if host.Len() > 0 {
			in.emit(at, node, "host.decoded", ObjectOf("host", host))
		}
	}
	return withNulls(ask.Schema, value, 0), host, nil
}

func (in *interpreter) submissionProblems(at scope, node *Generate, value any) []string {
	if node.Kind == KindReport {
		return in.plan.fixed.Check(reportID, value)
	}
	return in.problems(at.workflow, node.Out, value)
}

func submissionPatch(node *Generate, value any) *Object {
	if node.Kind == KindReport {
		fields, _ := value.(*Object)
		return ObjectOf(reportKey, text(fields, reportKey))
	}
	return ObjectOf(keyOf(node), value)
}

// coverage tells how much of the procedure text the node read.
func (in *interpreter) coverage(at scope, node *Generate, slice string) {
	if in.sop.text == "" {
		return
	}
	sections := make([]any, len(node.SOPSections))
	for i, name := range node.SOPSections {
		size := utf8.RuneCountInString(in.sop.sections[name])
		sections[i] = ObjectOf("name", name, "chars", float64(size))
	}
	in.emit(at, node, "sop.coverage", ObjectOf("sections", sections,
		"sliceChars", float64(utf8.RuneCountInString(slice)), "sopChars", float64(utf8.RuneCountInString(in.sop.text))))
}
