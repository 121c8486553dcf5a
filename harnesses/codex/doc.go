// Package codex owns how the real Codex is driven: it starts `codex app-server` and speaks its protocol of JSON lines,
// offers the host's tools as dynamic tools, and answers the model requests of the program through the session's proxy.
// Everything the program could do by itself is off.
//
// A request becomes what is sent in three steps: it is read (request.go), told in terms of a conversation (canonical.go)
// and rewritten for the provider (rewrite.go). An answer goes back as the journal has it (protocol.go). What a session
// is opened with is made of the journal's conversation (history.go), so that a session opened anew asks the same.
//
// It must not decide what is answered: that is the host's.
package codex
