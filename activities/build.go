package activities

import (
	"fmt"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
	"github.com/agentrun/agentrun/tools"
)

// turnRequest builds the present turn's request from the journal. A request that began before is built from the same
// rows again, so that a resumed request is the same request.
func (s *session) turnRequest(step Step) *outgoing {
	s.mu.Lock()
	items, through := s.fold.Messages()
	attempt, failures := s.fold.Attempts()+1, s.fold.Failures()
	s.mu.Unlock()
	request := s.request(items)
	request.Output = s.opened.Config.Output
	for _, name := range s.opened.Config.Tools {
		if tool, ok := tools.Lookup(name); ok {
			request.Tools = append(request.Tools, models.Tool{
				Name: tool.Name, Description: tool.Description, Schema: tool.Schema,
			})
		}
	}
	out := s.outgoing(fmt.Sprintf("r%d", step.Turn), attempt, request, run.RequestStarted{
		Turn: step.Turn, Lane: step.Lane,
	}, through)
	out.failures, out.record = failures, s.recordAnswer
	return out
}

// request is what every request of the run has in common.
func (s *session) request(items []journal.Item) models.Request {
	config := s.opened.Config
	request := models.Request{
		Model: config.Model, BaseURL: s.opened.Endpoint.BaseURL, Instructions: config.Instructions,
		Effort: config.Effort, CacheKey: s.runID, Messages: make([]models.Message, 0, len(items)),
	}
	for _, item := range items {
		message := models.Message{
			Role: models.Role(item.Role), Text: item.Text, Native: item.Native, NativeAPI: item.API,
			CallID: item.CallID, IsError: item.IsError, ReasoningTokens: item.ReasoningTokens,
		}
		for _, call := range item.Calls {
			message.Calls = append(message.Calls, models.Call{ID: call.ID, Name: call.Name, Args: call.Args})
		}
		request.Messages = append(request.Messages, message)
	}
	return request
}

func (s *session) outgoing(
	id string, attempt int, request models.Request, started run.RequestStarted, through int64,
) *outgoing {
	out := &outgoing{id: id, attempt: attempt, request: request}
	started.Request, started.Attempt = id, attempt
	started.Model, started.Effort = request.Model.ID, request.Effort
	out.begin = journal.Begin{
		Key:     out.key("begin"),
		Started: started,
		Private: run.RequestPrivate{Through: through, Digest: models.Digest(request)},
		Quote:   budget.QuoteFor(request.Model, models.InputBound(request), request.MaxOutput),
	}
	return out
}
