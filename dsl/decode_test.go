package dsl

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type decodeCase struct{ name, code, text string }

func decodeCases() []decodeCase {
	return []decodeCase{
		{"nothing", "doc_syntax", ``},
		{"half an object", "doc_syntax", `{"a": 1`},
		{"half a text", "doc_syntax", `"abc`},
		{"two values", "doc_syntax", `{} {}`},
		{"a trailing comma", "doc_syntax", `[1,]`},
		{"a comment", "doc_syntax", `{} // no`},
		{"a key that is no text", "doc_syntax", `{1: 2}`},
		{"a number that is no number", "doc_syntax", `NaN`},
		{"bytes that are no text", "doc_utf8", "\"a\xffb\""},
		{"half a character", "doc_surrogate", `"\ud83d"`},
		{"half a character in a key", "doc_surrogate", `{"\udc00": 1}`},
		{"NUL in a text", "doc_nul", `{"a": "b\u0000c"}`},
		{"NUL in a key", "doc_nul", `{"\u0000": 1}`},
		{"a number beyond a double", "doc_number", `[1e999]`},
		{"a key twice", "doc_duplicate_key", `{"a": 1, "b": {"c": 1, "c": 2}}`},
		{"a key twice, written differently", "doc_duplicate_key", `{"a": 1, "\u0061": 2}`},
		{"lists too deep", "doc_depth", strings.Repeat("[", 200_000)},
		{"objects too deep", "doc_depth", strings.Repeat(`{"a":`, 129) + "1" + strings.Repeat("}", 129)},
		{"too large", "doc_bytes", `"` + strings.Repeat("a", maxDocumentBytes) + `"`},
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range decodeCases() {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			value, err := Decode([]byte(tc.text))
			var issue *Issue
			if !errors.As(err, &issue) {
				t.Fatalf("value %v, error %v", value, err)
			}
			if issue.Code != tc.code || issue.Hint == "" || len(issue.Error()) > 1000 {
				t.Errorf("issue %+v", issue)
			}
		})
	}
}

func TestDecodeKeepsWhatItReads(t *testing.T) {
	t.Parallel()
	value, err := Decode([]byte(`{"b": [1, -0.5, 1e2, true, false, null], "10": "😀 \ud83d\ude00", "9": {}, "__proto__": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	want := ObjectOf("b", []any{1.0, -0.5, 100.0, true, false, nil}, "10", "😀 😀", "9", NewObject(0), "__proto__", 1.0)
	if diff := cmp.Diff(any(want), value, cmp.AllowUnexported(Object{})); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeSaysWhere(t *testing.T) {
	t.Parallel()
	_, err := Decode([]byte(`{"root": {"steps": [{"label": "a\u0000"}]}}`))
	var issue *Issue
	if !errors.As(err, &issue) || issue.Path != "workflow/root/steps/0/label" {
		t.Errorf("error %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, tc := range decodeCases() {
		if len(tc.text) < 1000 {
			f.Add([]byte(tc.text))
		}
	}
	f.Add([]byte(documentText(code)))
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := Decode(text)
		if err != nil {
			if _, ok := errors.AsType[*Issue](err); !ok {
				t.Errorf("error %v", err)
			}
			return
		}
		again, err := Decode([]byte(JSON(value)))
		if err != nil {
			t.Fatalf("%v in %s", err, JSON(value))
		}
		if JSON(again) != JSON(value) {
			t.Errorf("%s became %s", JSON(value), JSON(again))
		}
	})
}
