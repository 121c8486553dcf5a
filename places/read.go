package places

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/agentrun/agentrun/run"
)

// File is one regular file of a workspace. Size is in bytes, Digest the SHA-256 of its content in hex.
type File struct {
	Path       string      `json:"path"`
	Size       int64       `json:"size"`
	Digest     string      `json:"digest"`
	ModifiedAt time.Time   `json:"modified_at"`
	Mode       fs.FileMode `json:"-"`
}

// OpenFile opens a file to be served, with its digest. What is read is that content, even where a writer puts a new
// file in its place meanwhile. Errors are those of Stat.
func (v *View) OpenFile(name string) (io.ReadSeekCloser, File, error) {
	handle, info, err := v.Open(name)
	if err != nil {
		return nil, File{}, err
	}
	file, err := v.describe(handle, name, info)
	if err == nil {
		_, err = handle.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, File{}, errors.Join(err, handle.Close())
	}
	return handle, file, nil
}

// ReadFile reads a whole file of at most limit bytes (0: MaxFileBytes); a larger one is run.ErrTooLarge.
func (v *View) ReadFile(name string, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = v.options.MaxFileBytes
	}
	handle, info, err := v.Open(name)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	if info.Size() > limit {
		return nil, tooLarge(name, info.Size(), limit)
	}
	content, err := io.ReadAll(io.LimitReader(handle, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", name, cause(err))
	}
	if int64(len(content)) > limit {
		return nil, tooLarge(name, int64(len(content)), limit)
	}
	return content, nil
}

// Digest is the SHA-256 (hex) of the file's content as it is now, never a remembered one; "" where there is no file.
func (v *View) Digest(name string) (string, error) {
	handle, _, err := v.Open(name)
	if run.CodeOf(err) == run.ErrNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer handle.Close()
	return digest(handle, name)
}

// describe is a file that is open, its digest remembered or read from it.
func (v *View) describe(handle *os.File, name string, info fs.FileInfo) (File, error) {
	sum, err := v.options.Digests.of(v.key(name), info, func() (string, error) { return digest(handle, name) })
	return file(name, info, sum), err
}

// key tells one workspace's files from another's.
func (v *View) key(name string) string { return v.dir + "/" + name }

func file(name string, info fs.FileInfo, digest string) File {
	return File{
		Path: name, Size: info.Size(), Digest: digest, ModifiedAt: info.ModTime().UTC(), Mode: info.Mode().Perm(),
	}
}

func digest(content io.Reader, name string) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, content); err != nil {
		return "", fmt.Errorf("read %q: %w", name, cause(err))
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// DigestOf is the digest a file of this content has.
func DigestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func tooLarge(name string, size, limit int64) error {
	return run.Errorf(run.ErrTooLarge, "%q is %s, over the limit of %s", name, HumanSize(size), HumanSize(limit)).
		With("path", name).With("limit_bytes", limit)
}
