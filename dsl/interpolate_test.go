package dsl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestInterpolateByValue(t *testing.T) {
	t.Parallel()
	state := decodedObject(t, `{"n":1,"o":{"k":[1,"x"]},"z":null,"s":"text","state":null,"fit$answers":{"c":0.5}}`)
	cases := []struct{ name, template, want string }{
		{"one placeholder keeps its type", `"{o}"`, `{"k":[1,"x"]}`},
		{"a number", `"{n}"`, `1`},
		{"null is present", `"{z}"`, `null`},
		{"inside of a text", `"n={n} s={s} z={z} o={o.k}"`, `"n=1 s=text z=null o=[1,\"x\"]"`},
		{"two placeholders", `"{s}{n}"`, `"text1"`},
		{"a sidecar", `"{fit$answers.c}"`, `0.5`},
		{"with state before it", `"{state.n}"`, `1`},
		{"a key that is called state", `"{state}"`, `null`},
		{"lists and objects", `[{"{n}":"{n}"},true,2]`, `[{"{n}":1},true,2]`},
		{"a hyphen makes no placeholder", `"{find-answer.x}"`, `"{find-answer.x}"`},
		{"an empty one is none", `"{} {n"`, `"{} {n"`},
		{"braces within braces", `"{{n}}"`, `"{1}"`},
		{"spaces make no placeholder", `"{ n }"`, `"{ n }"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			value, err := interpolate(decoded(t, c.template), state)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, JSON(value)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.template, diff)
			}
		})
	}
	for _, template := range []string{`"{missing}"`, `"a {n.deep} b"`, `[["{o.nope}"]]`, `{"k":"{state.missing}"}`} {
		if value, err := interpolate(decoded(t, template), state); err == nil {
			t.Errorf("%s is filled to %s, though its path is missing", template, JSON(value))
		}
	}
}

func TestRenderNeverFails(t *testing.T) {
	t.Parallel()
	state := decodedObject(t, `{"n":0,"o":{"k":[1]},"z":null,"s":"x"}`)
	cases := map[string]string{
		"{s} {n} {o}":      `x 0 {"k":[1]}`,
		"{z} {missing.a}":  "(z unset) (missing.a unset)",
		"{state.s}":        "x",
		"no placeholder {": "no placeholder {",
	}
	for template, want := range cases {
		if got := render(template, state); got != want {
			t.Errorf("render(%q) = %q, want %q", template, got, want)
		}
	}
}

func TestInterpolationIsTotal(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{"{", "}", "{a}", "{a.b.0}", "{item}", "{state.a}", "{x$answers.a}", "{.}", "{a..b}", "text", "\x00", "é", "{{", "}}"})
	rapid.Check(t, func(t *rapid.T) {
		state := objects().Draw(t, "state")
		template := strings.Join(rapid.SliceOfN(pieces, 0, 6).Draw(t, "template"), "")
		rendered := render(template, state)
		value, err := interpolateText(template, state)
		if err != nil {
			return
		}
		// Where nothing is missing or null, both readings agree.
		if _, whole := wholePlaceholder(template); !whole && !strings.Contains(rendered, "unset)") && value != rendered {
			t.Fatalf("%q is %q by value and %q as text", template, value, rendered)
		}
	})
}

func FuzzInterpolate(f *testing.F) {
	for _, seed := range []string{"", "{a}", "{a.b", "x{a}{b}y", "{state.a}", "{{a}}", "{a.0.b}"} {
		f.Add(seed)
	}
	state := ObjectOf("a", ObjectOf("b", []any{1.0, nil}), "b", "{a}")
	f.Fuzz(func(t *testing.T, template string) {
		render(template, state)
		if _, err := interpolate([]any{template, ObjectOf("k", template)}, state); err != nil && !strings.Contains(err.Error(), "no value at") {
			t.Errorf("%q fails with %v", template, err)
		}
	})
}
