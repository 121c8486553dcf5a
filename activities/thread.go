package activities

import (
	"bytes"
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// thread is one conversation with the model: the agent's own, or that of a node of a workflow document.
type thread struct {
	*session
	// id names it in the journal ("" for the agent's own), node is the execution path of the node it belongs to.
	id, node string
	fold     *journal.Fold
	brief    brief
	// ownTurn is the turn whose tool calls this process itself wrote down: none of them was begun by anyone else.
	ownTurn int
	// brain is the command-line agent that speaks for the thread, nil where the server's own loop does.
	brain *brain
}

// brief is what a thread's requests have in common.
type brief struct {
	instructions string
	tools        []string
	effort       string
	// schema is the JSON Schema of the final answer, nil for text; output reads an answer's text as one, or says what keeps
	// it from being one.
	schema   json.RawMessage
	output   func(text string) (value json.RawMessage, invalid string)
	model    run.Model
	endpoint door.Endpoint
	// direct: the server asks for itself, whatever the run's harness.
	direct bool
	// cap is the thread's own spend cap, nil for the run's alone.
	cap *run.USD
}

// begin makes the agent's own thread.
func (s *session) begin() error {
	config := s.opened.Config
	schema, err := compileOutput(config.Output)
	if err != nil {
		return err
	}
	root := brief{
		instructions: config.Instructions, tools: config.Tools, effort: config.Effort, schema: config.Output,
		model: config.Model, endpoint: s.opened.Endpoint,
	}
	if schema != nil {
		root.output = func(text string) (json.RawMessage, string) { return typed(schema, text) }
	}
	s.thread("", "", root)
	return nil
}

// thread is the thread with the id, as briefed now.
func (s *session) thread(id, node string, as brief) *thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.threads[id]
	if t == nil {
		t = &thread{session: s, id: id, node: node, fold: s.tree.Session(id)}
		if !as.direct {
			t.brain = s.newBrain()
		}
		if t.brain != nil {
			t.brain.speaks(t)
		}
		s.threads[id] = t
	}
	t.brief = as
	return t
}

// find is the thread with the id, nil where nobody has briefed one.
func (s *session) find(id string) *thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.threads[id]
}

func (t *thread) position() journal.Position {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tree.PositionOf(t.id, t.brief.model.ContextWindow)
}

// windowOf is the context window of a thread's model in tokens; the session's lock is held.
func (s *session) windowOf(id string) int64 {
	if t := s.threads[id]; t != nil {
		return t.brief.model.ContextWindow
	}
	return 0
}

// leave drops a thread whose answer has been taken: a document may have many thousands.
func (s *session) leave(t *thread) {
	s.mu.Lock()
	delete(s.threads, t.id)
	s.tree.Forget(t.id)
	s.mu.Unlock()
	if t.brain != nil {
		if err := t.brain.close(); err != nil {
			s.options.Log.Error("a session was not ended", "run", s.runID, "node", t.node, "error", err)
		}
	}
}

// ask sets what the thread of a node was asked.
func (t *thread) ask(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fold.Prompt(text)
}

// over tells whether the thread cannot come to an answer any more; the session's lock is held.
func (t *thread) over() bool {
	switch position := t.tree.PositionOf(t.id, 0); position.Phase {
	case journal.PhaseFailed, journal.PhaseImpossible, journal.PhaseModerated, journal.PhaseInvalid:
		return true
	default:
		return position.Phase == journal.PhaseRequest && t.pastLimit(position)
	}
}

func (t *thread) pastLimit(position journal.Position) bool {
	limit := t.opened.Config.MaxSteps
	return limit > 0 && position.Steps >= limit
}

// open tells whether the thread can go on without a person's word; the session's lock is held.
func (t *thread) open() bool {
	position := t.tree.PositionOf(t.id, 0)
	if position.Phase == journal.PhaseTools {
		return !position.Inbox.Cancel
	}
	return quiet(position.Inbox) && position.Phase == journal.PhaseRequest
}

// failed is why the thread gave no answer; the session's lock is held.
func (t *thread) failed() *run.Failure {
	position := t.tree.PositionOf(t.id, 0)
	outcome := OutcomeFailed
	if t.pastLimit(position) {
		outcome = OutcomeStepLimit
	}
	return t.failure(outcome, position.Phase, t.fold.Failure())
}

// key names something of the thread in the run.
func (t *thread) key(part string) string { return journal.SessionKey(t.id, part) }

// cacheKey tells the provider which requests have their beginning in common.
func (t *thread) cacheKey() string {
	if t.id == "" {
		return t.runID
	}
	return t.runID + t.id
}

// compileOutput compiles a definition's output schema; nil where there is none.
func compileOutput(schema json.RawMessage) (*jsonschema.Schema, error) {
	if len(schema) == 0 || bytes.Equal(bytes.TrimSpace(schema), []byte("null")) {
		return nil, nil
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, run.Errorf(run.ErrInvalid, "definition.output: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("output.json", document); err != nil {
		return nil, run.Errorf(run.ErrInvalid, "definition.output: %w", err)
	}
	return compiler.Compile("output.json")
}
