package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/agentrun/agentrun/run"
)

const (
	// inlineBytes is the largest body kept in its row; a larger one is a blob that the row refers to.
	inlineBytes = 64 << 10
	// pageBytes is SQLite's page size.
	pageBytes = 4096
	// blobPrefix starts a reference to a blob. No JSON starts so, so a column holds either the one or the other.
	blobPrefix = "sha256:"
)

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return blobPrefix + hex.EncodeToString(sum[:])
}

// pack is what a column holds of some JSON (nil: NULL), and what is to be put beside it as a blob (nil: nothing).
func pack(data []byte) (column any, blob []byte) {
	if len(data) == 0 {
		return nil, nil
	}
	if len(data) <= inlineBytes {
		return string(data), nil
	}
	return digestOf(data), data
}

// addBlob keeps data under its digest; nil data is nothing.
func (t *txn) addBlob(data []byte) (string, error) {
	if data == nil {
		return "", nil
	}
	digest := digestOf(data)
	if _, err := t.exec(t.statements.addBlob, digest, len(data), data); err != nil {
		return "", fmt.Errorf("write blob %s: %w", digest, err)
	}
	t.pages += 1 + len(data)/pageBytes
	return digest, nil
}

// unpack puts the blobs that rows refer to back in their place.
func unpack(ctx context.Context, read *sql.Stmt, rows []run.Row) error {
	for i := range rows {
		for _, column := range []*[]byte{(*[]byte)(&rows[i].Body), (*[]byte)(&rows[i].Private)} {
			if !bytes.HasPrefix(*column, []byte(blobPrefix)) {
				continue
			}
			data, err := readBlob(ctx, read, string(*column))
			if err != nil {
				return err
			}
			*column = data
		}
	}
	return nil
}

func readBlob(ctx context.Context, read *sql.Stmt, digest string) ([]byte, error) {
	var data []byte
	err := read.QueryRowContext(ctx, digest).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, run.Errorf(run.ErrNotFound, "there is no blob %s", digest)
	}
	return data, wrapf(err, "read blob %s", digest)
}

// PutBlob keeps data and returns its digest, "sha256:" and the sum in hex. The same data is kept once.
func (s *Store) PutBlob(ctx context.Context, data []byte) (string, error) {
	digest := digestOf(data)
	err := s.writer.do(ctx, func(t *txn) error {
		_, err := t.addBlob(append([]byte{}, data...))
		return err
	})
	if err != nil {
		return "", err
	}
	return digest, nil
}

// Blob is the data kept under a digest.
func (s *Store) Blob(ctx context.Context, digest string) ([]byte, error) {
	return readBlob(ctx, s.reads.blob, digest)
}
