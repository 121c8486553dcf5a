package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/agentrun/agentrun/models/faux"
)

// What the programs are told. The words choose how the model answers: at once, after half a second, or never.
const (
	instructions = "Take notes."
	wordsInstant = "go"
	wordsSlow    = "go slowly"
	wordsHang    = "wait"
)

// offered are the tools the programs have.
var offered = []string{"read", "write", "edit"}

// stage is the scripted gateway that both sides ask.
type stage struct {
	*faux.Gateway
	url    string
	server *http.Server
}

// newStage starts a gateway with the task of ten steps at each of the paces.
func newStage() (*stage, error) {
	script, err := faux.Load("ten-steps")
	if err != nil {
		return nil, err
	}
	task := script.Rules[0]
	slow := faux.Rule{Name: "slow", When: faux.When{User: wordsSlow}, Replies: slices.Clone(task.Replies)}
	for i := range slow.Replies {
		slow.Replies[i].Delay = faux.Duration(500 * time.Millisecond)
	}
	hang := faux.Rule{Name: "hang", When: faux.When{User: wordsHang}, Reply: &faux.Reply{Hang: true}}
	script.Rules = []faux.Rule{slow, hang, task}
	gateway, err := faux.New(script, faux.Options{})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &stage{
		Gateway: gateway, url: "http://" + listener.Addr().String(),
		server: &http.Server{Handler: gateway, ReadHeaderTimeout: time.Minute},
	}
	go func() { _ = g.server.Serve(listener) }()
	return g, nil
}

func (g *stage) close() { _ = g.server.Close() }

// mark is how many requests there were so far.
func (g *stage) mark() int { return len(g.Requests()) }

// asked waits for requests after a mark, answered or not.
func (g *stage) asked(ctx context.Context, mark, n int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	all, err := g.Wait(ctx, func(all []faux.Record) bool { return len(all) >= mark+n })
	if err != nil {
		return fmt.Errorf("%d of %d requests came: %w", len(all)-mark, n, err)
	}
	return nil
}

// task are the requests of one task after a mark: each of them once, all answered.
func (g *stage) task(ctx context.Context, mark int) ([]faux.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	all, err := g.Wait(ctx, func(all []faux.Record) bool {
		return len(all) >= mark+turns+1 && !slices.ContainsFunc(all[mark:], func(r faux.Record) bool { return r.Outcome == faux.Open })
	})
	if err != nil {
		return nil, fmt.Errorf("the requests of a task: %w", err)
	}
	for i, record := range all[mark:] {
		if record.Outcome != faux.Completed || record.Turn != int64(i) || i > turns {
			return nil, fmt.Errorf("request %d of a task was %s, at turn %d", i+1, record.Outcome, record.Turn)
		}
	}
	return all[mark:], nil
}

// answeredAt is when an answer had been sent.
func answeredAt(r faux.Record) time.Time {
	return r.At.Add(time.Duration(r.DurationMS * float64(time.Millisecond)))
}
