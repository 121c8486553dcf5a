package dsl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func decoded(t *testing.T, text string) any {
	t.Helper()
	value, err := Decode([]byte(text))
	if err != nil {
		t.Fatalf("the test's own JSON: %v", err)
	}
	return value
}

func decodedObject(t *testing.T, text string) *Object {
	t.Helper()
	object, ok := decoded(t, text).(*Object)
	if !ok {
		t.Fatalf("%s is no object", text)
	}
	return object
}

func TestLookup(t *testing.T) {
	t.Parallel()
	state := decodedObject(t, `{"a":{"b":[10,{"c":null}],"":1},"s":"text","01":"key","fit$answers":{"x":2},"find-answer":3}`)
	cases := []struct{ name, path, want string }{
		{"a key", "s", `"text"`},
		{"a key of a key", "a.b", `[10,{"c":null}]`},
		{"an index", "a.b.0", "10"},
		{"null is a value", "a.b.1.c", "null"},
		{"an index beyond the list", "a.b.2", ""},
		{"an index with a leading zero", "a.b.00", ""},
		{"an index with a sign", "a.b.+1", ""},
		{"a negative index", "a.b.-1", ""},
		{"the length of a list", "a.b.length", ""},
		{"inside of a text", "s.0", ""},
		{"a key that looks like an index", "01", `"key"`},
		{"a sidecar", "fit$answers.x", "2"},
		{"a label with a hyphen", "find-answer", "3"},
		{"a prototype's name", "toString", ""},
		{"an empty segment at the end", "a.", "1"},
		{"an empty segment that is no key", "s.", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if value, ok := lookup(state, c.path); ok {
				got = JSON(value)
			}
			if got != c.want {
				t.Errorf("lookup(%q) = %s, want %s", c.path, got, c.want)
			}
		})
	}
	if whole, ok := lookup(state, ""); !ok || whole != any(state) {
		t.Error("the empty path is not the whole value")
	}
}

func TestConcrete(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`null`: false, `""`: false, `" \t\n"`: false, `"\u00a0\ufeff"`: false, `[]`: false, `{}`: false, `{"a":""}`: false,
		`[[],{"a":null}]`: false, `0`: true, `false`: true, `"x"`: true, `[""," x"]`: true, `{"a":{"b":[0]}}`: true,
	} {
		if got := concrete(decoded(t, text)); got != want {
			t.Errorf("concrete(%s) = %t, want %t", text, got, want)
		}
	}
}

// values draws any JSON value.
func values() *rapid.Generator[any] {
	keys := rapid.SampledFrom([]string{"a", "b", "item", "state", "x$answers", "0", "10", "", "é", "\U0001f600"})
	scalars := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.SampledFrom([]float64{0, 1, -1, 0.5, 1e21, 1e-7, 240}), func(f float64) any { return f }),
		rapid.Map(rapid.StringMatching(`[ -~é\x{1f600}]{0,6}`), func(s string) any { return s }),
	)
	value := scalars
	for range 3 {
		inner := value
		value = rapid.OneOf(
			scalars,
			rapid.Map(rapid.SliceOfN(inner, 0, 3), func(items []any) any { return items }),
			rapid.Map(rapid.MapOfN(keys, inner, 0, 4), func(fields map[string]any) any {
				object := NewObject(len(fields))
				for key, item := range fields {
					object.Set(key, item)
				}
				return object
			}),
		)
	}
	return value
}

func objects() *rapid.Generator[*Object] {
	return rapid.Custom(func(t *rapid.T) *Object {
		object, ok := values().Filter(func(value any) bool { _, ok := value.(*Object); return ok }).Draw(t, "state").(*Object)
		if !ok {
			t.Fatal("no object")
		}
		return object
	})
}

func TestJSONReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := values().Draw(t, "value")
		for _, text := range []string{JSON(value), Canonical(value)} {
			back, err := Decode([]byte(text))
			if err != nil {
				t.Fatalf("%s does not read back: %v", text, err)
			}
			if !Equal(value, back) {
				t.Fatalf("%s reads back as %s", text, JSON(back))
			}
		}
	})
}

func TestJSONIsWrittenAsJavaScriptDoes(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		value any
		want  string
	}{
		{"a whole number", 3.0, "3"},
		{"minus zero", negativeZero(), "0"},
		{"a large number", 1e20, "100000000000000000000"},
		{"an exponent", 1e21, "1e+21"},
		{"a small number", 1e-7, "1e-7"},
		{"the smallest", 5e-324, "5e-324"},
		{"a fraction", 0.1, "0.1"},
		{"markup stays", "<a & b>", `"<a & b>"`},
		{"line separators stay", "\u2028", "\"\u2028\""},
		{"control characters", "\b\f\n\r\t\x01\x1f", `"\b\f\n\r\t\u0001\u001f"`},
		{"quotes", `"\`, `"\"\\"`},
		{"broken text", "\xff", "\"\ufffd\""},
		{"an empty object", NewObject(0), "{}"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, JSON(c.value)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func negativeZero() float64 {
	zero := 0.0
	return -zero
}

func TestCanonicalOrder(t *testing.T) {
	t.Parallel()
	value := decoded(t, `{"b":1,"10":2,"9":3,"a":{"z":1,"y":2},"01":4,"\ud83d\ude00":5,"\ue000":6,"4294967295":7}`)
	want := `{"9":3,"10":2,"01":4,"4294967295":7,"a":{"y":2,"z":1},"b":1,"` + "\U0001f600" + `":5,"` + "\ue000" + `":6}`
	if diff := cmp.Diff(want, Canonical(value)); diff != "" {
		t.Errorf("canonical JSON (-want +got):\n%s", diff)
	}
}

func TestDigestDoesNotKnowTheOrder(t *testing.T) {
	t.Parallel()
	one, other := decodedObject(t, `{"a":1,"b":{"c":2,"d":3}}`), decodedObject(t, `{"b":{"d":3,"c":2},"a":1}`)
	if Digest(one) != Digest(other) {
		t.Error("the order of keys changes the digest")
	}
	if Digest(one) == Digest(decodedObject(t, `{"a":1,"b":{"c":2,"d":4}}`)) {
		t.Error("another value has the same digest")
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := values().Draw(t, "a"), values().Draw(t, "b")
		if !Equal(a, a) {
			t.Fatal("a value is not equal to itself")
		}
		if Equal(a, b) != Equal(b, a) {
			t.Fatal("equality is not symmetric")
		}
		if Equal(a, b) != (Canonical(a) == Canonical(b)) {
			t.Fatalf("%s and %s: equal is %t", JSON(a), JSON(b), Equal(a, b))
		}
	})
}
