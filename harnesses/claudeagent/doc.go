// Package claudeagent drives Claude Code: a cli.Driver that speaks the program's own protocol of JSON lines over its
// standard streams, offers it the host's tools as an MCP server on the same streams, and answers its model requests
// through a loopback proxy.
//
// What the program says is not believed where the journal knows better. The tools that go to the model are the host's,
// whatever the program lists; a tool's result is what the host answered, whatever the program made of it (it trims, cuts
// and reorders results); a call of a tool that nobody offered reaches the host all the same. So the request of a session
// that ran undisturbed and the one of a session that was opened again from the journal are one and the same.
//
// Seen with Claude Code 2.1.332.
//
// It must not journal, decide what comes next in a run, hold a provider's key, or let the program use a tool of its own.
package claudeagent
