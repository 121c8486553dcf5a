package activities

import (
	"fmt"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
)

// turnRequest builds the present turn's request from the journal. A request that began before is built from the same
// rows again, so that a resumed request is the same request.
func (t *thread) turnRequest(step Step) *outgoing {
	t.mu.Lock()
	items, through := t.fold.Messages()
	attempt, failures := t.fold.Attempts()+1, t.fold.Failures()
	t.mu.Unlock()
	request := t.request(items)
	t.equip(&request)
	out := t.outgoing(t.key(fmt.Sprintf("r%d", step.Turn)), attempt, request, run.RequestStarted{
		Turn: step.Turn, Lane: step.Lane,
	}, through)
	out.failures, out.record = failures, t.recordAnswer
	return out
}

// equip gives a turn's request its tools and the schema of its final answer.
func (t *thread) equip(request *models.Request) {
	request.Output = t.brief.schema
	request.Tools = t.offers()
}

// request is what every request of the run has in common.
func (t *thread) request(items []journal.Item) models.Request {
	return models.Request{
		Model: t.brief.model, BaseURL: t.brief.endpoint.BaseURL, Instructions: t.brief.instructions,
		Effort: t.brief.effort, CacheKey: t.cacheKey(), Messages: messagesOf(items),
	}
}

// messagesOf is a conversation of the journal in the words of models.
func messagesOf(items []journal.Item) []models.Message {
	messages := make([]models.Message, 0, len(items))
	for _, item := range items {
		message := models.Message{
			Role: models.Role(item.Role), Text: item.Text, Native: item.Native, NativeAPI: item.API,
			CallID: item.CallID, IsError: item.IsError, ReasoningTokens: item.ReasoningTokens,
		}
		for _, call := range item.Calls {
			message.Calls = append(message.Calls, models.Call{ID: call.ID, Name: call.Name, Args: call.Args})
		}
		messages = append(messages, message)
	}
	return messages
}

func (t *thread) outgoing(
	id string, attempt int, request models.Request, started run.RequestStarted, through int64,
) *outgoing {
	out := &outgoing{id: id, attempt: attempt, request: request}
	started.Node, started.Request, started.Attempt = t.node, id, attempt
	started.Model, started.Effort = request.Model.ID, request.Effort
	out.begin = journal.Begin{
		Key:     out.key("begin"),
		Started: started,
		Private: run.RequestPrivate{Through: through, Digest: models.Digest(request)},
		Quote:   budget.QuoteFor(request.Model, models.InputBound(request), request.MaxOutput),
	}
	return out
}
