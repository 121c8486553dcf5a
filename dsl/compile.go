package dsl

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// Bounds of a source: the parser recurses, so what it is given is bounded before it sees it.
const (
	maxCodeBytes   = 128 << 10
	maxCodeNesting = 500
)

// sourceName is what the engine calls a source; linesBefore is how many lines stand before it.
const (
	sourceName  = "code"
	linesBefore = 1
)

var (
	errCodeLong     = fmt.Errorf("the source is longer than %d bytes", maxCodeBytes)
	errCodeNested   = fmt.Errorf("the source is nested deeper than %d", maxCodeNesting)
	errCodeFunction = errors.New("it must be one function expression")
	errCodeBigInt   = errors.New("it has a big integer, which is no JSON number")
	errCodeAsync    = errors.New("the function must be synchronous and no generator")
)

// compileCode says what is wrong with the JavaScript of a code node; it runs nothing.
func compileCode(source string) error {
	_, err := codeProgram(source)
	return err
}

// function is a compiled code node. Running program yields a function that takes what bounds a spread and returns the
// node's own; reach tells which builtins that may get hold of.
type function struct {
	program *goja.Program
	reach   reach
}

// codeProgram compiles the one synchronous function expression that a code node is.
func codeProgram(source string) (*function, error) {
	if err := codeBounds(source); err != nil {
		return nil, err
	}
	if err := guardSource(source); err != nil {
		return nil, err
	}
	// The line break ends a comment that the source may close with.
	parsed, err := parse("(" + source + "\n)")
	if err != nil {
		return nil, err
	}
	if err := oneFunction(parsed); err != nil {
		return nil, err
	}
	if err := guardDepth(parsed); err != nil {
		return nil, err
	}
	// What a function must not see is shadowed by parameters that nobody gives, which costs nothing when it runs.
	// The source begins on a line of its own, so that its lines can be told.
	wrapped, err := parse("(function (" + spreadName + ", " + shadowedNames + ") { return (\n" + source + "\n) })")
	if err != nil {
		return nil, err
	}
	found := reachOf(source, wrapped)
	if found.bigInt {
		return nil, errCodeBigInt
	}
	compiled, err := goja.CompileAST(wrapped, true)
	if err != nil {
		return nil, compileError(parsed, err)
	}
	return &function{program: compiled, reach: found}, nil
}

// compileError says what the compiler finds wrong with the source as its author wrote it, or else as it was wrapped.
func compileError(parsed *ast.Program, wrapped error) error {
	if _, err := goja.CompileAST(parsed, true); err != nil {
		wrapped = err
	}
	return fmt.Errorf("it does not compile: %w", wrapped)
}

func parse(source string) (*ast.Program, error) {
	program, err := parser.ParseFile(nil, sourceName, source, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, fmt.Errorf("it does not parse: %w", firstParseError(err))
	}
	return program, nil
}

func firstParseError(err error) error {
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0]
	}
	return err
}

func oneFunction(program *ast.Program) error {
	if len(program.Body) != 1 {
		return errCodeFunction
	}
	statement, ok := program.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return errCodeFunction
	}
	switch function := statement.Expression.(type) {
	case *ast.ArrowFunctionLiteral:
		if function.Async {
			return errCodeAsync
		}
	case *ast.FunctionLiteral:
		if function.Async || function.Generator {
			return errCodeAsync
		}
	default:
		return errCodeFunction
	}
	return nil
}

// codeBounds refuses what could exhaust the parser's stack. It counts what may open a level without reading strings or
// comments, so it may refuse a source whose texts hold hundreds of brackets that never close.
func codeBounds(source string) error {
	if len(source) > maxCodeBytes {
		return errCodeLong
	}
	depth := 0
	for i := range len(source) {
		switch source[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxCodeNesting {
			return errCodeNested
		}
	}
	return nil
}
