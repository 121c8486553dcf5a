package store

import (
	"log/slog"
	"path/filepath"
	"time"
)

// Options say where the store is and what it asks its surroundings. Only Dir is needed.
type Options struct {
	// Dir is the data directory. Free room for new runs is measured on its file system.
	Dir string
	// Path is the database file ("": Dir/agentrun.db).
	Path string
	// Log takes what an operator should know (nil: nothing is logged).
	Log *slog.Logger
	// Now is the clock (nil: time.Now).
	Now func() time.Time
	// Alive tells whether a worker process may still drive its runs (nil: every worker does). It is asked inside a
	// transaction and must answer at once, from memory.
	Alive func(worker string) bool
	// Redact takes secrets, by their value, out of what is written: the body and private part of every row and a run's
	// input. It must keep JSON valid (nil: nothing is taken out).
	Redact func([]byte) []byte
	// ReserveBytes is the free room below which no new run is taken, so that the running ones can finish (0: 64 MiB, or
	// a twentieth of the file system where that is less; negative: none).
	ReserveBytes int64
	// Readers is how many reads run at once (0: 4).
	Readers int
	// CacheRuns is how many runs' heads are kept in memory (0: 4,096).
	CacheRuns int
}

func (o Options) withDefaults() Options {
	if o.Path == "" {
		o.Path = filepath.Join(o.Dir, "agentrun.db")
	}
	if o.Dir == "" {
		o.Dir = filepath.Dir(o.Path)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Alive == nil {
		o.Alive = func(string) bool { return true }
	}
	if o.Redact == nil {
		o.Redact = func(data []byte) []byte { return data }
	}
	if o.Readers == 0 {
		o.Readers = 4
	}
	if o.CacheRuns == 0 {
		o.CacheRuns = 4096
	}
	return o
}
