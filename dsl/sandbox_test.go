package dsl

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func runSource(t *testing.T, sandbox *Sandbox, source string, state *Object) (any, error) {
	t.Helper()
	function, err := codeProgram(source)
	if err != nil {
		t.Fatalf("the source does not compile: %v", err)
	}
	return sandbox.call(t.Context(), function, state, "the procedure")
}

func TestCodeComputes(t *testing.T) {
	t.Parallel()
	state := ObjectOf("items", []any{1.0, 2.5, "x"}, "o", ObjectOf("10", 1.0, "b", nil, "a", true))
	cases := []struct{ name, source, want string }{
		{"a number", "s => s.items.length", "3"},
		{"a patch keeps the order of its keys", "s => ({ z: 1, a: 2 })", `{"z":1,"a":2}`},
		{"the whole state", "s => s", `{"items":[1,2.5,"x"],"o":{"10":1,"b":null,"a":true}}`},
		{"a spread of the state", "s => ({ ...s, n: 1 })", `{"items":[1,2.5,"x"],"o":{"10":1,"b":null,"a":true},"n":1}`},
		{"keys of the state", "s => Object.keys(s)", `["items","o"]`},
		{"the state as text", "s => JSON.stringify(s.o)", `"{\"10\":1,\"b\":null,\"a\":true}"`},
		{
			"changes in place stay in the copy", "s => { s.o.a = 5; delete s.items; s.n = 1; return s; }",
			`{"o":{"10":1,"b":null,"a":5},"n":1}`,
		},
		{"undefined properties are absent", "() => ({ a: undefined, f: () => 1, b: [undefined, NaN] })", `{"b":[null,null]}`},
		{"the procedure text", "(s, { sop }) => sop", `"the procedure"`},
		{"collections", "() => [...new Set([1, 1, 2])].concat([...new Map([[1, 2]]).values()])", `[1,2,2]`},
		{"texts", "() => 'a-b'.replaceAll('-', '+').padStart(5, '.').repeat(2).split('+')", `["..a","b..a","b"]`},
		{"patterns", "() => 'a1b22'.replace(/\\d+/g, m => `<${m}>`)", `"a<1>b<22>"`},
		{"a pattern that is made", "() => new RegExp('b+').exec('abb')[0] + String(/a/ instanceof RegExp)", `"bbtrue"`},
		{"lists", "() => [3, 1, 2].sort((a, b) => a - b).map(x => x * 2).flat().join('/')", `"2/4/6"`},
		{"nested lists", "() => [[1, [2]], 3].flat(Infinity).concat([[4]].flatMap(x => x))", `[1,2,3,4]`},
		{"from a length", "() => Array.from({ length: 3 }, (_, i) => i)", `[0,1,2]`},
		{"JSON both ways", "() => JSON.parse(JSON.stringify({ a: [1, { b: 'x' }], c: 1 }, ['a', 'b'], 2))", `{"a":[1,{"b":"x"}]}`},
		{"spreads", "() => Math.max(...[1, 5, 2], ...'7') + [...'ab', ...[1]].length + Object.keys({ ...{ a: 1 }, ...'xy' }).length", `13`},
		{"rest", "() => { const [a, ...b] = 'xyz'; const { c, ...d } = { c: 1, e: 2 }; return [a, b, c, d]; }", `["x",["y","z"],1,{"e":2}]`},
		{"a generator", "() => { function* f() { yield 1; yield 2; } return [...f()]; }", `[1,2]`},
		{"an iterator of the language", "() => { const i = [7].values(); return i.next().value; }", `7`},
		{"boxed values", "() => [new String('x'), new Number(2), Object(true)]", `["x",2,true]`},
		{"nothing", "() => undefined", "null"},
	}
	sandbox := NewSandbox(Bounds{})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			value, err := runSource(t, sandbox, c.source, state)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, JSON(value)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.source, diff)
			}
		})
	}
}

