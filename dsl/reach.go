package dsl

import (
	"math/big"
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
)

// shadowedNames are what reaches outside, reads a clock, makes code of text, or could take much in one step.
const shadowedNames = "require, module, exports, process, global, globalThis, __dirname, __filename, fetch, " +
	"XMLHttpRequest, Function, Buffer, setTimeout, setInterval, setImmediate, queueMicrotask, Promise, Date, Proxy, " +
	"Reflect, Symbol, BigInt, WeakRef, WeakMap, WeakSet, FinalizationRegistry, GoError, ArrayBuffer, " +
	"SharedArrayBuffer, DataView, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, " +
	"Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array"

// spreadName is the function that every spread of a source goes through.
const spreadName = "$spread"

// reach is what a source may get hold of: with a computed access or an escape, any name; else only those it writes.
type reach struct {
	source  string
	dynamic bool
	bigInt  bool
}

// has tells whether the source may reach a name.
func (r *reach) has(name string) bool { return r.dynamic || strings.Contains(r.source, name) }

// reachOf looks through a source, and puts spreadName before what it spreads: a spread is one step, whatever its size.
func reachOf(source string, program *ast.Program) reach {
	found := reach{source: source, dynamic: strings.Contains(source, `\`)}
	found.visit(reflect.ValueOf(program.Body))
	return found
}

// visit looks through a syntax tree, whatever its node types.
func (r *reach) visit(value reflect.Value) {
	switch value.Kind() {
	case reflect.Interface:
		if !value.IsNil() {
			r.visit(value.Elem())
		}
	case reflect.Pointer:
		if !value.IsNil() && isSyntax(value.Type().Elem()) {
			r.look(value.Interface())
			r.visit(value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			r.visit(value.Index(i))
		}
	case reflect.Struct:
		for i := range value.NumField() {
			// Declarations are listed again beside the statements that make them.
			if field := value.Type().Field(i); field.IsExported() && field.Name != "DeclarationList" {
				r.visit(value.Field(i))
			}
		}
	default:
	}
}

func isSyntax(kind reflect.Type) bool { return strings.HasSuffix(kind.PkgPath(), "goja/ast") }

func (r *reach) look(node any) {
	switch n := node.(type) {
	case *ast.NumberLiteral:
		if _, big := n.Value.(*big.Int); big {
			r.bigInt = true
		}
	case *ast.BracketExpression:
		switch n.Member.(type) {
		case *ast.NumberLiteral, *ast.StringLiteral:
		default:
			r.dynamic = true
		}
	case *ast.SpreadElement:
		n.Expression = &ast.CallExpression{
			Callee: &ast.Identifier{Name: spreadName, Idx: n.Idx0()}, ArgumentList: []ast.Expression{n.Expression},
			LeftParenthesis: n.Idx0(), RightParenthesis: n.Idx1(),
		}
	case *ast.PropertyKeyed:
		if n.Computed {
			r.dynamic = true
		}
	}
}
