package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"
)

// Store is an open store. Its methods may be called from any goroutine.
type Store struct {
	options Options
	read    *bun.DB
	reads   *readStatements
	writer  *writer
	subs    *subscriptions
	locked  *os.File

	closing sync.Once
	closed  error
}

// Open opens the store, making or migrating it first. A database that is damaged, newer than the program or open
// elsewhere is refused with a *run.Error of code ErrCorrupt, ErrNewer or ErrLocked that says what to do.
func Open(ctx context.Context, options Options) (*Store, error) {
	options = options.withDefaults()
	locked, err := lock(options.Path)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, options)
	if err != nil {
		return nil, errors.Join(err, locked.Close())
	}
	s.locked = locked
	return s, nil
}

func open(ctx context.Context, options Options) (*Store, error) {
	if err := checkFile(options.Path); err != nil {
		return nil, err
	}
	// Data and size reach the disk as with fsync, without the wait for a time stamp. Where there is no fdatasync the
	// full sync stays.
	_, _ = sqlite.Fdatasync(true)
	write, err := connect(options.Path, 1, writePragmas()...)
	if err != nil {
		return nil, err
	}
	read, err := connect(options.Path, options.Readers, readPragmas()...)
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	s := &Store{options: options, read: bun.NewDB(read, sqlitedialect.New()), subs: newSubscriptions()}
	if err := s.start(ctx, write); err != nil {
		s.subs.stop()
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	return s, nil
}

func (s *Store) start(ctx context.Context, write *sql.DB) error {
	if err := migrateSchema(ctx, write, s.options.Path); err != nil {
		return err
	}
	if err := checkSound(ctx, write, s.options.Path); err != nil {
		return err
	}
	var err error
	if s.reads, err = prepareReads(ctx, s.read.DB); err != nil {
		return refusal(s.options.Path, err)
	}
	if s.writer, err = startWriter(ctx, write, s.options, s.subs); err != nil {
		return refusal(s.options.Path, err)
	}
	return nil
}

// Close answers every write that was asked, closes the database and gives its lock back. Later writes are refused.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.writer.stop()
		s.subs.stop()
		s.closed = errors.Join(s.read.Close(), s.writer.close(), s.locked.Close())
		if s.closed != nil {
			s.closed = fmt.Errorf("close the store: %w", s.closed)
		}
	})
	return s.closed
}
