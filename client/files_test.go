package client

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestFilesAreListed(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `[{"path":"notes.md","size":5,"digest":"ab","modified_at":"2026-03-01T00:00:00.000Z"}]`)
	})
	got, err := c.Files(t.Context(), "run_1")
	if err != nil {
		t.Fatal(err)
	}
	want := []FileInfo{{Path: "notes.md", Size: 5, Digest: "ab", ModifiedAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if path := (*requests)[0].Path; path != "/v2/runs/run_1/files" {
		t.Errorf("path %s", path)
	}
}

func TestAFileIsReadByItsExactName(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"notes.md":         "/v2/runs/run_1/files/notes.md",
		"a b/c#d?e.txt":    "/v2/runs/run_1/files/a%20b/c%23d%3Fe.txt",
		"100%/ü.txt":       "/v2/runs/run_1/files/100%25/%C3%BC.txt",
		"inputs/notes.txt": "/v2/runs/run_1/files/inputs/notes.txt",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "content") })
			body, err := c.OpenFile(t.Context(), "run_1", name)
			if err != nil {
				t.Fatal(err)
			}
			defer body.Close()
			if data, err := io.ReadAll(body); err != nil || string(data) != "content" {
				t.Errorf("%q, %v", data, err)
			}
			if got := (*requests)[0].Path; got != path {
				t.Errorf("path %s, want %s", got, path)
			}
		})
	}
}

func TestAMissingFile(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 404, `{"detail":"the run has no file x","code":"not_found"}`)
	})
	if _, err := c.OpenFile(t.Context(), "run_1", "x"); run.CodeOf(err) != run.ErrNotFound {
		t.Errorf("error %v", err)
	}
}
