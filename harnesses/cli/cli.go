// Package cli owns what a command-line agent is to this server: a brain that has no hands and no purse of its own. It
// asks for every model request and every tool call, and is answered from the run's journal. The drivers of the real
// programs are packages claudeagent and codex; what a program is answered is the caller's, behind Host.
//
// It must not journal, decide what comes next in a run, or hold a provider's key.
package cli

import (
	"context"
	"encoding/json"

	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

// Driver speaks to one program.
type Driver interface {
	// Version is the version the program says it has, with a private folder to be at home in.
	Version(ctx context.Context, program, home string) (string, error)
	// ToolName is the tool's own name of the one by which the program's model calls it.
	ToolName(wire string) string
	// Answers counts the answers of a conversation as Ask.Place does.
	Answers(history []models.Message) int
	// Open starts the program and tells it what spec says. It returns once the program speaks its protocol; the context
	// bounds the start only. An error leaves nothing behind, or says what is left (process.LeftError).
	Open(ctx context.Context, spec Spec, host Host) (Session, error)
}

// Spec is what a session is opened with. All of it comes from the run's journal and configuration: a session can be
// closed at any moment and opened anew.
type Spec struct {
	// Program is the program's path.
	Program string
	// Dir is a private folder that exists and is empty; it holds the program's home, its temporary files and its working
	// folder, and is the caller's to remove once the session is closed.
	Dir string
	// Marker is told to no model; it is in the environment of every process of the session (process.Options.Marker).
	Marker string
	// Confine keeps the program from every network but the proxy's.
	Confine bool
	// Gates opens the proxy's way to the program; nil opens one that is made for it.
	Gates *process.Gates
	// Model is the session's model; every slot of the program is set to it.
	Model        run.Model
	Instructions string
	// Effort is none, minimal, low, medium, high, xhigh or max; empty is the program's own default.
	Effort string
	// Output is the JSON Schema of the final answer, nil for text.
	Output json.RawMessage
	Tools  []models.Tool
	// History is the conversation so far, oldest first, in the words of the journal: it is empty for one that begins. It
	// may end with words that nobody answered.
	History []models.Message
	// Say is what people said last. Where it is empty, the program goes on in the middle of its turn: History ends with
	// tool results.
	Say string
}

// Host answers what a program asks for. Its methods may be called at once from several goroutines.
type Host interface {
	// Ask answers one model request. It blocks until the answer is on record, however long that takes; the context ends
	// when the program hangs up or the session is closed. A *Refused is put to the program in the words of its protocol
	// that it does not answer with another attempt.
	Ask(ctx context.Context, ask Ask) (Answer, error)
	// Call answers one tool call that an answer asked for.
	Call(ctx context.Context, call Call) (Result, error)
	// TurnEnded is told when the program has nothing more to ask about what it was told. fault is why it gave up, "" where
	// it came to an end.
	TurnEnded(fault string)
}

// Ask is one model request of a program's.
type Ask struct {
	// Main says that the request goes on with the conversation; others are the program's own (a title, a summary).
	Main bool
	// Place counts the answers of the model in the request's conversation, the ones in a row as one. A request with as
	// many answers as the journal has is the next one.
	Place int
	// Words is the last thing a user says in the request, what the program itself added left out.
	Words string
	// Calls are the ids of the tool calls of the last answer in the conversation, in order.
	Calls []string
	// Wire is the request as it is sent on. Its Digest is the same for two requests that ask the same, whatever session
	// of the program they came from.
	Wire models.Wire
	// MaxOutput is the output ceiling the program asks for (tokens; 0: it asks for none).
	MaxOutput int64
}

// Answer is what the journal has of an answer.
type Answer struct {
	// ID names the answer; the same answer has the same id whenever it is given again.
	ID string
	models.Answer
}

// Refused is why a request is not sent. Code is "budget" where the spend cap does not buy it.
type Refused struct{ Code, Message string }

func (r *Refused) Error() string { return r.Message }

// Call is one tool call of a program's. ID is the one the model gave it, Name the tool's own name.
type Call struct {
	ID, Name string
	Args     json.RawMessage
}

// Result is what a tool call came to.
type Result struct {
	Text    string
	IsError bool
}

// Session is a program under way.
type Session interface {
	// Say tells the program something after its turn has ended.
	Say(text string) error
	// Done is closed when the program has ended, Err then says why: nil only after Close.
	Done() <-chan struct{}
	Err() error
	// PID is the program's process id, for logs.
	PID() int
	// Close ends the program and everything it started, and returns once that is certain, within 5 seconds. An error
	// names what is left.
	Close() error
}
