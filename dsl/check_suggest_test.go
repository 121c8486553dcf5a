package dsl

import (
	"strings"
	"testing"
)

func TestSuggestion(t *testing.T) {
	t.Parallel()
	names := []string{"instructions", "state", "out", "as", "Answer"}
	cases := map[string]struct{ written, want string }{
		"a letter too few":  {"instruction", "instructions"},
		"a letter too many": {"sttate", "state"},
		"another case":      {"answer", "Answer"},
		"two swapped":       {"tsate", "state"},
		"nothing near":      {"temperature", ""},
		"nothing":           {"", ""},
		"a long name":       {strings.Repeat("a", 1000), ""},
		"a short name":      {"xy", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := ""
			if tc.want != "" {
				want = "; did you mean " + tc.want + "?"
			}
			if got := suggestion(tc.written, names); got != want {
				t.Errorf("suggestion %q, want %q", got, want)
			}
		})
	}
}
