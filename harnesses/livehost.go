package harnesses

import (
	"context"
	"errors"
	"sync"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

// liveHost answers a probe's program: its first request goes to the model, any further one is refused.
type liveHost struct {
	ask   Ask
	ended chan string

	mu   sync.Mutex
	sent bool
	cost *run.USD
	err  error
}

func (h *liveHost) result() (*run.USD, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.sent {
		return nil, errors.New("the program asked for no model")
	}
	return h.cost, h.err
}

// asked tells whether the program made its request.
func (h *liveHost) asked() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sent
}

// Ask implements cli.Host.
func (h *liveHost) Ask(ctx context.Context, ask cli.Ask) (cli.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sent {
		return cli.Answer{}, &cli.Refused{Code: "test", Message: "a test makes one request"}
	}
	h.sent = true
	wire := ask.Wire
	answer, err := h.send(ctx, models.Request{Model: h.ask.Model, Wire: &wire})
	h.err = err
	if err != nil {
		return cli.Answer{}, &cli.Refused{Code: "test", Message: err.Error()}
	}
	return cli.Answer{ID: "test", Answer: answer}, nil
}

// Call implements cli.Host.
func (h *liveHost) Call(context.Context, cli.Call) (cli.Result, error) {
	return cli.Result{}, errors.New("there are no tools here")
}

// TurnEnded implements cli.Host.
func (h *liveHost) TurnEnded(fault string) {
	select {
	case h.ended <- fault:
	default:
	}
}
