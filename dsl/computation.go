package dsl

import (
	"errors"
	"fmt"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
)

// pollEvery is how often a computation's use of memory and time is looked at.
const pollEvery = time.Millisecond

// maxThrownMessage is how many characters of what code throws are told.
const maxThrownMessage = 1000

// computation is one call of a function in a fresh runtime.
type computation struct {
	sandbox *Sandbox
	runtime *goja.Runtime
	// stopped is set, to why, when the computation must end; builtins that loop look at it.
	stopped atomic.Pointer[error]
	began   time.Time
	heap    uint64
}

func newComputation(sandbox *Sandbox) *computation {
	return &computation{sandbox: sandbox, runtime: goja.New()}
}

func (c *computation) timeError() error {
	return &boundError{fmt.Sprintf("it takes longer than its bound of %s", c.sandbox.bounds.Time)}
}

// stop ends the computation as soon as it looks.
func (c *computation) stop(why error) {
	if c.stopped.CompareAndSwap(nil, &why) {
		c.runtime.Interrupt(why)
	}
}

func (c *computation) run(function *function, state *Object, sop string) (value any, err error) {
	c.began, c.heap = time.Now(), heapBytes()
	done := make(chan struct{})
	defer close(done)
	go c.watch(done)
	defer func() {
		// A builtin that panics beyond JavaScript's own errors fails the node, not the process.
		if caught := recover(); caught != nil {
			value, err = nil, c.failure(fmt.Errorf("the runtime gave up: %v", caught)) //nolint:err113 // whatever it is
		}
	}()
	if err := c.prepare(function.reach); err != nil {
		return nil, err
	}
	yielded, err := c.runtime.RunProgram(function.program)
	if err != nil {
		return nil, c.failure(err)
	}
	call, err := c.unwrapped(yielded)
	if err != nil {
		return nil, err
	}
	references := c.runtime.NewObject()
	if err := references.Set("sop", sop); err != nil {
		return nil, fmt.Errorf("hand over the references: %w", err)
	}
	result, err := call(goja.Undefined(), c.stateObject(state), references)
	if err != nil {
		return nil, c.failure(err)
	}
	return c.export(result)
}

// unwrapped takes the node's function out of the one that shadows names.
func (c *computation) unwrapped(yielded goja.Value) (goja.Callable, error) {
	wrapper, ok := goja.AssertFunction(yielded)
	if !ok {
		return nil, errCodeFunction
	}
	inner, err := wrapper(goja.Undefined(), c.runtime.ToValue(c.spread))
	if err != nil {
		return nil, c.failure(err)
	}
	call, ok := goja.AssertFunction(inner)
	if !ok {
		return nil, errCodeFunction
	}
	return call, nil
}

// watch looks at the clock and the heap until the computation is done.
func (c *computation) watch(done <-chan struct{}) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			if time.Since(c.began) >= c.sandbox.bounds.Time {
				c.stop(c.timeError())
			}
			if heap := heapBytes(); heap > c.heap && heap-c.heap > uint64(c.sandbox.bounds.HeapGrowth) { //nolint:gosec // positive
				c.stop(errHeap)
			}
		}
	}
}

// heapBytes is what the heap's objects take, those not yet collected included.
func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// failure is what a throw, a bound or an interruption means to the author.
func (c *computation) failure(err error) error {
	if why := c.stopped.Load(); why != nil {
		return *why
	}
	if _, ok := errors.AsType[*goja.StackOverflowError](err); ok {
		return errDepth
	}
	if bound, ok := errors.AsType[*boundError](err); ok {
		return bound
	}
	if thrown, ok := errors.AsType[*goja.Exception](err); ok {
		return thrownIn(thrown)
	}
	return err
}

// thrownError is what JavaScript threw, with where.
type thrownError struct{ message string }

func (t *thrownError) Error() string { return t.message }

// thrownIn says what was thrown, and in which line of the source.
func thrownIn(thrown *goja.Exception) *thrownError {
	message := "it throws"
	if value := thrown.Value(); value != nil {
		message = shortened(value.String(), maxThrownMessage)
	}
	for _, frame := range thrown.Stack() {
		if line := frame.Position().Line - linesBefore; frame.SrcName() == sourceName && line > 0 {
			return &thrownError{message: fmt.Sprintf("%s (line %d of the code)", message, line)}
		}
	}
	return &thrownError{message: message}
}
