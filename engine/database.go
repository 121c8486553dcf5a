package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/google/uuid"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/schema/sqlite"
)

const (
	databaseName = "temporal.db"
	asideSuffix  = ".old"
	buildSuffix  = ".new"
)

// contentRevision counts changes of what we put into a new database: raise it with the namespace, search attributes or
// indexes.
const contentRevision = "2"

// version names what a database of this build looks like. The SQLite plugin neither checks nor migrates its schema, so a
// database of another version is not opened.
var version = "temporal " + headers.ServerVersion + " schema " + sqlite.Version + "/" + sqlite.VisibilityVersion +
	" content " + contentRevision

// database is the engine's file and the record beside it.
type database struct {
	dir    string
	path   string
	record record
}

// openDatabase leaves a database of this build's version at its place: the one that is there, or a new one. One of
// another version, or that cannot be read, is moved aside; the runs in it go on from the journal.
func openDatabase(ctx context.Context, dir string, log *slog.Logger) (*database, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("engine folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the engine folder: %w", err)
	}
	db := &database{dir: dir, path: filepath.Join(dir, databaseName), record: readRecord(dir)}
	reason, err := db.unusable(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case reason == "":
		return db, db.createNamespace()
	case reason != missing:
		log.Warn("the engine's database is set aside and built anew; runs go on from the journal",
			"component", "engine", "reason", reason, "kept", db.path+asideSuffix)
		if err := db.moveAside(); err != nil {
			return nil, err
		}
	}
	if err := db.build(ctx); err != nil {
		return nil, err
	}
	return db, db.createNamespace()
}

// missing is the reason of a database that is not there.
const missing = "missing"

// unusable tells why the file cannot be used, or "". An error means that the file may be sound but cannot be reached.
func (d *database) unusable(ctx context.Context) (string, error) {
	_, err := os.Stat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing, nil
	case err != nil:
		return "", fmt.Errorf("engine database: %w", err)
	case d.record.Version == "":
		return "its version is not recorded", nil
	case d.record.Version != version:
		return fmt.Sprintf("it is of %q, this build is %q", d.record.Version, version), nil
	}
	return probe(ctx, d.path)
}

// moveAside keeps one old database, with the write-ahead log it needs to be opened.
func (d *database) moveAside() error {
	for _, part := range []string{"", "-wal", "-shm"} {
		err := os.Rename(d.path+part, d.path+asideSuffix+part)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.RemoveAll(d.path + asideSuffix + part)
		}
		if err != nil {
			return fmt.Errorf("move the old engine database aside: %w", err)
		}
	}
	return nil
}

// build makes a new database under another name and moves it to its place when it is whole.
func (d *database) build(ctx context.Context) error {
	next := d.path + buildSuffix
	if err := os.RemoveAll(next); err != nil {
		return fmt.Errorf("build the engine database: %w", err)
	}
	if err := createSchema(ctx, next); err != nil {
		return fmt.Errorf("build the engine database: %w", err)
	}
	if err := os.Rename(next, d.path); err != nil {
		return fmt.Errorf("build the engine database: %w", err)
	}
	d.record.Version = version
	if d.record.ClusterID == "" {
		d.record.ClusterID = uuid.NewString()
	}
	return d.record.write(d.dir)
}
