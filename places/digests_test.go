package places

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// digested asks for a file's digest and tells whether it was computed.
func digested(t *testing.T, digests *Digests, file string) (digest string, computed bool) {
	t.Helper()
	digest, err := digests.of(file, lookAt(t, file), func() (string, error) {
		computed = true
		content, err := os.ReadFile(file)
		return DigestOf(content), err
	})
	if err != nil {
		t.Fatal(err)
	}
	return digest, computed
}

func lookAt(t *testing.T, file string) fs.FileInfo {
	t.Helper()
	info, err := os.Lstat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// settledFile makes a file that was last changed a while before.
func settledFile(t *testing.T, file, content string, age time.Duration) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := time.Now().Add(-age)
	if err := os.Chtimes(file, changed, changed); err != nil {
		t.Fatal(err)
	}
}

func TestDigestsAreRememberedUntilAFileChanges(t *testing.T) {
	t.Parallel()
	changes := map[string]func(t *testing.T, file string){
		"content and size": func(t *testing.T, file string) { t.Helper(); settledFile(t, file, "longer", time.Hour) },
		"content and time": func(t *testing.T, file string) { t.Helper(); settledFile(t, file, "two", time.Minute) },
		"another file of the same size and time": func(t *testing.T, file string) {
			t.Helper()
			at := lookAt(t, file).ModTime()
			settledFile(t, file+".new", "two", 0)
			if err := os.Chtimes(file+".new", at, at); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "x")
			digests := NewDigests(10)
			settledFile(t, file, "one", time.Hour)
			first, _ := digested(t, digests, file)
			if again, computed := digested(t, digests, file); computed || again != first {
				t.Errorf("computed %v, digest %s then %s", computed, first, again)
			}
			change(t, file)
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := digested(t, digests, file); got != DigestOf(content) {
				t.Error("the digest is still that of the file before")
			}
		})
	}
}

func TestADigestOfAFreshFileIsNotTrusted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x")
	digests := NewDigests(10)
	settledFile(t, file, "one", 0)
	digested(t, digests, file)
	if _, computed := digested(t, digests, file); !computed {
		t.Error("a file that may still change within its clock tick was remembered")
	}
}

func TestDigestsAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	digests := NewDigests(3)
	for i := range 10 {
		file := filepath.Join(dir, fmt.Sprint(i))
		settledFile(t, file, "x", time.Hour)
		digested(t, digests, file)
	}
	if len(digests.known) != 3 {
		t.Errorf("%d digests are remembered, want 3", len(digests.known))
	}
	if _, computed := digested(t, digests, filepath.Join(dir, "9")); computed {
		t.Error("the last one is not among them")
	}
}

func TestAFaultIsNotRemembered(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x")
	settledFile(t, file, "one", time.Hour)
	digests := NewDigests(3)
	_, err := digests.of(file, lookAt(t, file), func() (string, error) { return "half", fs.ErrPermission })
	if err == nil {
		t.Error("the fault is gone")
	}
	if digest, computed := digested(t, digests, file); !computed || digest != DigestOf([]byte("one")) {
		t.Errorf("computed %v, digest %s", computed, digest)
	}
}
