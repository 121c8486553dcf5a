package run

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// Kinds of agents and runs.
const (
	KindAgent    = "agent"
	KindWorkflow = "workflow"
)

// NewID makes a run id: "run_" and a ULID of the given time, so that ids sort by creation.
func NewID(at time.Time) string {
	return "run_" + ulid.MustNew(ulid.Timestamp(at), rand.Reader).String()
}

// ValidID tells whether id has the shape of a run id.
func ValidID(id string) bool {
	text, ok := strings.CutPrefix(id, "run_")
	if !ok {
		return false
	}
	_, err := ulid.ParseStrict(text)
	return err == nil
}

// Input is what a run was asked. Files are names under the run's inputs/ folder.
type Input struct {
	Content string   `json:"content"`
	Files   []string `json:"files,omitempty"`
	// Object is the input of a workflow document; Content is then its JSON text.
	Object json.RawMessage `json:"object,omitempty"`
}

// Result is what a completed run gave. Output is set where the definition has an output schema.
type Result struct {
	FinalAnswer string          `json:"final_answer"`
	Output      json.RawMessage `json:"output"`
}

// Cost is a run's money. USD is nil once any part of it is unknown; KnownUSD is the known part; HeldUSD is what open and
// unknown requests count against the cap at their worst case.
type Cost struct {
	USD      *USD `json:"usd"`
	KnownUSD USD  `json:"known_usd"`
	HeldUSD  USD  `json:"held_usd"`
}

// Holder is the worker process that drives a run.
type Holder struct {
	Host   string `json:"host"`
	PID    int    `json:"pid"`
	Worker string `json:"worker"`
}

// Claim is who drives a run. Epoch goes up by one each time a worker opens it (design §2).
type Claim struct {
	Epoch  int64   `json:"epoch"`
	Holder *Holder `json:"holder"`
}

// Run is a run as the API shows it (contract §3).
type Run struct {
	ID            string            `json:"id"`
	AgentID       string            `json:"agent_id"`
	AgentRevision int64             `json:"agent_revision"`
	Kind          string            `json:"kind"`
	Harness       string            `json:"harness"`
	Model         string            `json:"model"`
	Effort        string            `json:"effort"`
	Place         Place             `json:"place"`
	Status        Status            `json:"status"`
	State         State             `json:"state"`
	Input         Input             `json:"input"`
	Result        *Result           `json:"result"`
	Error         *Failure          `json:"error"`
	Pending       *Pending          `json:"pending"`
	Cost          Cost              `json:"cost"`
	Usage         Usage             `json:"usage"`
	MaxCostUSD    *USD              `json:"max_cost_usd"`
	Labels        map[string]string `json:"labels"`
	Source        string            `json:"source"`
	Session       string            `json:"session,omitempty"`
	Claim         Claim             `json:"claim"`
	CreatedAt     time.Time         `json:"created_at"`
	StartedAt     *time.Time        `json:"started_at"`
	EndedAt       *time.Time        `json:"ended_at"`
	ArchivedAt    *time.Time        `json:"archived_at"`
}

// Config is what a run was resolved to when it was created; it never changes after, whatever becomes of the agent or
// the server's catalogue.
type Config struct {
	Harness      string          `json:"harness"`
	Model        Model           `json:"model"`
	Instructions string          `json:"instructions"`
	Tools        []string        `json:"tools"`
	Effort       string          `json:"effort"`
	Output       json.RawMessage `json:"output,omitempty"`
	Place        Place           `json:"place"`
	MaxSteps     int             `json:"max_steps"`
	// Workflow is the run's document, of an agent of kind workflow; Judge is who judges in it, nil for Model itself.
	Workflow json.RawMessage `json:"workflow,omitempty"`
	Judge    *Model          `json:"judge,omitempty"`
}

// Model is a model as a request needs it. Limits are tokens.
type Model struct {
	// ID is "provider/name"; Name is what the provider calls it.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Provider is "openai", "anthropic", "faux" or a name of DIR/models.json; it names the key and the address.
	Provider string `json:"provider"`
	// API is the protocol: "responses", "messages" or "chat".
	API string `json:"api"`
	// Price is nil where nobody knows it.
	Price         *Price `json:"price"`
	ContextWindow int64  `json:"context_window"`
	// MaxOutput is the model's output ceiling (0: unknown). NoOutputLimit: a request cannot lower it.
	MaxOutput     int64 `json:"max_output"`
	NoOutputLimit bool  `json:"no_output_limit,omitempty"`
	// MinOutput is the smallest output worth asking for (design §4; 0: 1,024).
	MinOutput int64 `json:"min_output,omitempty"`
	Reasoning bool  `json:"reasoning,omitempty"`
	// Efforts are the efforts the model takes, where known.
	Efforts []string `json:"efforts,omitempty"`
	// Source says where the figures are from.
	Source string `json:"source,omitempty"`
}
