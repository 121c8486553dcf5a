package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agentrun/agentrun/run"
)

// Stable codes of the refusals of Open.
const (
	// ErrCorrupt: the database file is damaged, or no database.
	ErrCorrupt = "store_corrupt"
	// ErrNewer: a newer version of the program made the database.
	ErrNewer = "store_newer"
	// ErrLocked: another process has the database open.
	ErrLocked = "store_locked"
)

const sqliteMagic = "SQLite format 3\x00"

// checkFile refuses what is no database before SQLite touches it. A file that is missing or empty is a new store.
func checkFile(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	defer file.Close()
	header := make([]byte, len(sqliteMagic))
	n, err := io.ReadFull(file, header)
	if n == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read the store: %w", err)
	}
	if !bytes.Equal(header[:n], []byte(sqliteMagic)) {
		return corrupt(path, errors.New("the file does not start as a database does"))
	}
	return nil
}

// checkSound looks for damage where it costs little whatever the size: the file's length, the schema, the small tables
// whole, and the ends of the large ones.
func checkSound(ctx context.Context, db *sql.DB, path string) error {
	if err := checkLength(ctx, db, path); err != nil {
		return err
	}
	for _, table := range []string{"agents", "revisions"} {
		var verdict string
		if err := db.QueryRowContext(ctx, "PRAGMA quick_check("+table+")").Scan(&verdict); err != nil {
			return refusal(path, err)
		}
		if verdict != "ok" {
			return corrupt(path, errors.New(verdict))
		}
	}
	for _, query := range []string{
		"SELECT MIN(id) || MAX(id) FROM runs",
		"SELECT MIN(run_id) || MAX(run_id) FROM journal",
		"SELECT MIN(run_id) || MAX(run_id) FROM specs",
		"SELECT MIN(digest) || MAX(digest) FROM blobs",
	} {
		var ends sql.NullString
		if err := db.QueryRowContext(ctx, query).Scan(&ends); err != nil {
			return refusal(path, err)
		}
	}
	return nil
}

// checkLength finds a file that was cut short. Only with an empty log does the file have to be whole.
func checkLength(ctx context.Context, db *sql.DB, path string) error {
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return nil
	}
	var pages, size int64
	if err := db.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
		return refusal(path, err)
	}
	if err := db.QueryRowContext(ctx, "PRAGMA page_size").Scan(&size); err != nil {
		return refusal(path, err)
	}
	file, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("stat the store: %w", err)
	}
	if file.Size() < pages*size {
		return corrupt(path, fmt.Errorf("it is %d bytes long and should be %d", file.Size(), pages*size))
	}
	return nil
}

// refusal turns what SQLite says at opening into what a person can do about it.
func refusal(path string, err error) error {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return corrupt(path, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return run.Errorf(ErrLocked,
			"the database %s is locked by another program: close that one first (%w)", path, err)
	case sqlite3.SQLITE_FULL:
		return storeFull(err)
	}
	return fmt.Errorf("open the store %s: %w", path, err)
}

func corrupt(path string, cause error) error {
	return run.Errorf(ErrCorrupt, "the database %s is damaged: move it and its -wal and -shm files aside and put the last "+
		"backup in its place, or start with another data directory (%w)", path, cause)
}

// sqliteCode is SQLite's extended result code in err's chain, or 0.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}
