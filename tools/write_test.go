package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{"old.txt": "before"})
	cases := []struct {
		name, path, file, content, says string
	}{
		{"a new file", "new.txt", "new.txt", "text\n", "Wrote 5 bytes to new.txt."},
		{"in new directories", "a/b/c.txt", "a/b/c.txt", "x", "Wrote 1 bytes to a/b/c.txt."},
		{"over an old one", "old.txt", "old.txt", "after", "Wrote 5 bytes to old.txt."},
		{"nothing", "empty.txt", "empty.txt", "", "Wrote 0 bytes to empty.txt."},
		{"bytes are counted, not letters", "ü.txt", "ü.txt", "日本", "Wrote 6 bytes to ü.txt."},
		{"with a dot in front", "./dot.txt", "dot.txt", "x", "Wrote 1 bytes to dot.txt."},
		{"by its absolute path", ws.Dir() + "/abs.txt", "abs.txt", "x", "Wrote 1 bytes to abs.txt."},
		{"a NUL is content like any", "nul", "nul", "a\x00b\r\n", "Wrote 5 bytes to nul."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := do(t, ws, write(c.path, c.content))
			want := run.ToolResult{
				CallID: "call_1", Name: "write", OK: true, Content: c.says,
				File: &run.FileChange{
					Path: c.file, Digest: places.DigestOf([]byte(c.content)), Size: int64(len(c.content)), Mode: 0o644,
				},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if got := content(t, ws, c.file); got != c.content {
				t.Errorf("the file holds %q", got)
			}
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	cases := []struct{ name, path, content, says string }{
		{"outside", "../x", "x", `write failed: "../x" is no path of a file here: it has a ".." component.`},
		{"absolute", "/etc/motd", "x", "it is absolute; paths are relative to the working directory."},
		{"a dotfile", "a/.env", "x", "a component starts with a dot."},
		{"the working directory", ".", "x", "it is the working directory itself."},
		{"a directory", "dir", "x", `write failed: "dir" cannot be used as a file: it is a directory.`},
		{"below a file", "file/x", "x", `"file" is a file, not a directory.`},
		{"a link", "link", "x", "it is a link."},
		{"below a link", "dirlink/x", "x", `"dirlink" is a link, not a directory.`},
		{"more than a file may hold", "big", strings.Repeat("x", 1<<20+1), `"big" is 1.0 MB, over the limit of 1.0 MB.`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ws := workspace(t, map[string]string{"dir/file": "x", "file": "x"})
			for link, target := range map[string]string{"link": outside, "dirlink": "dir"} {
				if err := os.Symlink(target, filepath.Join(ws.Dir(), link)); err != nil {
					t.Fatal(err)
				}
			}
			got := do(t, ws, write(c.path, c.content))
			if got.OK || got.File != nil || !strings.HasSuffix(got.Content, c.says) {
				t.Errorf("result %+v\nwant the words %s", got, c.says)
			}
			if _, err := os.Lstat(outside); !os.IsNotExist(err) {
				t.Errorf("written through the link: %v", err)
			}
		})
	}
}

func TestWriteKeepsAFilesMode(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{"run.sh": "#!/bin/sh\n"})
	if err := os.Chmod(filepath.Join(ws.Dir(), "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, asked := range []run.ToolResult{
		do(t, ws, write("run.sh", "#!/bin/sh\necho\n")), do(t, ws, edit("run.sh", "echo", "date")),
	} {
		if !asked.OK || asked.File.Mode != 0o755 {
			t.Errorf("result %+v", asked)
		}
	}
}
