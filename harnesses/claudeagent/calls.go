package claudeagent

import (
	"context"
	"sync"
	"time"
)

// calls are the calls of tools under way, by the ids of the program's requests.
type calls struct {
	mu    sync.Mutex
	under map[string]context.CancelFunc
	wg    sync.WaitGroup
	over  bool
}

// begin notes a call; false: there are too many, or it is under way, or the session is over.
func (c *calls) begin(ctx context.Context, id string) (context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.under[id]; twice || c.over || len(c.under) >= maxCalls {
		return nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	if c.under == nil {
		c.under = map[string]context.CancelFunc{}
	}
	c.under[id] = cancel
	c.wg.Add(1)
	return ctx, true
}

// end notes that a call is over.
func (c *calls) end(id string) {
	c.cancel(id)
	c.mu.Lock()
	delete(c.under, id)
	c.mu.Unlock()
	c.wg.Done()
}

// cancel ends the context of a call.
func (c *calls) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.under[id]; cancel != nil {
		cancel()
	}
}

// wait lets no further call begin and waits for those under way, but for no longer than d.
func (c *calls) wait(d time.Duration) {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		c.wg.Wait()
		close(idle)
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}
