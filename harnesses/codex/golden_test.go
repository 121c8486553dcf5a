package codex

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is made to testdata instead of comparing it")

// golden compares with a file of testdata. A difference is a change of what the program or a provider is told.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

// indented is JSON for a reader's eye.
func indented(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return append(b.Bytes(), '\n')
}

// example is a request that the real program made, with every switch that would make it shorter left on.
func example(t testing.TB) *request {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "request.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := readRequest(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
