package run

// The bodies of the rows of a command-line agent (Claude Code, Codex), which speaks for a conversation in place of the
// server's own loop.

// HarnessStarted is the body of a RowHarnessStarted: a session of the program was opened on the conversation.
type HarnessStarted struct {
	Node    string `json:"node,omitempty"`
	Harness string `json:"harness"`
	// Session numbers the run's sessions under one claim, from 1.
	Session int `json:"session"`
	// Messages are those of the conversation that the session was opened with: 0 where the conversation begins.
	Messages int `json:"messages"`
	// Reason says why a session was opened where there had been one before.
	Reason string `json:"reason,omitempty"`
	// Fresh says that the program could not take the conversation up, and was told of it in words instead.
	Fresh bool `json:"fresh,omitempty"`
	// Confined says that the program reaches no network but the server's own proxy.
	Confined bool `json:"confined"`
}

// HarnessContinued is the body of a RowHarnessContinued: the program went on by itself after a final answer, with these
// words of its own.
type HarnessContinued struct {
	Node    string `json:"node,omitempty"`
	Harness string `json:"harness"`
	Words   string `json:"words"`
}

// HarnessFailed is the body of a RowHarnessFailed: the program cannot go on, and so the conversation cannot either.
type HarnessFailed struct {
	Node    string `json:"node,omitempty"`
	Harness string `json:"harness"`
	Code    string `json:"code"`
	Message string `json:"message"`
}
