package codex

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheProgramBehindNpmsScriptIsFound(t *testing.T) {
	t.Parallel()
	const vendor = "codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
	for name, c := range map[string]struct{ script, native string }{
		"in the package's folder": {"#!/usr/bin/env node\n", "lib/node_modules/@openai/codex/node_modules/@openai/" + vendor},
		"beside the package":      {"#!/usr/bin/env node\n", "lib/node_modules/@openai/" + vendor},
		"nowhere":                 {"#!/usr/bin/env node\n", ""},
		"the program itself":      {"\x7fELF", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			write := func(path, text string) string {
				path = filepath.Join(dir, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			target := write("lib/node_modules/@openai/codex/bin/codex.js", c.script)
			link := filepath.Join(dir, "codex")
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			want := link
			if c.native != "" {
				want = write(c.native, "\x7fELF")
			}
			if got := Native(link); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
