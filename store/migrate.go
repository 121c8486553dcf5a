package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/migrate"

	"github.com/agentrun/agentrun/run"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrateSchema brings the schema up to date. The steps and the note that they were taken are one transaction: it is
// opened on the pool's only connection, which the migrator then works on.
func migrateSchema(ctx context.Context, db *sql.DB, path string) error {
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(migrationFiles); err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	migrator := migrate.NewMigrator(bun.NewDB(db, sqlitedialect.New()), migrations,
		migrate.WithTableName("schema_migrations"), migrate.WithLocksTableName("schema_migration_locks"))
	if _, err := db.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return refusal(path, err)
	}
	err := stepUp(ctx, migrator, migrations)
	if err == nil {
		_, err = db.ExecContext(ctx, "COMMIT")
	}
	if err == nil {
		return nil
	}
	if _, back := db.ExecContext(ctx, "ROLLBACK"); back != nil {
		err = errors.Join(err, back)
	}
	if run.CodeOf(err) != "" {
		return err
	}
	return refusal(path, err)
}

func stepUp(ctx context.Context, migrator *migrate.Migrator, known *migrate.Migrations) error {
	if err := migrator.Init(ctx); err != nil {
		return err
	}
	applied, err := migrator.AppliedMigrations(ctx)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, step := range known.Sorted() {
		names[step.Name] = true
	}
	for _, step := range applied {
		if !names[step.Name] {
			return run.Errorf(ErrNewer, "a newer version made this data directory (its database has the schema step %s, "+
				"unknown here): start that version, or restore the backup from before it", step.Name)
		}
	}
	_, err = migrator.Migrate(ctx)
	return err
}
