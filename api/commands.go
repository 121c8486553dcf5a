package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

// stopWait is how long a stop waits for the run to leave its work.
const stopWait = 3 * time.Second

func (s *Server) commandRoutes() {
	tags := []string{"runs"}
	command := func(id, name, summary, description string, status int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: http.MethodPost, Path: "/v2/runs/{id}/" + name, Tags: tags, Summary: summary,
			Description: description, DefaultStatus: status,
		}
	}
	register(s, command("sendMessage", "messages", "Send a run a message",
		"A follow-up to a completed run, an answer to one that waits for it, else input for the next turn.",
		http.StatusAccepted), s.sendMessage)
	register(s, command("stopRun", "stop", "Cut what a run is doing",
		"The run then waits for a message. Answers once it left its work, after 3 seconds at the latest.",
		http.StatusOK), s.stopRun)
	register(s, command("cancelRun", "cancel", "End a run for good", "", http.StatusAccepted), s.cancelRun)
	register(s, command("pauseRun", "pause", "Hold a run before its next request", "", http.StatusOK), s.pauseRun)
	register(s, command("resumeRun", "resume", "Let a paused run go on", "", http.StatusOK), s.resumeRun)
}

// follow tells the machinery what a command calls for.
func (s *Server) follow(outcome store.Outcome, kind run.RowType) {
	if outcome.Nudge {
		s.driver.Nudge(outcome.Run.ID, kind)
	}
	if outcome.Requeued {
		s.driver.Dispatch()
	}
}

// plainInput is a command that says no more than its path: its body is none, or an empty object.
type plainInput struct {
	RunPath
	Body *struct {
		_ struct{} `additionalProperties:"false"`
	}
}

type messageInput struct {
	RunPath
	IdempotencyKey
	Body struct {
		_       struct{} `additionalProperties:"false"`
		Content string   `json:"content" minLength:"1"`
	}
}

// messageView is what became of a message.
type messageView struct {
	Kind   string     `json:"kind" enum:"follow_up,queued" doc:"follow_up: it lets the run go on. queued: its next turn reads it."`
	Status run.Status `json:"status" doc:"The run's status right after."`
}

type messageOutput struct{ Body messageView }

func (s *Server) sendMessage(ctx context.Context, in *messageInput) (*messageOutput, error) {
	if issue := s.messageFault("content", in.Body.Content); issue != nil {
		return nil, invalid([]run.Issue{*issue})
	}
	if err := s.checkSupply(ctx, in.ID, in.Body.Content); err != nil {
		return nil, err
	}
	outcome, err := s.store.Message(ctx, in.ID, in.Body.Content, in.keyed("messages:"+in.ID, in.Body.Content))
	if err != nil {
		return nil, err
	}
	s.follow(outcome, run.RowUserMessage)
	view := messageView{Kind: "queued", Status: outcome.Run.Status}
	if outcome.Requeued {
		view.Kind = "follow_up"
	}
	return &messageOutput{Body: view}, nil
}

// messageFault says what is wrong with a message to a model.
func (s *Server) messageFault(path, content string) *run.Issue {
	switch {
	case int64(len(content)) > s.limits.MessageBytes:
		return &run.Issue{
			Path: path, Code: "too_long", Message: fmt.Sprintf("must be at most %d bytes", s.limits.MessageBytes),
		}
	case strings.TrimSpace(content) == "":
		return &run.Issue{Path: path, Code: "too_short", Message: "must not be blank"}
	case strings.ContainsRune(content, 0):
		return &run.Issue{Path: path, Code: "invalid_text", Message: "must not hold a NUL character"}
	}
	return nil
}

// stopView is what a stop did.
type stopView struct {
	Stopped bool       `json:"stopped" doc:"The run does nothing now and waits for a message."`
	Status  run.Status `json:"status"`
}

type stopOutput struct{ Body stopView }

func (s *Server) stopRun(ctx context.Context, in *plainInput) (*stopOutput, error) {
	changes := s.store.Subscribe(in.ID)
	defer changes.Close()
	outcome, err := s.store.Stop(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	s.follow(outcome, run.RowStopRequested)
	stopped, err := s.leaveWork(ctx, outcome.Run, changes.C())
	if err != nil {
		return nil, err
	}
	return &stopOutput{Body: stopView{Stopped: stopped.Status == run.InputRequired, Status: stopped.Status}}, nil
}

// leaveWork waits until nobody works on the run, or as long as a stop waits.
func (s *Server) leaveWork(ctx context.Context, r run.Run, changed <-chan struct{}) (run.Run, error) {
	late := time.NewTimer(stopWait)
	defer late.Stop()
	for r.Status == run.Working || r.Status == run.Queued {
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-late.C:
			return r, nil
		case <-changed:
		}
		var err error
		if r, err = s.store.Run(ctx, r.ID); err != nil {
			return r, err
		}
	}
	return r, nil
}

// cancelView is what a cancel did.
type cancelView struct {
	CancelRequested bool `json:"cancel_requested,omitempty"`
	AlreadyTerminal bool `json:"already_terminal,omitempty"`
}

type cancelOutput struct {
	Status int
	Body   cancelView
}

func (s *Server) cancelRun(ctx context.Context, in *plainInput) (*cancelOutput, error) {
	outcome, err := s.store.Cancel(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	s.follow(outcome, run.RowCancelRequested)
	if outcome.Already {
		return &cancelOutput{Status: http.StatusOK, Body: cancelView{AlreadyTerminal: true}}, nil
	}
	return &cancelOutput{Status: http.StatusAccepted, Body: cancelView{CancelRequested: true}}, nil
}

func (s *Server) pauseRun(ctx context.Context, in *plainInput) (*tagged[runView], error) {
	outcome, err := s.store.Pause(ctx, in.ID)
	return s.commanded(outcome, run.RowPauseRequested, err)
}

func (s *Server) resumeRun(ctx context.Context, in *plainInput) (*tagged[runView], error) {
	outcome, err := s.store.Resume(ctx, in.ID)
	return s.commanded(outcome, run.RowResumed, err)
}

// commanded answers a command with the run.
func (s *Server) commanded(outcome store.Outcome, kind run.RowType, err error) (*tagged[runView], error) {
	if err != nil {
		return nil, err
	}
	s.follow(outcome, kind)
	return tag(viewRun(outcome.Run), "", IfNoneMatch{})
}
