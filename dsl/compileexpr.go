package dsl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
)

// maxExprBytes bounds what the recursive parser of expressions is given.
const maxExprBytes = 16 << 10

// What a compiled expression calls so that its evaluation stays bounded: turnName before each turn of an iteration,
// sizeName with every value it builds, addName for each `+`.
const (
	turnName = "$turn"
	sizeName = "$size"
	addName  = "$add"
)

var (
	errExprLong  = fmt.Errorf("the expression is longer than %d bytes", maxExprBytes)
	errExprEmpty = errors.New("the expression is empty")
	errExprEnv   = errors.New(`$env is only for reading a key by its name, as $env["find-answer"]`)
)

// compileExpr says what is wrong with an expr-lang expression; it runs nothing.
func compileExpr(source string) error {
	_, err := exprProgram(source)
	return err
}

// exprProgram compiles an expression over a state, whose keys are its variables. It knows no clock, reads objects in
// the order of their sorted keys, and can be stopped.
func exprProgram(source string) (*vm.Program, error) {
	if len(source) > maxExprBytes {
		return nil, errExprLong
	}
	if strings.TrimSpace(source) == "" {
		return nil, errExprEmpty
	}
	bounds := &bounding{}
	options := append([]expr.Option{
		expr.Env(map[string]any{}), expr.AllowUndefinedVariables(), expr.Patch(bounds),
		// Folding constants would run an iteration while compiling, before anything bounds it.
		expr.Optimize(false),
	}, boundedBuiltins()...)
	program, err := expr.Compile(source, options...)
	if err != nil {
		return nil, fmt.Errorf("it does not compile: %w", err)
	}
	if bounds.wholeEnv != 0 {
		return nil, errExprEnv
	}
	return program, nil
}

// bounding rewrites an expression so that its evaluation counts its turns and the size of what it builds.
type bounding struct{ wholeEnv int }

func (b *bounding) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		n.Node = &ast.ConditionalNode{Cond: callOf(turnName), Exp1: callOf(sizeName, n.Node), Exp2: &ast.NilNode{}}
	case *ast.ArrayNode, *ast.MapNode:
		ast.Patch(node, callOf(sizeName, n))
	case *ast.BuiltinNode:
		if n.Name == "concat" || n.Name == "map" {
			ast.Patch(node, callOf(sizeName, n))
		}
	case *ast.BinaryNode:
		if n.Operator == "+" {
			ast.Patch(node, callOf(addName, n.Left, n.Right))
		}
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			b.wholeEnv++
		}
	case *ast.MemberNode:
		b.member(n)
	}
}

// member takes back the count of `$env` where it is read by a literal name.
func (b *bounding) member(n *ast.MemberNode) {
	owner, ok := n.Node.(*ast.IdentifierNode)
	if !ok || owner.Value != "$env" {
		return
	}
	if _, literal := n.Property.(*ast.StringNode); literal {
		b.wholeEnv--
	}
}

func callOf(name string, arguments ...ast.Node) ast.Node {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: arguments}
}
