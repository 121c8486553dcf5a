package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// writeStatements are the prepared statements of the write connection.
type writeStatements struct {
	begin, commit, savepoint, release, rollbackTo *sql.Stmt

	head, run, advance, turn, turnLabels *sql.Stmt
	addRow, seqOfKey                     *sql.Stmt
	rowsAfter, rowOfKey                  *sql.Stmt
	requests                             *sql.Stmt
	addBlob, blob                        *sql.Stmt
	recall, remember                     *sql.Stmt

	addRun, addSpec, archiveRun, runOrigin *sql.Stmt
	addLabel, setLabels, dropLabels        *sql.Stmt

	agentHead, addAgent, putAgent, archiveAgent, addRevision *sql.Stmt

	all []*sql.Stmt
}

// close ends the statements: those of a single connection do not end with it, and would keep the database open.
func (s *writeStatements) close() error {
	var all error
	for _, statement := range s.all {
		all = errors.Join(all, statement.Close())
	}
	return all
}

const rowColumns = "pos, at, type, key, body, private"

func prepareWrites(ctx context.Context, conn *sql.Conn) (*writeStatements, error) {
	s := &writeStatements{}
	err := prepare(ctx, conn, &s.all, map[**sql.Stmt]string{
		&s.begin:      "BEGIN IMMEDIATE",
		&s.commit:     "COMMIT",
		&s.savepoint:  "SAVEPOINT job",
		&s.release:    "RELEASE SAVEPOINT job",
		&s.rollbackTo: "ROLLBACK TO SAVEPOINT job",
		&s.head: "SELECT no, kind, head, projection, epoch, token, holder, archived, labels, strikes, strike_progress, " +
			"queued_at FROM runs WHERE id = ?",
		&s.run:     selectOneRun(),
		&s.advance: "UPDATE runs SET head = ?, projection = ? WHERE no = ?",
		&s.turn: "UPDATE runs SET head = ?, projection = ?, status = ?, state = ?, epoch = ?, token = ?, holder = ?, " +
			"holder_worker = ?, queued_at = ?, started_at = ?, ended_at = ?, strikes = ?, strike_progress = ? WHERE no = ?",
		&s.turnLabels: "UPDATE labels SET status = ?, archived = ? WHERE run_no = ?",
		&s.addRow: "INSERT INTO journal (pos, run_no, at, type, key, body, private) VALUES (?, ?, ?, ?, ?, ?, ?) " +
			"ON CONFLICT (run_no, key) DO NOTHING",
		&s.seqOfKey:  "SELECT pos, at FROM journal WHERE run_no = ? AND key = ?",
		&s.rowsAfter: "SELECT " + rowColumns + " FROM journal WHERE pos > ? AND pos < ? ORDER BY pos",
		&s.rowOfKey:  "SELECT " + rowColumns + " FROM journal WHERE run_no = ? AND key = ?",
		&s.requests: "SELECT " + rowColumns + " FROM journal WHERE pos > ? AND pos < ? AND " +
			"type IN ('request_started', 'request_ended') ORDER BY pos",
		&s.addBlob:  "INSERT INTO blobs (digest, size, data) VALUES (?, ?, ?) ON CONFLICT (digest) DO NOTHING",
		&s.blob:     "SELECT data FROM blobs WHERE digest = ?",
		&s.recall:   "SELECT digest, answer FROM idempotency WHERE scope = ? AND key = ?",
		&s.remember: "INSERT INTO idempotency (scope, key, digest, answer, created_at) VALUES (?, ?, ?, ?, ?)",
		&s.addRun: "INSERT INTO runs (id, agent_id, agent_revision, kind, harness, model, effort, place, source, session, " +
			"labels, created_at, queued_at, status, state, head, projection) " +
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 'queued', 0, '{}')",
		&s.addSpec:    "INSERT INTO specs (run_no, input, config) VALUES (?, ?, ?)",
		&s.archiveRun: "UPDATE runs SET archived = ?, archived_at = ? WHERE no = ?",
		&s.runOrigin:  "SELECT agent_id, created_at FROM runs WHERE no = ?",
		&s.addLabel: "INSERT INTO labels (run_no, name, value, agent_id, archived, status, created_at) " +
			"VALUES (?, ?, ?, ?, ?, ?, ?)",
		&s.setLabels:  "UPDATE runs SET labels = ? WHERE no = ?",
		&s.dropLabels: "DELETE FROM labels WHERE run_no = ?",
		&s.agentHead:  "SELECT revision, archived FROM agents WHERE id = ?",
		&s.addAgent: "INSERT INTO agents (id, name, kind, revision, etag, definition, warnings, created_at, updated_at) " +
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		&s.putAgent: "UPDATE agents SET name = ?, revision = ?, etag = ?, definition = ?, warnings = ?, updated_at = ? " +
			"WHERE id = ?",
		&s.archiveAgent: "UPDATE agents SET archived = ?, archived_at = ? WHERE id = ?",
		&s.addRevision:  "INSERT INTO revisions (agent_id, revision, definition, created_at) VALUES (?, ?, ?, ?)",
	})
	return s, err
}

// readStatements are the prepared statements of the hot reads.
type readStatements struct {
	run, standing, timeline, rows, blob, config *sql.Stmt
}

func prepareReads(ctx context.Context, db *sql.DB) (*readStatements, error) {
	s, all := &readStatements{}, []*sql.Stmt{}
	return s, prepare(ctx, db, &all, map[**sql.Stmt]string{
		&s.run:      selectOneRun(),
		&s.standing: "SELECT no, state, head FROM runs WHERE id = ?",
		&s.timeline: "SELECT pos, at, type, key, body, NULL FROM journal WHERE pos > ? AND pos < ? ORDER BY pos LIMIT ?",
		&s.rows:     "SELECT " + rowColumns + " FROM journal WHERE pos > ? AND pos < ? ORDER BY pos LIMIT ?",
		&s.blob:     "SELECT data FROM blobs WHERE digest = ?",
		&s.config: "SELECT b.data FROM runs AS r JOIN specs AS s ON s.run_no = r.no " +
			"JOIN blobs AS b ON b.digest = s.config WHERE r.id = ?",
	})
}

type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

func prepare(ctx context.Context, on preparer, all *[]*sql.Stmt, queries map[**sql.Stmt]string) error {
	for statement, query := range queries {
		prepared, err := on.PrepareContext(ctx, query) //nolint:sqlclosecheck // the caller's, for as long as the store is open
		if err != nil {
			return fmt.Errorf("prepare %q: %w", query, err)
		}
		*statement = prepared
		*all = append(*all, prepared)
	}
	return nil
}
