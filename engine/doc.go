// Package engine owns the durable execution engine: a Temporal server embedded in this process with its database file,
// or a cluster somewhere else; the way every process dials it; its namespace and search attributes; and the Temporal web
// UI as a plain http.Handler.
//
// It must not know runs: it imports nothing of ours, holds no workflow or activity, and its database is expendable.
// What a run did is in the journal; deleting the engine's folder between two starts costs only Temporal's histories.
//
// The embedded server is locked. It listens on loopback only, in three ports:
//
//	frontend            takes a call only with the token made at this start (Connection.Token)
//	history, matching   take a connection only with a certificate made in memory at this start
//
// The order of reading is engine.go (start and stop), config.go and tuning.go (what is switched on), database.go (the
// file), lock.go (who may call), client.go (how to dial), ui.go.
package engine
