package activities

import (
	"bytes"
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"

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
}

// brief is what a thread's requests have in common.
type brief struct {
	instructions string
	tools        []string
	effort       string
	// schema is the JSON Schema of the final answer, nil for text; output says what keeps a value from being one ("").
	schema json.RawMessage
	output func(value any) string
	// cap is the thread's own spend cap, nil for the run's alone.
	cap *run.USD
	// maxSteps bounds its model requests; 0: the run's limit.
	maxSteps int
}

// begin makes the agent's own thread.
func (s *session) begin() error {
	config := s.opened.Config
	schema, err := compileOutput(config.Output)
	if err != nil {
		return err
	}
	root := brief{instructions: config.Instructions, tools: config.Tools, effort: config.Effort, schema: config.Output}
	if schema != nil {
		root.output = func(value any) string { return reasonOf(schema.Validate(value)) }
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
	return t.tree.PositionOf(t.id, t.opened.Config.Model.ContextWindow)
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

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
