package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// FileInfo is a file of a run. Size is in bytes; Digest is its SHA-256 in hex.
type FileInfo struct {
	Path       string    `json:"path"`
	Size       int64     `json:"size"`
	Digest     string    `json:"digest"`
	ModifiedAt time.Time `json:"modified_at"`
}

// Files lists the files of a run.
func (c *Client) Files(ctx context.Context, id string) ([]FileInfo, error) {
	var out []FileInfo
	err := c.call(ctx, request{method: http.MethodGet, path: runPath(id) + "/files", safe: true}, &out)
	return out, err
}

// OpenFile reads a file of a run; the caller closes it.
func (c *Client) OpenFile(ctx context.Context, id, path string) (io.ReadCloser, error) {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	res, err := c.send(ctx, request{
		method: http.MethodGet,
		path:   runPath(id) + "/files/" + strings.Join(segments, "/"),
		header: http.Header{"Accept": {"*/*"}},
		safe:   true,
	})
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}
