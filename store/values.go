package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func millisOrNil(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.UnixMilli()
}

func timeOrNil(ms sql.NullInt64) *time.Time {
	if !ms.Valid {
		return nil
	}
	at := fromMillis(ms.Int64)
	return &at
}

// encode is a value as the JSON text of a column.
func encode(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(data), nil
}

// wrapf says what was under way when err happened; it is nil for a nil err.
func wrapf(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

func isNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// isDuplicate tells whether a write met a row of the same primary key.
func isDuplicate(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY || code == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

// number is a truth as its column holds it.
func number(truth bool) int {
	if truth {
		return 1
	}
	return 0
}

// ceilMillis is a time as columns hold it, rounded up: no millisecond before at is at or after it.
func ceilMillis(at time.Time) int64 {
	ms := at.UnixMilli()
	if at.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}
