package activities

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
	"github.com/agentrun/agentrun/tools"
)

// Tool makes one tool call of the present turn, or ends a cut one from its proof.
func (a *Activities) Tool(ctx context.Context, step Step) (journal.Position, error) {
	return a.with(ctx, step, fmt.Sprintf("tool/%d/%d", step.Turn, step.Call), func(ctx context.Context, s *session) error {
		return a.callTool(ctx, s, step)
	})
}

func (a *Activities) callTool(ctx context.Context, s *session, step Step) error {
	s.mu.Lock()
	call := s.fold.CallAt(step.Call)
	position := s.fold.Position(0)
	wanted := position.Phase == journal.PhaseTools && position.Turn == step.Turn && call != nil && !call.Done
	var asked tools.Call
	var proof *run.ToolProof
	var later []run.ToolProof
	var begun bool
	if wanted {
		asked = tools.Call{ID: call.ID, Name: call.Name, Args: call.Args}
		proof, later = call.Proof, s.fold.LaterProofs(step.Call)
		begun = s.ownTurn != step.Turn
	}
	s.mu.Unlock()
	if !wanted {
		return nil
	}
	if err := s.hold(ctx); err != nil {
		return err
	}
	s.acting.Add(1)
	defer s.acting.Add(-1)
	failpoint("tool.before", s.runID)
	started := time.Now()
	result := s.perform(ctx, asked, proof, later, begun)
	result.Content = a.cutResult(result.Content)
	result.DurationMS = time.Since(started).Milliseconds()
	failpoint("tool.acted", s.runID)
	request := fmt.Sprintf("r%d", step.Turn)
	err := s.later(run.NewRow(run.RowToolResult, callKey(request, step.Call, "result"), result, nil))
	failpoint("tool.ended", s.runID)
	return err
}

// perform runs a call, or settles one that an earlier process may have begun.
func (s *session) perform(
	ctx context.Context, call tools.Call, proof *run.ToolProof, later []run.ToolProof, begun bool,
) run.ToolResult {
	if !s.has(call.Name) {
		return run.ToolResult{CallID: call.ID, Name: call.Name, Content: "Tool " + call.Name + " not found"}
	}
	if begun {
		switch verdict, result := tools.Recover(s.workspace, call, proof, later); verdict {
		case tools.Done:
			return result
		case tools.Unknown:
			return tools.Interrupted(call)
		}
	}
	return tools.Run(ctx, s.workspace, call, tools.Options{})
}

// cutResult bounds what goes into a row, on a rune's boundary.
func (a *Activities) cutResult(content string) string {
	limit := a.options.ToolResultBytes
	if len(content) <= limit {
		return content
	}
	for limit > 0 && !utf8.RuneStart(content[limit]) {
		limit--
	}
	return content[:limit] + "\n[cut: the result is longer than the server keeps]"
}