func TestCodeSeesNothingOutside(t *testing.T) {
	t.Parallel()
	sandbox := NewSandbox(Bounds{})
	names := strings.Split(shadowedNames, ", ")
	for _, name := range append(names, "eval", "Math.random", "(() => {}).constructor", "(function* () {}).constructor",
		"(async () => {}).constructor.constructor", "this", "Object.getOwnPropertyDescriptor") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, err := runSource(t, sandbox, "function () { return typeof "+name+"; }", NewObject(0))
			if err != nil {
				t.Fatal(err)
			}
			if value != "undefined" && !strings.HasSuffix(name, ".constructor") {
				t.Errorf("typeof %s is %v in code", name, value)
			}
		})
	}
	for _, maker := range []string{"() => {}", "function* () {}", "async () => {}"} {
		source := "() => typeof Object.getPrototypeOf(" + maker + ").constructor('return 1')"
		if value, err := runSource(t, sandbox, source, NewObject(0)); err == nil && value == "function" {
			t.Errorf("%s makes code of a text", source)
		}
	}
}

func TestCodeFails(t *testing.T) {
	t.Parallel()
	sandbox := NewSandbox(Bounds{})
	cases := []struct{ name, source, want string }{
		{"a throw", "() => { throw new Error('no such thing'); }", "Error: no such thing (line 1 of the code)"},
		{"a throw further down", "s => {\n  const f = () => {\n    throw 'x';\n  };\n  return f();\n}", "x (line 3 of the code)"},
		{"a throw within a builtin", "s => [1].map(\n  x => x.y.z)", "(line 2 of the code)"},
		{"a missing value", "s => s.missing.deep", "Cannot read property 'deep'"},
		{"a promise", "() => { const f = async () => 1; return f(); }", "promise"},
		{"an assignment to nothing", "() => { undeclared = 1; return 1; }", "undeclared"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := runSource(t, sandbox, c.source, NewObject(0))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s fails with %v, want %q in it", c.source, err, c.want)
			}
		})
	}
}

