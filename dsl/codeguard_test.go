package dsl

import (
	"strings"
	"testing"
	"time"
)

// TestHostileCodeIsRefusedFast compiles sources for which the JavaScript library alone takes from seconds to minutes.
func TestHostileCodeIsRefusedFast(t *testing.T) {
	t.Parallel()
	repeat := func(part string, n int) string { return strings.Repeat(part, min(n, (maxCodeBytes-100)/len(part))) }
	cases := map[string]string{
		"a long sum":                      "s => " + repeat("1+", 60_000) + "1",
		"a long sum of names":             "s => " + repeat("a+", 60_000) + "a",
		"arrows that nest":                "s => " + repeat("s=>", 60_000) + "1",
		"equal labels":                    "s => {" + repeat("a:", 60_000) + ";}",
		"equal labels and comments":       "s => {" + repeat("a/**/:/**/", 60_000) + ";}",
		"equal labels and line ends":      "s => {" + repeat("a: // b\n", 60_000) + ";}",
		"equal labels in conditions":      "s => {" + repeat("a:if(1)", 60_000) + ";}",
		"equal labels in loops":           "s => {" + repeat("a:do ", 60_000) + ";}",
		"equal labels, written otherwise": "s => {" + repeat(`\u0061:`, 60_000) + ";}",
		"equal labels, in braces":         "s => {" + repeat(`\u{61}:`, 60_000) + ";}",
		"signs":                           "s => " + repeat("!", 120_000) + "1",
		"calls of calls":                  "s => s" + repeat("()", 60_000),
		"members of members":              "s => s" + repeat(".a", 60_000),
		"choices":                         "s => " + repeat("a?1:", 60_000) + "1",
		"brackets":                        "s => " + repeat("(", 120_000),
	}
	for name, source := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			err := compileCode(source)
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
			if err == nil {
				t.Error("it compiles")
			}
		})
	}
}

func TestHonestCodeIsNotRefused(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"many statements":       "s => {" + strings.Repeat("f(s.a, s.b); ", 3000) + "return s; }",
		"a long list":           "s => [" + strings.Repeat("1, ", 20_000) + "1]",
		"a long object":         "s => ({" + strings.Repeat(`a: "b:c", `, 5000) + "})",
		"a long switch":         "s => { switch (s.a) {" + strings.Repeat("case 1: return 2; ", 2000) + "} }",
		"a text of many colons": "s => '" + strings.Repeat("10:20:", 20) + "'",
		"conditions in a row":   "s => " + strings.Repeat("s.a ? 'b' : ", 60) + "'c'",
		"a sum of many terms":   "s => " + strings.Repeat("s.a + ", 200) + "''",
		"arrows side by side":   "s => [" + strings.Repeat("s.list.map(x => x.n), ", 200) + "]",
		"a label":               "s => { outer: for (const a of s.list) { for (const b of a) { if (b) continue outer; } } return 1; }",
	}
	for name, source := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := compileCode(source); err != nil {
				t.Error(err)
			}
		})
	}
}
