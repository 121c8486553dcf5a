package api

import (
	"encoding/json"
	"strings"
	"testing"
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
}

func FuzzGivenTwice(f *testing.F) {
	f.Add([]byte(`{"a":1,"a":{"b":[]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(body, &fields) != nil {
			t.Skip()
		}
		// Put together again from what JSON makes of it, no field is there twice on the outermost level.
		whole, err := json.Marshal(fields)
		if err != nil {
			t.Skip()
		}
		if err := givenTwice(whole); err != nil && !strings.Contains(err.Error(), ".") {
			t.Errorf("%s: %v", whole, err)
		}
	})
}
