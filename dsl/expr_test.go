package dsl

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func evaluated(t *testing.T, source, state string) (any, error) {
	t.Helper()
	program, err := exprProgram(source)
	if err != nil {
		t.Fatalf("%s does not compile: %v", source, err)
	}
	return runExpr(program, decoded(t, state), time.Second)
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	const state = `{"n":2,"items":[{"p":1,"t":"a"},{"p":3,"t":"b"}],"o":{"b":1,"a":2},"fit$answers":{"c":0.5},"find-answer":{"x":1},"z":null}`
	cases := []struct{ name, source, want string }{
		{"a comparison", "n >= 2 and items[0].p < 2", "true"},
		{"a sum", "n + 1", "3"},
		{"two texts", "items[0].t + items[1].t", `"ab"`},
		{"a filter", "filter(items, .p > 1)", `[{"p":3,"t":"b"}]`},
		{"a map", "map(items, {{t: .t, double: .p * 2}})", `[{"double":2,"t":"a"},{"double":6,"t":"b"}]`},
		{"sorted keys", "keys(o)", `["a","b"]`},
		{"sorted values", "values(o)", `[2,1]`},
		{"pairs", "toPairs(o)", `[["a",2],["b",1]]`},
		{"a sidecar", "fit$answers.c", "0.5"},
		{"a key with a hyphen", `$env["find-answer"].x`, "1"},
		{"a default for null", "z ?? 7", "7"},
		{"a missing variable is nil", "gone == nil", "true"},
		{"join", `join(map(items, .t), "-")`, `"a-b"`},
		{"replace", `replace("aXa", "X", "-")`, `"a-a"`},
		{"repeat", `repeat("ab", 2)`, `"abab"`},
		{"uniq", `uniq([1, 2, 1.0, "1", {a: 1}, {a: 1}])`, `[1,2,"1",{"a":1}]`},
		{"groups", "groupBy(items, .t)", `{"a":[{"p":1,"t":"a"}],"b":[{"p":3,"t":"b"}]}`},
		{"a reduction", "reduce(items, #acc + .p, 0)", "4"},
		{"sums", "sum(map(items, .p))", "4"},
		{"a range", "1..3", "[1,2,3]"},
		{"texts split", `split("a,b", ",")`, `["a","b"]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			value, err := evaluated(t, c.source, state)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, JSON(value)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.source, diff)
			}
		})
	}
}

func TestExpressionsFail(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"items.gone.deeper", `n + "x"`, "launch(1)", "now()", `join(1)`, `keys(n)`, `repeat("x", -1)`, `replace(n, "a", "b")`,
	} {
		if value, err := evaluated(t, source, `{"n":2,"items":[]}`); err == nil {
			t.Errorf("%s yields %s", source, JSON(value))
		}
	}
}

func TestExpressionsAreBounded(t *testing.T) {
	t.Parallel()
	list := "[" + strings.Repeat("0,", 5000) + "0]"
	sources := map[string]string{
		"nested iterations":       "all(big, all(big, all(big, true)))",
		"a range within a range":  "all(1..900000, len(1..900000) > 0)",
		"a doubling text":         `reduce(1..60, #acc + #acc, "x")`,
		"a doubling list":         "reduce(1..60, [#acc, #acc], 1)",
		"doubling by variables":   "let a = [1,1]; " + doubling(30) + "toJSON(b29)",
		"a doubling map":          strings.Repeat("map(", 40) + "[1]" + strings.Repeat(", [#, #])", 40),
		"a doubling concat":       "reduce(1..60, concat(#acc, #acc), [1])",
		"a repeated text":         `repeat("xxxxxxxxxx", 100000000)`,
		"a join with a long glue": `join(map(big, "x"), repeat("y", 1000000))`,
		"a replacement":           `replace(repeat("x", 1000000), "x", repeat("y", 1000000))`,
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			value, err := evaluated(t, source, `{"big":`+list+`}`)
			if err == nil {
				t.Errorf("%s is not bounded: %.80s", source, JSON(value))
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// doubling declares variables b1, b2… each of which holds the one before twice.
func doubling(n int) string {
	var text strings.Builder
	before := "a"
	for i := range n {
		name := "b" + indexKey(i)
		text.WriteString("let " + name + " = [" + before + ", " + before + "]; ")
		before = name
	}
	return text.String()
}

func TestExpressionEnvironmentIsReadByName(t *testing.T) {
	t.Parallel()
	for source, ok := range map[string]bool{
		`$env["find-answer"] > 1`: true, "$env": false, "$env[name]": false, "keys($env)": false, `$env["a"] == $env`: false,
	} {
		if err := compileExpr(source); (err == nil) != ok {
			t.Errorf("compileExpr(%s) = %v, want ok %t", source, err, ok)
		}
	}
}
