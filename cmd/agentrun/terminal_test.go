package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneLine(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"short":              {"as it is", 10, "as it is"},
		"exactly the limit":  {"äöüß", 4, "äöüß"},
		"past the limit":     {"äöüßx", 4, "äöü…"},
		"lines and tabs":     {" a\n\tb  c ", 10, "a b c"},
		"control characters": {"a\x1b[31mb\x00", 20, "a�[31mb�"},
		"a turned direction": {"a\u202eb", 20, "a�b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := oneLine(tc.text, tc.limit); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestTextIntoAPipeIsAsItWas(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	term := &terminal{out: &out}
	term.text("a\x1bb")
	term.text("ends\n")
	if got := out.String(); got != "a\x1bb\nends\n" {
		t.Errorf("%q", got)
	}
}

func TestAFileIsNoTerminal(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(file) || redraws(file) || redraws(&bytes.Buffer{}) {
		t.Error("a file or a buffer is taken for a terminal")
	}
}

func TestTablesAlignAndKeepToOneLineARow(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	term := &terminal{out: &out}
	if err := term.table([]string{"A", "B"}, [][]string{{"long cell", "x\ny"}, {"s", strings.Repeat("z", 99)}}); err != nil {
		t.Fatal(err)
	}
	want := "A          B\nlong cell  x y\ns          " + strings.Repeat("z", 59) + "…\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
