package dsl

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPredicates(t *testing.T) {
	t.Parallel()
	state := decodedObject(t, `{"n":2,"s":"x","t":true,"one":1,"list":["a","b"],"none":[],"o":{"k":1},"e":{},"z":null,"blank":" ","empty":"","zero":0,"f":false,"text":"3"}`)
	cases := []struct {
		name, predicate string
		want            bool
	}{
		{"equal numbers", `{"predicate":"field_equals","path":"n","value":2}`, true},
		{"a number is no text", `{"predicate":"field_equals","path":"n","value":"2"}`, false},
		{"equal objects", `{"predicate":"field_equals","path":"o","value":{"k":1}}`, true},
		{"null equals null", `{"predicate":"field_equals","path":"z","value":null}`, true},
		{"what is missing equals nothing", `{"predicate":"field_equals","path":"gone","value":null}`, false},
		{"exactly true", `{"predicate":"field_true","path":"t"}`, true},
		{"one is not true", `{"predicate":"field_true","path":"one"}`, false},
		{"in", `{"predicate":"in","path":"s","values":["y","x"]}`, true},
		{"in does not coerce", `{"predicate":"in","path":"n","values":["2"]}`, false},
		{"a list is in nothing", `{"predicate":"in","path":"list","values":["a"]}`, false},
		{"count of a list", `{"predicate":"count_gte","path":"list","n":2}`, true},
		{"count of a number", `{"predicate":"count_gte","path":"n","n":3}`, false},
		{"count of a text is 0", `{"predicate":"count_gte","path":"text","n":1}`, false},
		{"count of what is missing is 0", `{"predicate":"count_gte","path":"gone","n":0}`, true},
		{"gte at the bound", `{"predicate":"gte","path":"n","n":2}`, true},
		{"gte of a text", `{"predicate":"gte","path":"text","n":1}`, false},
		{"lt of a text", `{"predicate":"lt","path":"text","n":9}`, false},
		{"lt at the bound", `{"predicate":"lt","path":"n","n":2}`, false},
		{"lt", `{"predicate":"lt","path":"zero","n":0.5}`, true},
		{"an empty list", `{"predicate":"empty","path":"none"}`, true},
		{"an empty text", `{"predicate":"empty","path":"empty"}`, true},
		{"a blank text is not empty", `{"predicate":"empty","path":"blank"}`, false},
		{"an object is not empty", `{"predicate":"empty","path":"e"}`, false},
		{"zero is not empty", `{"predicate":"empty","path":"zero"}`, false},
		{"what is missing is empty", `{"predicate":"empty","path":"gone"}`, true},
		{"no new items in an empty list", `{"predicate":"no_new_items","key":"none"}`, true},
		{"no new items is zero", `{"predicate":"no_new_items","key":"zero"}`, true},
		{"no new items is false", `{"predicate":"no_new_items","key":"f"}`, true},
		{"a list has new items", `{"predicate":"no_new_items","key":"list"}`, false},
		{"an object has new items", `{"predicate":"no_new_items","key":"e"}`, false},
		{"an unknown one never holds", `{"predicate":"sometimes","path":"n"}`, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			predicate := buildPredicate(ObjectOf("p", decodedObject(t, c.predicate)), "p")
			if got := predicate.holds(state); got != c.want {
				t.Errorf("%s is %t, want %t", c.predicate, got, c.want)
			}
		})
	}
}

func TestPredicatesAreTotal(t *testing.T) {
	t.Parallel()
	names := rapid.SampledFrom([]string{"field_equals", "field_true", "in", "count_gte", "gte", "lt", "empty", "no_new_items", "ask", "expr", ""})
	paths := rapid.SampledFrom([]string{"", "a", "a.b", "item.0", ".", "..", "x$answers", "a.0.b"})
	rapid.Check(t, func(t *rapid.T) {
		predicate := Predicate{
			Name: names.Draw(t, "name"), Path: paths.Draw(t, "path"), Key: paths.Draw(t, "key"),
			Value: values().Draw(t, "value"), Values: []any{values().Draw(t, "one of them")}, N: rapid.Float64().Draw(t, "n"),
		}
		value := values().Draw(t, "state")
		if first, second := predicate.holds(value), predicate.holds(value); first != second {
			t.Fatal("a predicate is decided in two ways")
		}
		gte, lt := predicate, predicate
		gte.Name, lt.Name = "gte", "lt"
		if gte.holds(value) && lt.holds(value) {
			t.Fatal("a number is both at least and below a bound")
		}
	})
}
