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

var (
	errCodeLong     = fmt.Errorf("the source is longer than %d bytes", maxCodeBytes)
	errCodeNested   = fmt.Errorf("the source is nested deeper than %d", maxCodeNesting)
	errCodeFunction = errors.New("it must be one function expression")
	errCodeAsync    = errors.New("the function must be synchronous and no generator")
)

// compileCode says what is wrong with the JavaScript of a code node; it runs nothing.
func compileCode(source string) error {
	_, err := codeProgram(source)
	return err
}

// codeProgram compiles the one synchronous function expression that a code node is. Running it yields the function.
func codeProgram(source string) (*goja.Program, error) {
	if err := codeBounds(source); err != nil {
		return nil, err
	}
	// The line break ends a comment that the source may close with.
	program, err := parser.ParseFile(nil, "code", "("+source+"\n)", 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, fmt.Errorf("it does not parse: %w", firstParseError(err))
	}
	if err := oneFunction(program); err != nil {
		return nil, err
	}
	compiled, err := goja.CompileAST(program, true)
	if err != nil {
		return nil, fmt.Errorf("it does not compile: %w", err)
	}
	return compiled, nil
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
