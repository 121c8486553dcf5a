// Package faux owns the scripted model gateway: an HTTP server that speaks OpenAI Responses, OpenAI Chat Completions and
// Anthropic Messages, streaming and not, and answers from a script instead of a model. Real provider clients and real
// command-line agents run against it, so that people can test what their agents do, what they cost, and that nothing is
// asked twice. docs/faux.md is its page for users.
//
// A request goes through four steps, each in files of its own: it is read into a conversation (read_*.go), a rule of the
// script is found for it (match.go), the rule's reply is made into an answer (answer.go), and the answer is written in
// the request's protocol (write_*.go) with the delays and faults the rule asks for (send.go). What was asked and how it
// ended is kept in a book (book.go) and, on request, in a ledger file that outlives the process (ledger.go).
//
// The package must not know agents, runs or the store: of ours it imports package run alone, for money and models. It
// never calls a real provider.
package faux
