package dsl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadingAFieldOfAnotherType reads every field as every type: what is of another type is as good as absent.
func TestReadingAFieldOfAnotherType(t *testing.T) {
	t.Parallel()
	inner := ObjectOf("x", 1.0)
	o := ObjectOf("text", "a", "number", 2.0, "flag", true, "list", []any{"a", 1.0, "b"}, "object", inner, "null", nil)
	for _, key := range append(o.Keys(), "absent") {
		if got := text(o, key); (got == "a") != (key == "text") {
			t.Errorf("text of %s: %q", key, got)
		}
		if got := number(o, key, 7); (got == 2) != (key == "number") || key != "number" && got != 7 {
			t.Errorf("number of %s: %v", key, got)
		}
		if got := flag(o, key); got != (key == "flag") {
			t.Errorf("flag of %s: %v", key, got)
		}
		if got, ok := object(o, key); ok != (key == "object") || ok && got != inner {
			t.Errorf("object of %s: %v", key, got)
		}
		if got := list(o, key); (len(got) == 3) != (key == "list") {
			t.Errorf("list of %s: %v", key, got)
		}
		if got := optionalText(o, key); (got != nil) != (key == "text") {
			t.Errorf("optional text of %s: %v", key, got)
		}
	}
	if diff := cmp.Diff([]string{"a", "b"}, texts(o, "list")); diff != "" {
		t.Error(diff)
	}
	if texts(o, "absent") != nil || texts(ObjectOf("e", []any{}), "e") == nil {
		t.Error("an absent list and an empty one must differ")
	}
}

func TestObjectKeepsItsOrder(t *testing.T) {
	t.Parallel()
	o := ObjectOf("b", 1.0, "10", 2.0, "9", 3.0)
	o.Set("b", 4.0)
	cases := map[string]struct {
		got  *Object
		want string
	}{
		"a value set again keeps its place": {o, `{"b":4,"10":2,"9":3}`},
		"with a new key":                    {o.With("a", nil), `{"b":4,"10":2,"9":3,"a":null}`},
		"with a known key":                  {o.With("10", true), `{"b":4,"10":true,"9":3}`},
		"without keys":                      {o.Without("10", "nope"), `{"b":4,"9":3}`},
		"with on nothing":                   {(*Object)(nil).With("a", 1.0), `{"a":1}`},
		"without on nothing":                {(*Object)(nil).Without("a"), `{}`},
	}
	for name, tc := range cases {
		if got := JSON(tc.got); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	if got := JSON(o); got != `{"b":4,"10":2,"9":3}` {
		t.Errorf("the object itself became %s", got)
	}
}

func TestWhatAMessageQuotes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		value         any
		quote, naming string
	}{
		"null":   {nil, "null", "null"},
		"text":   {"a\nb", `"a\nb"`, "a text"},
		"number": {0.1, "0.1", "a number"},
		"flag":   {true, "true", "a boolean"},
		"list":   {[]any{"secret"}, "a list", "a list"},
		"object": {ObjectOf("secret", 1.0), "an object", "an object"},
		"other":  {3, "no JSON value", "no JSON value"},
	}
	for name, tc := range cases {
		if got := quoted(tc.value); got != tc.quote {
			t.Errorf("%s is quoted as %s", name, got)
		}
		if got := article(tc.value); got != tc.naming {
			t.Errorf("%s is named %s", name, got)
		}
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = "name"
	}
	if got := len(listed(many)); got > 100 {
		t.Errorf("a list of names has %d bytes", got)
	}
	if listed(nil) != "there are none" {
		t.Errorf("no names are %q", listed(nil))
	}
}
