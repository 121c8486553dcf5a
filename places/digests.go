package places

import (
	"io/fs"
	"os"
	"sync"
	"time"
)

// settled is how old a file's last change must be before its digest is remembered: a change within one tick of the
// file system's clock leaves size and time as they were.
const settled = 2 * time.Second

// Digests remembers digests of files that did not change since, so that a listing does not read them again. It is safe
// for concurrent use.
type Digests struct {
	mu    sync.Mutex
	most  int
	known map[string]knownDigest
}

type knownDigest struct {
	info   fs.FileInfo
	digest string
}

// NewDigests makes a memory of at most so many digests (about 300 bytes each).
func NewDigests(most int) *Digests {
	return &Digests{most: max(1, most), known: map[string]knownDigest{}}
}

// of is the digest of the file at the absolute path, remembered or computed.
func (d *Digests) of(path string, info fs.FileInfo, compute func() (string, error)) (string, error) {
	if digest, ok := d.recall(path, info); ok {
		return digest, nil
	}
	asked := time.Now()
	digest, err := compute()
	if err == nil && asked.Sub(info.ModTime()) > settled {
		d.remember(path, knownDigest{info: info, digest: digest})
	}
	return digest, err
}

func (d *Digests) recall(path string, info fs.FileInfo) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, ok := d.known[path]
	if !ok || !os.SameFile(known.info, info) || known.info.Size() != info.Size() ||
		!known.info.ModTime().Equal(info.ModTime()) {
		return "", false
	}
	return known.digest, true
}

func (d *Digests) remember(path string, known knownDigest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for other := range d.known {
		if len(d.known) < d.most {
			break
		}
		delete(d.known, other)
	}
	d.known[path] = known
}
