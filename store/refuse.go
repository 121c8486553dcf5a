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

// checkSound looks for damage where it costs little whatever the size: the small tables whole, and the ends of the large
// ones. SQLite itself has compared the file's length with its header and read the schema.
func checkSound(ctx context.Context, db *sql.DB, path string) error {
	for _, table := range []string{"agents", "schema_migrations"} {
		var verdict string
		if err := db.QueryRowContext(ctx, "PRAGMA quick_check("+table+")").Scan(&verdict); err != nil {
			return refusal(path, err)
		}
		if verdict != "ok" {
			return corrupt(path, errors.New(verdict))
		}
	}
	for table, key := range map[string]string{"runs": "no", "journal": "pos", "specs": "run_no", "blobs": "digest"} {
		var first, last sql.NullString
		//nolint:gosec // the names are the four above
		query := fmt.Sprintf("SELECT (SELECT MIN(%[2]s) FROM %[1]s), (SELECT MAX(%[2]s) FROM %[1]s)", table, key)
		if err := db.QueryRowContext(ctx, query).Scan(&first, &last); err != nil {
			return refusal(path, err)
		}
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
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
