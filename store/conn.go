package store

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
)

// connect makes a pool of at most n connections with the given pragmas.
func connect(path string, n int, pragmas ...string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the store's path: %w", err)
	}
	address := url.URL{Scheme: "file", Path: absolute, RawQuery: url.Values{"_pragma": pragmas}.Encode()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// writePragmas are those of the one connection that writes. Every commit is synced; moving the log into the database is
// left to the checkpointer, so that no append waits for it.
func writePragmas() []string {
	return []string{
		"busy_timeout(1000)", "journal_mode(WAL)", "synchronous(FULL)", "fullfsync(1)", "wal_autocheckpoint(0)",
		"cache_size(-16384)", "temp_store(MEMORY)",
	}
}

func checkpointPragmas() []string {
	return []string{"busy_timeout(0)", "synchronous(FULL)", "checkpoint_fullfsync(1)", "wal_autocheckpoint(0)"}
}

func readPragmas() []string {
	return []string{"busy_timeout(1000)", "query_only(1)", "cache_size(-8192)", "temp_store(MEMORY)"}
}
