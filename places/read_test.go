package places_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

const helloDigest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of "hello"

func TestOpenFileIsReadyToServe(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	put(t, workspace, "a/hello.txt", "hello")
	content, file, err := workspace.OpenFile("a/hello.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	want := places.File{Path: "a/hello.txt", Size: 5, Digest: helloDigest, ModifiedAt: file.ModifiedAt, Mode: 0o644}
	if diff := cmp.Diff(want, file); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	if age := time.Since(file.ModifiedAt); age < -time.Minute || age > time.Hour || file.ModifiedAt.Location() != time.UTC {
		t.Errorf("modified at %v", file.ModifiedAt)
	}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("Range", "bytes=1-3")
	answer := httptest.NewRecorder()
	http.ServeContent(answer, request, "hello.txt", file.ModifiedAt, content)
	if answer.Code != http.StatusPartialContent || answer.Body.String() != "ell" {
		t.Errorf("range: %d %q", answer.Code, answer.Body)
	}
}

func TestAnOpenFileOutlivesItsReplacement(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	put(t, workspace, "x", "hello")
	content, file, err := workspace.OpenFile("x")
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if _, err := workspace.Write("x", []byte("other"), 0); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(content)
	if err != nil || places.DigestOf(got) != file.Digest {
		t.Errorf("read %q (%v), which is not what the digest is of", got, err)
	}
}

func TestReadFileIsBounded(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{MaxFileBytes: 10})
	put(t, workspace, "ten", strings.Repeat("x", 10))
	put(t, workspace, "eleven", strings.Repeat("x", 11))
	put(t, workspace, "empty", "")
	cases := []struct {
		name  string
		limit int64
		code  string
	}{
		{"ten", 0, ""},
		{"ten", 9, run.ErrTooLarge},
		{"eleven", 0, run.ErrTooLarge},
		{"eleven", 11, ""},
		{"empty", 0, ""},
		{"none", 0, run.ErrNotFound},
		{"no/where", 0, run.ErrNotFound},
		{"../x", 0, run.ErrInvalidPath},
	}
	for _, c := range cases {
		_, err := workspace.ReadFile(c.name, c.limit)
		wantCode(t, fmt.Sprintf("%s at %d", c.name, c.limit), err, c.code)
	}
}

func TestDigestIsOfNow(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	if digest, err := workspace.Digest("x"); digest != "" || err != nil {
		t.Errorf("of no file: %q, %v", digest, err)
	}
	if digest, err := workspace.Digest("no/dir/x"); digest != "" || err != nil {
		t.Errorf("of no directory: %q, %v", digest, err)
	}
	put(t, workspace, "x", "hello")
	if digest, err := workspace.Digest("x"); digest != helloDigest || err != nil {
		t.Errorf("of hello: %q, %v", digest, err)
	}
	put(t, workspace, "x", "jello")
	if digest, err := workspace.Digest("x"); digest != places.DigestOf([]byte("jello")) || err != nil {
		t.Errorf("after a change: %q, %v", digest, err)
	}
}
