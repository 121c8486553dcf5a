package engine

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

func visibilityTable(t *testing.T) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), databaseName)
	if err := createSchema(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := openFile(path, "rw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestOnlyTheIndexesInUseAreMade(t *testing.T) {
	t.Parallel()
	db := visibilityTable(t)
	rows, err := db.QueryContext(t.Context(),
		"SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'executions_visibility' AND sql IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	made := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		made[name] = true
		if !keptIndexes[name] {
			t.Errorf("index %s is made", name)
		}
	}
	if err := rows.Err(); err != nil || len(made) != len(keptIndexes) {
		t.Errorf("made %v of %v, %v", made, keptIndexes, err)
	}
}

func TestTheFullTextTablesHoldWhatThereIsToSearch(t *testing.T) {
	t.Parallel()
	db := visibilityTable(t)
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	found := func(word string) (n int) {
		t.Helper()
		err := db.QueryRowContext(t.Context(),
			"SELECT count(*) FROM executions_visibility_fts_keyword_list WHERE executions_visibility_fts_keyword_list MATCH ?", word).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	put := func(runID, attributes string) {
		t.Helper()
		exec(`INSERT INTO executions_visibility (namespace_id, run_id, start_time, execution_time, workflow_id, workflow_type_name,
			status, encoding, search_attributes) VALUES ('n', ?, '2026-01-01', '2026-01-01', 'w', 'Run', 1, '', ?)`, runID, attributes)
	}
	put("plain", `{"BuildIds":"unversioned","Keyword01":"a"}`)
	put("marked", `{"TemporalChangeVersion":"alpha"}`)
	if found("unversioned") != 0 || found("alpha") != 1 {
		t.Errorf("after the inserts: %d, %d", found("unversioned"), found("alpha"))
	}
	exec(`UPDATE executions_visibility SET search_attributes = '{"TemporalChangeVersion":"beta"}' WHERE run_id = 'plain'`)
	exec(`UPDATE executions_visibility SET search_attributes = '{}' WHERE run_id = 'marked'`)
	if found("beta") != 1 || found("alpha") != 0 {
		t.Errorf("after the updates: %d, %d", found("beta"), found("alpha"))
	}
	exec(`DELETE FROM executions_visibility`)
	if found("beta") != 0 {
		t.Error("a deleted row is found")
	}
	exec(`INSERT INTO executions_visibility_fts_keyword_list(executions_visibility_fts_keyword_list) VALUES ('integrity-check')`)
}

func TestAnUnknownStatementIsKept(t *testing.T) {
	t.Parallel()
	const statement = "CREATE TABLE shards (id INT)"
	if got := strings.Join(visibilityStatements(statement+"\n"), ";"); got != statement {
		t.Errorf("got %q", got)
	}
}
