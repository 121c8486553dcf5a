package store

import (
	"context"
	"fmt"

	"github.com/agentrun/agentrun/run"
)

// Health is whether the store works: "ok", or the reason it does not.
type Health struct {
	Store string
	Disk  string
}

const healthy = "ok"

// Check looks at the store: that it reads, how its last write went, and that new runs have room.
func (s *Store) Check(ctx context.Context) Health {
	health := Health{Store: healthy, Disk: healthy}
	var one int
	if err := s.read.QueryRowContext(ctx, "SELECT 1 FROM runs LIMIT 1").Scan(&one); err != nil && !isNoRows(err) {
		health.Store = fmt.Sprintf("the database cannot be read: %v", err)
	}
	switch err := s.writer.disk.lastFailure(); {
	case run.CodeOf(err) == run.ErrStoreFull:
		health.Disk = err.Error()
	case err != nil:
		health.Store = err.Error()
	}
	if err := s.writer.disk.admit(); err != nil {
		health.Disk = err.Error()
	}
	return health
}
