package run

import (
	"encoding/json"
	"time"
)

// Place is where a run's tools act (contract §3). The zero value is the runner: a local process.
type Place struct {
	Mode string `json:"mode"`
	Box  string `json:"box,omitempty"`
}

// PlaceRunner is the default place's mode; PlaceSandbox needs a box.
const (
	PlaceRunner  = "runner"
	PlaceSandbox = "sandbox"
)

// Definition is what an author writes of an agent (contract §3).
type Definition struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Description  string            `json:"description,omitempty"`
	Instructions string            `json:"instructions,omitempty"`
	Harness      string            `json:"harness,omitempty"`
	Model        string            `json:"model,omitempty"`
	Tools        []string          `json:"tools"`
	Effort       string            `json:"effort,omitempty"`
	MaxCostUSD   *USD              `json:"max_cost_usd,omitempty"`
	MaxSteps     int               `json:"max_steps,omitempty"`
	Place        *Place            `json:"place,omitempty"`
	Output       json.RawMessage   `json:"output,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	// Workflow is the document of an agent of kind workflow, as it was written; it stands in place of Instructions.
	Workflow json.RawMessage `json:"workflow,omitempty"`
}

// Kind is what runs of the definition are: KindAgent or KindWorkflow.
func (d Definition) Kind() string {
	if len(d.Workflow) > 0 {
		return KindWorkflow
	}
	return KindAgent
}

// Agent is a definition as the API shows it.
type Agent struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Kind       string     `json:"kind"`
	Revision   int64      `json:"revision"`
	HomeETag   string     `json:"home_etag"`
	Definition Definition `json:"definition"`
	Warnings   []Issue    `json:"warnings"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	ArchivedAt *time.Time `json:"archived_at"`
}

// Revision is one definition an agent had.
type Revision struct {
	AgentID    string     `json:"agent_id"`
	Revision   int64      `json:"revision"`
	Definition Definition `json:"definition"`
	CreatedAt  time.Time  `json:"created_at"`
}
