package codex

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Native is the program behind the script that npm installs as codex, which needs a node that sessions do not have: it is
// in the package's own folder, or beside the package. Any other path is the program itself.
func Native(path string) string {
	target, err := filepath.EvalSymlinks(path)
	if err != nil || !script(target) || runtime.GOARCH != "amd64" {
		return path
	}
	pack := filepath.Dir(filepath.Dir(target)) // …/@openai/codex, of …/@openai/codex/bin/codex.js
	const program = "codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
	for _, folder := range []string{filepath.Join(pack, "node_modules", "@openai"), filepath.Dir(pack)} {
		native := filepath.Join(folder, filepath.FromSlash(program))
		if info, err := os.Stat(native); err == nil && info.Mode().IsRegular() {
			return native
		}
	}
	return path
}

// script tells whether a file is one that another program runs.
func script(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // nothing was written
	start := make([]byte, 2)
	_, err = io.ReadFull(file, start)
	return err == nil && bytes.Equal(start, []byte("#!"))
}
