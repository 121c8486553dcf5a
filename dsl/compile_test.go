package dsl

import (
	"errors"
	"strings"
	"testing"
)

func TestCompileCode(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, source string
		want         error // nil: it compiles
	}{
		{"arrow", "s => ({ a: 1 })", nil},
		{"function", "function (s) { return s; }", nil},
		{"comment at the end", "s => s // all of it", nil},
		{"two references", "(s, { sop }) => sop", nil},
		{"async arrow", "async s => 1", errCodeAsync},
		{"async function", "async function () {}", errCodeAsync},
		{"generator", "function* () {}", errCodeAsync},
		{"a value", "1 + 1", errCodeFunction},
		{"two functions", "s => 1, s => 2", errCodeFunction},
		{"statements", "s => 1); (t => 2", errCodeFunction},
		{"too long", "s => '" + strings.Repeat("x", maxCodeBytes) + "'", errCodeLong},
		{"too deep", "s => " + strings.Repeat("(", 1000), errCodeNested},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := compileCode(c.source); !errors.Is(err, c.want) {
				t.Errorf("compileCode(%.60q) = %v, want %v", c.source, err, c.want)
			}
		})
	}
}

func TestCompileCodeNamesTheLine(t *testing.T) {
	t.Parallel()
	err := compileCode("not js ((")
	if err == nil || !strings.Contains(err.Error(), "Line 1") {
		t.Errorf("a source that does not parse says %v, want the line", err)
	}
}

func TestCompileErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	err := compileCode("s => {\n  let a = 1;\n  let a = 2;\n}")
	if err == nil || !strings.Contains(err.Error(), "code:3:") && !strings.Contains(err.Error(), "Line 3:") {
		t.Errorf("a name that is declared twice says %v, want the line", err)
	}
}

func TestCompileExpr(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, source string
		ok           bool
	}{
		{"comparison", "score >= 0.8 and status == 'open'", true},
		{"iteration", "all(items, # > 1)", true},
		{"sorted keys", "keys(context)", true},
		{"blank", "  ", false},
		{"cut off", "score >=", false},
		{"unknown function", "launch(1)", true}, // any key of a state might hold anything; it fails where it runs
		{"the clock", "now()", true},            // likewise: no such function where it runs
		{"too long", strings.Repeat("1+", maxExprBytes) + "1", false},
		{"too deep", strings.Repeat("(", 15_000) + "1" + strings.Repeat(")", 15_000), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := compileExpr(c.source); (err == nil) != c.ok {
				t.Errorf("compileExpr(%.60q) = %v, want ok %t", c.source, err, c.ok)
			}
		})
	}
}
