package store

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// closedStore is the directory of a store with one run, which was closed.
func closedStore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateAgent(t.Context(), definition("writer"), nil); err != nil {
		t.Fatal(err)
	}
	created(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpenRefusesADatabaseItCannotServe(t *testing.T) {
	t.Parallel()
	edit := func(change func(data []byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	cases := map[string]struct {
		spoil func(t *testing.T, path string)
		code  string
		says  string
	}{
		"some other file": {
			edit(func([]byte) []byte { return []byte("dear diary, today I did not save the database") }),
			ErrCorrupt, "backup",
		},
		"a few bytes": {edit(func([]byte) []byte { return []byte("SQL") }), ErrCorrupt, "backup"},
		"cut short": {
			edit(func(data []byte) []byte { return data[:len(data)/2/pageBytes*pageBytes] }),
			ErrCorrupt, "backup",
		},
		"its last page cut off": {
			edit(func(data []byte) []byte { return data[:len(data)-pageBytes] }),
			ErrCorrupt, "backup",
		},
		"its schema overwritten": {
			edit(func(data []byte) []byte {
				copy(data[100:pageBytes], bytes.Repeat([]byte{0xff}, pageBytes))
				return data
			}),
			ErrCorrupt, "backup",
		},
		"every page but the first overwritten": {
			edit(func(data []byte) []byte {
				copy(data[pageBytes:], bytes.Repeat([]byte{0xff}, len(data)))
				return data
			}),
			ErrCorrupt, "backup",
		},
		"made by a newer version": {
			func(t *testing.T, path string) {
				execute(t, path, "INSERT INTO schema_migrations (name, group_id) VALUES ('9999', 9)")
			},
			ErrNewer, "start that version",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := closedStore(t)
			c.spoil(t, filepath.Join(dir, "agentrun.db"))
			_, err := Open(t.Context(), Options{Dir: dir})
			code(t, err, c.code)
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "data directory") {
				t.Errorf("the error does not say what to do: %v", err)
			}
			// The refusal gives the lock back: a restored backup opens.
			if err := os.Remove(filepath.Join(dir, "agentrun.db")); err != nil {
				t.Fatal(err)
			}
			reopened(t, dir)
		})
	}
}

func execute(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestOpenIsRefusedWhileAnotherHasTheDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := Open(t.Context(), Options{Dir: b.dir})
	code(t, err, ErrLocked)
	if !strings.Contains(err.Error(), "process ") {
		t.Errorf("the error does not name the process: %v", err)
	}
}

func TestOpenIsRefusedWhileAnotherProgramLocksTheDatabase(t *testing.T) {
	t.Parallel()
	dir := closedStore(t)
	other, err := sql.Open("sqlite", filepath.Join(dir, "agentrun.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Options{Dir: dir})
	code(t, err, ErrLocked)
}

func TestOpenNeedsItsDirectory(t *testing.T) {
	t.Parallel()
	if _, err := Open(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "gone")}); err == nil {
		t.Fatal("opened in a directory that is not there")
	}
}

func TestCloseKeepsEverythingInOneFile(t *testing.T) {
	t.Parallel()
	dir := closedStore(t)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != "agentrun.db" && name != "agentrun.db.lock" {
			t.Errorf("%s was left behind", name)
		}
	}
	runs, _, err := reopened(t, dir).Runs(t.Context(), RunFilter{}, Page{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("after opening again: %d runs, %v", len(runs), err)
	}
}

func TestAClosedStoreRefusesWrites(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err = s.CreateAgent(t.Context(), definition("writer"), nil)
	code(t, err, run.ErrUnavailable)
}

func TestEveryCommitIsSynced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	// 2 is FULL: SQLite syncs its log before a commit is answered.
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "fullfsync": "1"} {
		err := b.writer.do(b.ctx, func(tx *txn) error {
			var got string
			if err := tx.w.conn.QueryRowContext(tx.ctx, "PRAGMA "+pragma).Scan(&got); err != nil {
				return err
			}
			if got != want {
				t.Errorf("%s is %s, want %s", pragma, got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
