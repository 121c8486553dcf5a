package codex

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agentrun/agentrun/models"
)

// sayWait is how long the program may take to accept what it is told.
const sayWait = 30 * time.Second

// Say begins a turn with a text; an empty one goes on with the conversation as it is.
func (s *session) Say(text string) error {
	ctx, cancel := context.WithTimeout(s.ctx, sayWait)
	defer cancel()
	met := s.due(ctx, "take what it is told")
	defer met()
	return s.say(ctx, text)
}

func (s *session) say(ctx context.Context, text string) error {
	begin := turn{
		ThreadID: s.threadID(), Input: []turnInput{}, Environments: []string{},
		Effort: models.FitEffort(s.spec.Model, s.spec.Effort), OutputSchema: outputSchema(s.spec),
	}
	if text != "" {
		begin.Input = append(begin.Input, turnInput{"text", text})
	}
	_, err := s.peer.call(ctx, "turn/start", begin)
	return err
}

func (f *turnFault) text() string {
	if f == nil {
		return ""
	}
	return f.Message
}

// told takes a notification.
func (s *session) told(m message) {
	if m.Method != "turn/completed" && m.Method != "error" {
		return
	}
	var n news
	if err := json.Unmarshal(m.Params, &n); err != nil || n.ThreadID != s.threadID() {
		return
	}
	if m.Method == "error" {
		s.log.Debug("codex met a fault", "fault", s.quoted(n.Error.text()), "retries", n.WillRetry)
		return
	}
	fault := ""
	if n.Turn.Status != "completed" {
		if fault = s.quoted(n.Turn.Error.text()); fault == "" {
			fault = "the turn ended " + s.quoted(n.Turn.Status)
		}
	}
	go func() {
		s.calls.settle()
		if s.ctx.Err() == nil {
			s.host.TurnEnded(fault)
		}
	}()
}
