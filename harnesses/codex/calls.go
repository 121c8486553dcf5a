package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// calls are a session's tool calls. The program passes most of them on; those of tools that nobody offered, and those
// whose arguments are no JSON, it answers by itself, in its own words. Here they go to the host like the others, and what
// the host says of them takes the place of the program's words in what is sent: the journal then has a result of every
// call, and a session opened anew asks the same.
type calls struct {
	ctx     context.Context
	host    cli.Host
	offered map[string]bool
	fail    func(error)

	mu sync.Mutex
	// known are the calls whose results the program has from the host.
	known map[string]bool
	own   map[string]*outcome
}

// outcome is what a call comes to, once done is closed.
type outcome struct {
	done   chan struct{}
	result cli.Result
	err    error
}

// newCalls makes the calls of a session that begins with the spec's history. fail is told of a call that the host does
// not answer.
func newCalls(ctx context.Context, spec cli.Spec, host cli.Host, fail func(error)) *calls {
	c := &calls{
		ctx: ctx, host: host, fail: fail,
		offered: map[string]bool{}, known: map[string]bool{}, own: map[string]*outcome{},
	}
	for _, tool := range spec.Tools {
		c.offered[tool.Name] = true
	}
	for _, message := range spec.History {
		if message.Role == models.RoleTool {
			c.known[message.CallID] = true
		}
	}
	return c
}

// pass has the host answer a call that the program passed on.
func (c *calls) pass(call cli.Call) (cli.Result, error) {
	c.mu.Lock()
	c.known[call.ID] = true
	begun := c.own[call.ID]
	c.mu.Unlock()
	if begun != nil {
		return c.wait(begun)
	}
	return c.ask(call)
}

func (c *calls) ask(call cli.Call) (cli.Result, error) {
	result, err := c.host.Call(c.ctx, call)
	if err != nil {
		err = fmt.Errorf("answer the call %s of the tool %s: %w", call.ID, call.Name, err)
		c.fail(err)
	}
	return result, err
}

// begin has the host answer the calls of an answer that the program will not pass on.
func (c *calls) begin(list []models.Call) {
	for _, call := range list {
		if !c.offered[call.Name] || !passable(call.Args) {
			c.start(cli.Call{ID: call.ID, Name: call.Name, Args: call.Args})
		}
	}
}

// passable tells whether the arguments were JSON when the model wrote them: what was none is a string on record.
func passable(args json.RawMessage) bool {
	return len(args) > 0 && args[0] != '"'
}

// start has the host answer a call once, however often it is asked for.
func (c *calls) start(call cli.Call) *outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.own[call.ID]; o != nil {
		return o
	}
	o := &outcome{done: make(chan struct{})}
	c.own[call.ID] = o
	go func() {
		defer close(o.done)
		o.result, o.err = c.ask(call)
	}()
	return o
}

// fill puts the host's words in the place of the program's own results.
func (c *calls) fill(r *request) error {
	asked := map[string]cli.Call{}
	for i := range r.items {
		one := &r.items[i]
		if one.Type == typeCall {
			asked[one.CallID] = cli.Call{ID: one.CallID, Name: one.Name, Args: arguments(one.Arguments)}
		}
		call, ok := asked[one.CallID]
		if one.Type != typeOutput || !ok || c.has(one.CallID) {
			continue
		}
		result, err := c.wait(c.start(call))
		if err != nil {
			return err
		}
		text, err := compact(result.Text)
		if err != nil {
			return fmt.Errorf("write the result of the call %s: %w", call.ID, err)
		}
		one.Output, one.fields["output"] = text, text
	}
	return nil
}

func (c *calls) has(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[id]
}

func (c *calls) wait(o *outcome) (cli.Result, error) {
	select {
	case <-o.done:
		return o.result, o.err
	case <-c.ctx.Done():
		return cli.Result{}, c.ctx.Err()
	}
}

// settle waits until the host has answered every call that the program did not pass on.
func (c *calls) settle() {
	c.mu.Lock()
	list := make([]*outcome, 0, len(c.own))
	for _, o := range c.own {
		list = append(list, o)
	}
	c.mu.Unlock()
	for _, o := range list {
		_, _ = c.wait(o)
	}
}

// arguments are a call's arguments as JSON: a JSON string of what the model wrote where that is none.
func arguments(text string) json.RawMessage {
	switch {
	case text == "":
		return json.RawMessage("{}")
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	raw, err := compact(text)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}
