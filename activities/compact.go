package activities

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// summaryTokens bounds a summary of a conversation.
const summaryTokens = 4096

const summaryAsk = "Summarise the conversation above for yourself, so that you can go on with the task without it: the " +
	"task and its constraints, what was done and learned (files, names, figures, decisions), and what is left to do. " +
	"Answer with the summary only."

// Compact asks the model for a summary of the older part of a conversation that nears the context window.
func (a *Activities) Compact(ctx context.Context, step Step) (journal.Position, error) {
	return a.on(ctx, step, fmt.Sprint("compact/", step.Turn), func(ctx context.Context, t *thread) error {
		return a.requestUntilEnded(ctx, t, func() *outgoing {
			position := t.position()
			if position.Phase != journal.PhaseCompact || position.Turn != step.Turn || !quiet(position.Inbox) {
				return nil
			}
			return t.summaryRequest(step)
		})
	})
}

func (t *thread) summaryRequest(step Step) *outgoing {
	t.mu.Lock()
	items, keepFrom := t.fold.Compaction()
	attempt, failures := t.fold.Attempts()+1, t.fold.Failures()
	n, head := t.fold.Compactions()+1, t.tree.Head()
	t.mu.Unlock()
	request := t.request(items)
	request.Messages = append(request.Messages, models.Message{Role: models.RoleUser, Text: summaryAsk})
	request.MaxOutput = summaryTokens
	started := run.RequestStarted{Turn: step.Turn, Lane: step.Lane, Purpose: journal.PurposeCompaction}
	out := t.outgoing(t.key(fmt.Sprintf("k%d", n)), attempt, request, started, head)
	out.failures = failures
	out.record = func(out *outgoing, answer models.Answer) []run.Row {
		summary := strings.TrimSpace(answer.Text)
		if summary == "" {
			summary = "(The model gave no summary of what was said before.)"
		}
		return []run.Row{run.NewRow(run.RowCompaction, out.id+"/compaction", run.Compaction{
			Node: t.node, Request: out.id, Summary: summary, KeepFrom: keepFrom,
		}, nil)}
	}
	return out
}
