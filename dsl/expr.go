package dsl

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/expr-lang/expr/vm"
)

// Bounds of one evaluation of an expression: the turns of its iterations and the parts of the values that it builds
// (16 bytes of a text count as one).
const (
	maxExprTurns  = 1_000_000
	maxExprMemory = 1_000_000
	maxExprParts  = 4_000_000
)

// boundError is a bound of an evaluation or of JavaScript that was reached.
type boundError struct{ what string }

func (b *boundError) Error() string { return b.what }

var (
	errExprTurns = &boundError{fmt.Sprintf("it takes more than %d turns of its iterations", maxExprTurns)}
	errExprParts = &boundError{fmt.Sprintf("it builds values of more than %d parts", maxExprParts)}
	errExprTime  = &boundError{"it takes longer than its time bound"}
	errExprState = errors.New("the state is not an object")
	errExprAdd   = errors.New("+ takes two numbers, two texts, or a text and what can be written as one")
)

// evaluation is one run of an expression with what it has used of its bounds.
type evaluation struct {
	turns, parts int
	stopped      atomic.Bool
}

// runExpr evaluates an expression over a state within a time bound: the state's keys are the variables, one that is
// missing is nil. A bound that is reached is a *boundError.
func runExpr(program *vm.Program, state any, within time.Duration) (any, error) {
	object, ok := state.(*Object)
	if !ok {
		return nil, errExprState
	}
	env := make(map[string]any, 8)
	for _, constant := range program.Constants {
		name, _ := constant.(string) // a variable's name is a constant of the program, so what is not named is not copied
		if value, found := object.Get(name); found {
			env[name] = plain(value)
		}
	}
	running := &evaluation{}
	env[turnName], env[sizeName], env[addName] = running.turn, running.size, running.add
	timer := time.AfterFunc(within, func() { running.stopped.Store(true) })
	defer timer.Stop()
	machine := vm.VM{MemoryBudget: maxExprMemory}
	result, err := machine.Run(program, env)
	if err != nil {
		return nil, exprFailure(err)
	}
	return fromPlain(result)
}

func exprFailure(err error) error {
	if bound, ok := errors.AsType[*boundError](err); ok {
		return bound
	}
	if err.Error() == "" {
		return errExprParts
	}
	return fmt.Errorf("the expression fails: %w", err)
}

func (e *evaluation) turn() bool {
	if e.turns++; e.turns > maxExprTurns {
		panic(errExprTurns)
	}
	if e.stopped.Load() {
		panic(errExprTime)
	}
	return true
}

func (e *evaluation) size(value any) any {
	e.weigh(value)
	return value
}

func (e *evaluation) weigh(value any) {
	e.parts++
	switch v := value.(type) {
	case string:
		e.parts += len(v) / 16
	case []any:
		for _, item := range v {
			e.weigh(item)
		}
	case map[string]any:
		for _, item := range v {
			e.weigh(item)
		}
	}
	if e.parts > maxExprParts {
		panic(errExprParts)
	}
	if e.stopped.Load() {
		panic(errExprTime)
	}
}

// add is `+`: of two numbers their sum, of two texts both.
func (e *evaluation) add(left, right any) any {
	a, aNumber := exprNumber(left)
	b, bNumber := exprNumber(right)
	if aNumber && bNumber {
		return a + b
	}
	first, ok := left.(string)
	second, also := right.(string)
	if !ok || !also {
		panic(errExprAdd)
	}
	if len(first)+len(second) > maxExprText {
		panic(errTextTooLong)
	}
	e.parts += (len(first) + len(second)) / 16
	return e.size(first + second)
}

func exprNumber(value any) (float64, bool) {
	switch n := value.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n)
	default:
		return 0, false
	}
}
