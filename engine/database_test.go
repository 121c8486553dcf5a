package engine

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// oldDatabase puts a database that was never opened by the server into a folder.
func oldDatabase(t *testing.T, dir string, r record) {
	t.Helper()
	if err := createSchema(t.Context(), filepath.Join(dir, databaseName)); err != nil {
		t.Fatal(err)
	}
	if r.Version != "" {
		if err := r.write(dir); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenDatabase(t *testing.T) {
	t.Parallel()
	const id = "5f0e5c0e-5c5e-4b6e-9d3e-0b8f1a2c3d4e"
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		// aside is a word of the logged reason; empty if nothing is to be set aside.
		aside  string
		keepID bool
	}{
		"a new folder": {prepare: func(*testing.T, string) {}},
		"this version": {
			prepare: func(t *testing.T, dir string) { oldDatabase(t, dir, record{Version: version, ClusterID: id}) },
			keepID:  true,
		},
		"another version": {
			prepare: func(t *testing.T, dir string) { oldDatabase(t, dir, record{Version: "temporal 1.31.0", ClusterID: id}) },
			aside:   "1.31.0",
			keepID:  true,
		},
		"no record": {
			prepare: func(t *testing.T, dir string) { oldDatabase(t, dir, record{}) },
			aside:   "not recorded",
		},
		"a damaged record": {
			prepare: func(t *testing.T, dir string) {
				oldDatabase(t, dir, record{})
				write(t, filepath.Join(dir, recordName), "{")
			},
			aside: "not recorded",
		},
		"not a database": {
			prepare: func(t *testing.T, dir string) {
				oldDatabase(t, dir, record{Version: version, ClusterID: id})
				write(t, filepath.Join(dir, databaseName), strings.Repeat("garbage ", 1000))
			},
			aside:  "not a database",
			keepID: true,
		},
		"a database cut short": {
			prepare: func(t *testing.T, dir string) {
				oldDatabase(t, dir, record{Version: version, ClusterID: id})
				if err := os.Truncate(filepath.Join(dir, databaseName), 6000); err != nil {
					t.Fatal(err)
				}
			},
			aside:  "malformed",
			keepID: true,
		},
		"an empty database": {
			prepare: func(t *testing.T, dir string) {
				oldDatabase(t, dir, record{Version: version, ClusterID: id})
				write(t, filepath.Join(dir, databaseName), "")
			},
			aside:  "lacks tables",
			keepID: true,
		},
		"a build cut short": {
			prepare: func(t *testing.T, dir string) { write(t, filepath.Join(dir, databaseName+buildSuffix), "half") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c.prepare(t, dir)
			var said bytes.Buffer
			db, err := openDatabase(t.Context(), dir, slog.New(slog.NewTextHandler(&said, nil)))
			if err != nil {
				t.Fatal(err)
			}
			if reason, err := probe(t.Context(), db.path); reason != "" || err != nil {
				t.Errorf("the database is not usable: %s %v", reason, err)
			}
			_, err = os.Stat(db.path + asideSuffix)
			if kept := err == nil; kept != (c.aside != "") {
				t.Errorf("old database kept: %v", kept)
			}
			if !strings.Contains(said.String(), c.aside) || (c.aside == "") != (said.Len() == 0) {
				t.Errorf("want a log line that says %q, got %q", c.aside, said.String())
			}
			recorded := readRecord(dir)
			if recorded.Version != version || recorded.ClusterID == "" || (recorded.ClusterID == id) != c.keepID {
				t.Errorf("recorded %+v", recorded)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*"+buildSuffix+"*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestOneOldDatabaseIsKeptWithItsLog(t *testing.T) {
	t.Parallel()
	db := &database{path: filepath.Join(t.TempDir(), databaseName)}
	for _, round := range []string{"first", "second"} {
		write(t, db.path, round)
		if round == "first" {
			write(t, db.path+"-wal", round)
		}
		if err := db.moveAside(); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(db.path + asideSuffix); err != nil || string(got) != "second" {
		t.Errorf("kept %q, %v; want the second", got, err)
	}
	if _, err := os.Stat(db.path + asideSuffix + "-wal"); !os.IsNotExist(err) {
		t.Errorf("the first one's log is left beside the second: %v", err)
	}
}

func TestAFolderThatCannotBeMadeIsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	if _, err := Start(t.Context(), Options{Dir: filepath.Join(file, "engine")}); err == nil {
		t.Error("an engine started below a file")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
