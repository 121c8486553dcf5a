package dsl

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/expr-lang/expr/vm"
)

// Default bounds of one computation.
const (
	defaultComputeTime = time.Second
	defaultHeapGrowth  = 256 << 20
	maxCallDepth       = 2000
	// stopGrace is how long a computation that was told to stop may go on in a builtin before it is left to itself.
	stopGrace = time.Second
)

// Bounds of a computation: of its time, and of how many bytes the heap may grow while it runs. Zero is the default: a
// second, 256 MiB.
type Bounds struct {
	Time       time.Duration
	HeapGrowth int64
}

// Sandbox computes: the JavaScript and the expressions of documents, without any access to the outside. It runs no more
// at once than there are processors. One may serve many runs.
type Sandbox struct {
	bounds Bounds
	slots  chan struct{}
	alone  chan struct{}
}

// NewSandbox makes a sandbox with these bounds.
func NewSandbox(bounds Bounds) *Sandbox {
	if bounds.Time <= 0 {
		bounds.Time = defaultComputeTime
	}
	if bounds.HeapGrowth <= 0 {
		bounds.HeapGrowth = defaultHeapGrowth
	}
	return &Sandbox{
		bounds: bounds, slots: make(chan struct{}, runtime.GOMAXPROCS(0)), alone: make(chan struct{}, 1),
	}
}

// isBound tells whether a computation was stopped by one of its bounds.
func isBound(err error) bool {
	var bound *boundError
	return errors.As(err, &bound)
}

// evaluate runs an expression over a state.
func (s *Sandbox) evaluate(program *vm.Program, state any) (any, error) {
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	return runExpr(program, state, s.bounds.Time)
}

// call runs the function of a code node on a state. The heap is the whole process's, so a computation that seems to
// have grown it too far is given a second chance while no other of this sandbox runs.
func (s *Sandbox) call(ctx context.Context, function *function, state *Object, sop string) (any, error) {
	value, err := s.callOnce(ctx, function, state, sop, 1)
	if !errors.Is(err, errHeap) {
		return value, err
	}
	s.alone <- struct{}{}
	defer func() { <-s.alone }()
	return s.callOnce(ctx, function, state, sop, cap(s.slots))
}

// callOnce runs a function while it holds so many of the slots.
func (s *Sandbox) callOnce(ctx context.Context, function *function, state *Object, sop string, slots int) (any, error) {
	if err := s.acquire(ctx, slots); err != nil {
		return nil, err
	}
	// A builtin that goes on for ever keeps its goroutine, but not what others wait for.
	release := sync.OnceFunc(func() { s.release(slots) })
	if slots > 1 {
		runtime.GC() // what the first chance left behind is not the second's
	}
	type outcome struct {
		value any
		err   error
	}
	settled := make(chan outcome, 1)
	computation := newComputation(s)
	go func() {
		defer release()
		value, err := computation.run(function, state, sop)
		settled <- outcome{value, err}
	}()
	hard := time.NewTimer(s.bounds.Time + stopGrace)
	defer hard.Stop()
	select {
	case done := <-settled:
		return done.value, done.err
	case <-ctx.Done():
		computation.stop(errCancelled)
		return nil, context.Cause(ctx) //nolint:wrapcheck // a cancellation is not the code's failure
	case <-hard.C:
		release()
		return nil, computation.timeError()
	}
}

func (s *Sandbox) acquire(ctx context.Context, slots int) error {
	for i := range slots {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			s.release(i)
			return context.Cause(ctx) //nolint:wrapcheck // a cancellation is not the code's failure
		}
	}
	return nil
}

func (s *Sandbox) release(slots int) {
	for range slots {
		<-s.slots
	}
}

var (
	errHeap      = &boundError{"it allocates more memory than its bound allows"}
	errDepth     = &boundError{fmt.Sprintf("it calls functions deeper than %d", maxCallDepth)}
	errCancelled = errors.New("the run was cancelled")
	errThenable  = errors.New("it returns a promise: code is synchronous")
)
