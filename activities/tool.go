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
	return a.on(ctx, step, fmt.Sprintf("tool/%d/%d", step.Turn, step.Call), func(ctx context.Context, t *thread) error {
		return a.callTool(ctx, t, step)
	})
}

func (a *Activities) callTool(ctx context.Context, t *thread, step Step) error {
	t.mu.Lock()
	call := t.fold.CallAt(step.Call)
	position := t.fold.Position(0)
	wanted := position.Phase == journal.PhaseTools && position.Turn == step.Turn && call != nil && !call.Done
	var asked tools.Call
	var proof *run.ToolProof
	var later []run.ToolProof
	var begun bool
	if wanted {
		asked = tools.Call{ID: call.ID, Name: call.Name, Args: call.Args}
		proof, later = call.Proof, t.fold.LaterProofs(step.Call)
		begun = t.ownTurn != step.Turn
	}
	t.mu.Unlock()
	if !wanted {
		return nil
	}
	if err := t.hold(ctx); err != nil {
		return err
	}
	t.acting.Add(1)
	defer t.acting.Add(-1)
	failpoint("tool.before", t.runID)
	started := time.Now()
	result := t.perform(ctx, asked, proof, later, begun)
	result.Node = t.node
	result.Content = a.cutResult(result.Content)
	result.DurationMS = time.Since(started).Milliseconds()
	failpoint("tool.acted", t.runID)
	request := t.key(fmt.Sprintf("r%d", step.Turn))
	err := t.later(run.NewRow(run.RowToolResult, callKey(request, step.Call, "result"), result, nil))
	failpoint("tool.ended", t.runID)
	return err
}

// perform runs a call, or settles one that an earlier process may have begun.
func (t *thread) perform(
	ctx context.Context, call tools.Call, proof *run.ToolProof, later []run.ToolProof, begun bool,
) run.ToolResult {
	if !t.has(call.Name) {
		return run.ToolResult{CallID: call.ID, Name: call.Name, Content: "Tool " + call.Name + " not found"}
	}
	if begun {
		switch verdict, result := tools.Recover(t.workspace, call, proof, later); verdict {
		case tools.Done:
			return result
		case tools.Unknown:
			return tools.Interrupted(call)
		}
	}
	return tools.Run(ctx, t.workspace, call, tools.Options{})
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
