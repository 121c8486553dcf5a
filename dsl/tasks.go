package dsl

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// goroutines are the Tasks of a host that counts nothing.
type goroutines struct{}

func (goroutines) Go(fn func()) { go fn() }

func (goroutines) Block(fn func()) { fn() }

// fanOut does n things with so many workers at once, in order. The first failure stops what has not begun and cancels
// the rest; it returns the errors by index, and how many went well.
func (in *interpreter) fanOut(
	ctx context.Context, n, workers int, do func(ctx context.Context, i int) error,
) (failed map[int]error, done int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed = map[int]error{}
	var mutex sync.Mutex
	next := 0
	take := func() (int, bool) {
		mutex.Lock()
		defer mutex.Unlock()
		if next >= n || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	settle := func(i int, err error) {
		mutex.Lock()
		defer mutex.Unlock()
		if err == nil {
			done++
			return
		}
		failed[i] = err
		cancel()
	}
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Add(1)
		in.tasks.Go(func() {
			defer group.Done()
			for i, ok := take(); ok; i, ok = take() {
				settle(i, do(ctx, i))
			}
		})
	}
	in.tasks.Block(group.Wait)
	return failed, done
}

// joined is what siblings that failed come to: the failure of the lowest index that is not only the echo of another's.
// Where an effect of unknown outcome is among them, one failure carries them all. Nil where nothing failed.
func joined(ctx context.Context, at scope, label string, failed map[int]error, n int) error {
	var all []error
	var echo error
	unknown := false
	for i := range n {
		err, ok := failed[i]
		switch {
		case !ok:
		case ctx.Err() == nil && errors.Is(err, context.Canceled) && !isUnknown(err):
			echo = err
		default:
			all = append(all, err)
			unknown = unknown || isUnknown(err)
		}
	}
	switch {
	case len(all) == 0 && echo == nil:
		return context.Cause(ctx) //nolint:wrapcheck // a cancellation of the whole, or nothing
	case len(all) == 0:
		return echo
	case !unknown || len(all) == 1:
		return all[0]
	default:
		return &Failure{
			Code: CodeOutcomeUnknown, Class: ClassUnknown, Stage: label, ExecutionPath: at.path, Others: all,
			Message: "effects of unknown outcome beside others: " + messages(all),
		}
	}
}

func messages(all []error) string {
	texts := make([]string, len(all))
	for i, err := range all {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}
