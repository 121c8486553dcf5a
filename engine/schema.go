package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/schema/sqlite"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// schemaTarget takes the statements of Temporal's schema. Its own connection pool never closes a database, which would
// leave a handle on the file that is about to be renamed.
type schemaTarget struct {
	sqlplugin.AdminDB
	ctx context.Context
	tx  *sql.Tx
}

// Exec runs one statement of the schema.
func (t schemaTarget) Exec(statement string, args ...any) error {
	for _, wanted := range visibilityStatements(statement) {
		if _, err := t.tx.ExecContext(t.ctx, wanted, args...); err != nil {
			return err
		}
	}
	return nil
}

// createSchema makes a database file with Temporal's tables, on disk when it returns.
func createSchema(ctx context.Context, path string) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Sync(), file.Close()) }()
	db, err := openFile(path, "rw")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := sqlite.SetupSchemaOnDB(schemaTarget{ctx: ctx, tx: tx}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// probe reads the catalogue of a database file. It gives the reason if the file is damaged or none of SQLite's.
func probe(ctx context.Context, path string) (string, error) {
	db, err := openFile(path, "rw")
	if err != nil {
		return "", err
	}
	defer db.Close()
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name IN ('executions', 'shards')").Scan(&tables)
	var fault *driver.Error
	switch {
	case errors.As(err, &fault) && (fault.Code() == lib.SQLITE_NOTADB || fault.Code()&0xff == lib.SQLITE_CORRUPT):
		return fault.Error(), nil
	case err != nil:
		return "", fmt.Errorf("read the engine database %s: %w", path, err)
	case tables != 2:
		return "it lacks tables", nil
	}
	return "", nil
}

func openFile(path, mode string) (*sql.DB, error) {
	uri := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: url.Values{
		"mode":    {mode},
		"_pragma": {"busy_timeout=10000"},
	}.Encode()}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
