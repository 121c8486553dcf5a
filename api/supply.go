package api

import (
	"context"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
)

// checkSupply reads a message to an escalated workflow run: a JSON object whose fields are put into the document's input,
// with which the run goes on. Messages to other runs are not looked at.
func (s *Server) checkSupply(ctx context.Context, id, content string) error {
	r, err := s.store.Run(ctx, id)
	if err != nil {
		return err
	}
	if r.Kind != run.KindWorkflow || r.Error == nil || r.Error.Code != run.CodeEscalated {
		return nil
	}
	revision, err := s.store.Revision(ctx, r.AgentID, r.AgentRevision)
	if err != nil {
		return err
	}
	supplied := run.Supplies{}
	if err := s.fold(ctx, id, supplied.Apply); err != nil {
		return err
	}
	object, issue := run.DecodeWorkflow("content", []byte(content))
	if _, ok := object.(*dsl.Object); issue == nil && !ok {
		issue = &run.Issue{
			Path: "content", Code: "wrong_type", Message: "must be a JSON object: the fields of the input that the workflow lacked",
		}
	}
	if issue != nil {
		return invalid([]run.Issue{*issue})
	}
	input, err := run.MergeInput(r.Input.Object, append(supplied.Contents, content))
	if err != nil {
		return err
	}
	document, issue := run.DecodeWorkflow("definition.workflow", revision.Definition.Workflow)
	if issue != nil {
		return invalid([]run.Issue{*issue})
	}
	if issues := dsl.Validate(document, dsl.Check{Input: input}); len(issues) > 0 {
		return invalid(run.WorkflowIssues("content", issues))
	}
	return nil
}
