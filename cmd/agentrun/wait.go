package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// waiting is how a command waits for a run: Follow shows every row, JSON writes for programs.
type waiting struct {
	Follow bool
	JSON   bool
}

// wait follows a run until it rests, shows it, and ends as the run ended.
func (w waiting) wait(ctx context.Context, term *terminal, server *client.Client, id string) error {
	shown := w.view(term, id)
	rested, err := untilRest(ctx, server, id, shown.event)
	shown.close()
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("interrupted; the run goes on: agentrun runs wait %s", id)
		}
		return err
	}
	if err := w.result(term, rested); err != nil {
		return err
	}
	return outcome(rested)
}

// view picks what shows the run while it works.
func (w waiting) view(term *terminal, id string) view {
	switch {
	case w.Follow && w.JSON:
		return &jsonRows{term: term}
	case w.Follow:
		return &textRows{term: term}
	case redraws(term.err):
		return newLiveLine(term, id)
	default:
		return newPlainLines(term, id)
	}
}

// result writes the run that rests: the answer, unless a followed timeline has shown it.
func (w waiting) result(term *terminal, r run.Run) error {
	switch {
	case w.JSON && w.Follow:
		return term.jsonLine(asShown(r))
	case w.JSON:
		return term.json(asShown(r))
	case w.Follow:
		return nil
	case r.Result != nil:
		term.text(r.Result.FinalAnswer)
	}
	return nil
}

// rests tells whether nothing more happens to a run until a person acts.
func rests(status run.Status) bool { return status.Terminal() || status == run.InputRequired }

// untilRest hands on each event of a run, from its first row, until the run rests; it gives the run as it is then.
func untilRest(ctx context.Context, server *client.Client, id string, event func(client.Event)) (run.Run, error) {
	var after int64
	for {
		var rested *run.Run
		last, err := server.Follow(ctx, id, after, func(e client.Event) error {
			event(e)
			if !saysRest(e.Row) {
				return nil
			}
			now, err := server.Run(ctx, id)
			if err != nil || !rests(now.Status) {
				return err // the row is of an earlier turn: the run has gone on since
			}
			rested = &now
			return client.ErrStop
		})
		if err != nil {
			return run.Run{}, err
		}
		if rested == nil { // the timeline is final
			now, err := server.Run(ctx, id)
			if err != nil {
				return run.Run{}, err
			}
			rested = &now
		}
		if after, err = drain(ctx, server, id, last, event); err != nil {
			return run.Run{}, err
		}
		if rests(rested.Status) {
			return *rested, nil
		}
	}
}

// saysRest tells whether a row says that its run rests.
func saysRest(row *run.Row) bool {
	if row == nil || row.Type != run.RowStatus {
		return false
	}
	var change run.StatusChange
	return row.Decode(&change) == nil && rests(change.Status)
}

// drain hands on the rows that are written already.
func drain(ctx context.Context, server *client.Client, id string, after int64, event func(client.Event)) (int64, error) {
	for {
		page, err := server.Timeline(ctx, id, after, 0)
		if err != nil || len(page.Rows) == 0 {
			return after, err
		}
		for i := range page.Rows {
			event(client.Event{Row: &page.Rows[i]})
			after = page.Rows[i].Seq
		}
	}
}
