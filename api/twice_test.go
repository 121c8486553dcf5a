package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGivenTwice(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`:                                    "",
		`[1,1]`:                                 "",
		`"a"`:                                   "",
		`{"a":1,"b":{"a":2}}`:                   "",
		`{"a":1,"a":1}`:                         "a",
		`{"a":{"b":1,"b":2}}`:                   "a.b",
		`{"a":1,"\u0061":2}`:                    "a",
		`{"":1,"b":{},"b":[]}`:                  "b",
		`{"definition":{"id":1,"id":2}}`:        "", // read strictly by itself
		`{"a":{"a":{"a":{"a":{"b":1,"b":2}}}}}`: "", // deeper than any route's own objects
		`{"a":[{"b":1,"b":2}]}`:                 "",
		strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000): "",
	} {
		got := ""
		if err := givenTwice([]byte(body)); err != nil {
			got = strings.TrimPrefix(err.Error(), twice)
		}
		if got != want {
			t.Errorf("%.60s: %q, want %q", body, got, want)
		}
	}
	if givenTwice([]byte(`{"":1,"":2}`)) == nil {
		t.Error("a field without a name, twice: nothing")
	}
}

// FuzzGivenTwice compares the outermost level with what a decoder meets there, name by name.
func FuzzGivenTwice(f *testing.F) {
	f.Add([]byte(`{"a":1,"a":{"b":[]}}`))
	f.Add([]byte(`{"a":1,"b":2}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		names, ok := namesOf(body)
		if !ok || bytes.ContainsAny(body, "\\.") {
			t.Skip("no object, or names whose path is not their text")
		}
		slices.Sort(names)
		again := len(slices.Compact(slices.Clone(names))) < len(names)
		err := givenTwice(body)
		if again && err == nil {
			t.Errorf("%s: not seen", body)
		}
		if !again && err != nil && !strings.Contains(err.Error(), ".") {
			t.Errorf("%s: %v", body, err)
		}
	})
}

// namesOf lists the names of an object's fields in their order.
func namesOf(body []byte) (names []string, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') || !json.Valid(body) || !utf8.Valid(body) {
		return nil, false
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, false
		}
		names = append(names, name.(string))
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, false
		}
	}
	return names, true
}
