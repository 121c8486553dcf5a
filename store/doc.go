// Package store owns the record: agents and their revisions, runs, and the journal that is the single truth of what a
// run did. It keeps them in one SQLite file that only this process opens.
//
// Every write is a job for one goroutine that owns the write connection. It takes all jobs that wait, runs each in a
// savepoint of one transaction, commits once with a full sync, and then answers them all: one sync serves every row that
// arrived while the last one was under way. What a run's rows mean is folded by package journal in the transaction that
// writes them, so a run's row never disagrees with its journal. Reads have connections of their own and never wait for a
// writer.
//
// It must not know HTTP or Temporal, decide what a run does next, or hold a secret.
package store
