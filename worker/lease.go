package worker

import (
	"context"
	"sync/atomic"
	"time"
)

// lease is the worker's right to act, as far as it knows. A process that was stopped for a while finds it old when it
// goes on, and asks before it does anything else.
type lease struct {
	options Options
	// renewed is when the server last took a beat, in nanoseconds since 1970, by a clock that runs on while the process
	// is stopped.
	renewed atomic.Int64
}

// keep renews the lease until it is refused.
func (l *lease) keep(ctx context.Context) error {
	tick := time.NewTicker(l.options.Beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := l.renew(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

func (l *lease) renew(ctx context.Context) error {
	asked := time.Now()
	if err := l.options.Presence.Beat(ctx, l.options.Holder.Worker); err != nil {
		return refused(err)
	}
	l.renewed.Store(asked.UnixNano())
	return nil
}

// confirm is nil where the lease is certainly good: it was renewed within the last two beats, or is now.
func (l *lease) confirm(ctx context.Context) error {
	if time.Since(time.Unix(0, l.renewed.Load())) < 2*l.options.Beat {
		return nil
	}
	return l.renew(ctx)
}