// TestCodeIsStopped runs what never ends, what takes all memory and what recurses. Each must be stopped by a bound that
// the message names, soon after its time.
func TestCodeIsStopped(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		"an endless loop":                 "() => { for (;;) {} }",
		"a loop that catches all":         "() => { for (;;) { try { for (;;) {} } catch {} } }",
		"recursion":                       "() => { const f = () => f(); return f(); }",
		"recursion through toString":      "() => { const o = { toString() { return '' + o; } }; return '' + o; }",
		"a growing list":                  "() => { const a = []; for (;;) a.push({ n: 1 }); }",
		"a doubling text":                 "() => { let s = 'x'; for (;;) s += s; }",
		"a repeated text":                 "() => 'x'.repeat(2 ** 30)",
		"a repeated text, by other names": "() => { const r = 're' + 'peat'; return 'x'[r](2 ** 30); }",
		"a padded text":                   "() => 'x'.padEnd(2 ** 30, 'y')",
		"a huge join":                     "() => new Array(2 ** 31).join('x')",
		"a join of long texts":            "() => { const s = 'x'.repeat(1e6); return Array.from({ length: 1e5 }, () => s).join(); }",
		"a huge list from a length":       "() => Array.from({ length: 1e12 })",
		"a filled list":                   "() => new Array(1e9).fill(0)",
		"a list-like without end":         "() => Array.prototype.indexOf.call({ length: 2 ** 52 }, 1)",
		"a spread of a list-like":         "() => [...{ __proto__: [], length: 2 ** 40 }]",
		"a list that holds itself often":  "() => { let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a; }",
		"its text":                        "() => { let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return '' + a; }",
		"its JSON":                        "() => { let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return JSON.stringify(a); }",
		"its flat form":                   "() => { let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a.flat(Infinity); }",
		"a deep list":                     "() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a; }",
		"its JSON, deep":                  "() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a); }",
		"its text, deep":                  "() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return '' + a; }",
		"deep JSON":                       "() => JSON.parse('['.repeat(1e6))",
		"a huge replacement":              "() => 'a'.repeat(1e5).replaceAll('a', 'b'.repeat(1e5))",
		"a replacement by pattern":        "() => 'a'.repeat(1e4).replace(/a/g, '$`$`$`$`')",
		"a concat of lists":               "() => { const a = new Array(3e6).fill(0); return a.concat(a, a, a); }",
		"a deep pattern":                  "() => 'x'.match('('.repeat(1e5))",
		"a builtin called by builtins": "() => { const a = Array.from({ length: 1e6 }, (_, i) => i);" +
			" return a.map(a.lastIndexOf.bind(a, -1)); }",
		"an iterator made of a builtin": "() => [...{ __proto__: [].values(), next: Object }]",
		"a pattern that backtracks":     "() => /^(?=(a+)+b)/.test('a'.repeat(40))",
		"a spread of a long text":       "() => { let s = 'x'; for (let i = 0; i < 25; i++) s += s; return { ...s }; }",
		"a list of a long text":         "() => { let s = 'x'; for (let i = 0; i < 25; i++) s += s; const [...c] = s; return c.length; }",
		"a set of a long text":          "() => { let s = 'x'; for (let i = 0; i < 25; i++) s += s; return new Set(s).size; }",
		"the keys of a long text":       "() => { let s = 'x'; for (let i = 0; i < 25; i++) s += s; return Object.keys(s).length; }",
		"many arguments":                "() => Math.max.apply(null, { length: 1e9 })",
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sandbox := NewSandbox(Bounds{Time: 300 * time.Millisecond, HeapGrowth: 128 << 20})
			began := time.Now()
			value, err := runSource(t, sandbox, source, NewObject(0))
			if err == nil {
				t.Fatalf("it was not stopped, and yields %.80s", JSON(value))
			}
			if !isBound(err) && !strings.Contains(err.Error(), "iterator must be") {
				t.Errorf("it was stopped by %v, which names no bound", err)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it was stopped only after %s", took)
			}
		})
	}
}

func TestCodeBigIntegerIsRefused(t *testing.T) {
	t.Parallel()
	if err := compileCode("() => 2n ** 1000000000n"); !errors.Is(err, errCodeBigInt) {
		t.Errorf("a big integer compiles: %v", err)
	}
}

// TestBacktrackingEnds shows that a pattern that would backtrack for ever leaves no work behind.
func TestBacktrackingEnds(t *testing.T) {
	t.Parallel()
	sandbox := NewSandbox(Bounds{Time: 50 * time.Millisecond})
	source := "() => /^(?=(a+)+b)/.test('a'.repeat(40))"
	if _, err := runSource(t, sandbox, source, NewObject(0)); !isBound(err) {
		t.Errorf("it was stopped by %v, which names no bound", err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for stacks := make([]byte, 1<<20); ; runtime.Gosched() {
		if n := runtime.Stack(stacks, true); !bytes.Contains(stacks[:n], []byte("regexp2.(*")) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the pattern is still matched")
		}
	}
}

func TestSandboxIsSharedFairly(t *testing.T) {
	t.Parallel()
	sandbox := NewSandbox(Bounds{Time: time.Minute})
	endless, err := codeProgram("() => { for (;;) {} }")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range cap(sandbox.slots) + 2 { // two of them wait for the others
		group.Go(func() {
			if _, err := sandbox.call(ctx, endless, NewObject(0), ""); !errors.Is(err, context.Canceled) {
				t.Errorf("an endless loop ends with %v", err)
			}
		})
	}
	cancel()
	group.Wait()
	if value, err := runSource(t, sandbox, "() => 1", NewObject(0)); err != nil || value != 1.0 {
		t.Errorf("what comes after yields %v, %v", value, err)
	}
}
