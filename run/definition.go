package run

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of a definition. Lengths are characters, MaxOutputSchema and MaxWorkflow are bytes.
const (
	MaxName         = 200
	MaxDescription  = 4_000
	MaxInstructions = 400_000
	MaxTools        = 64
	MaxSteps        = 10_000
	MaxOutputSchema = 64 << 10
	MaxWorkflow     = 8 << 20
	maxToolName     = 100
	maxModelName    = 200
)

// DefaultHarness drives agents whose definition names none.
const DefaultHarness = "pi"

var (
	slug      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	modelName = regexp.MustCompile(`^[^/\s]+/\S+$`)
)

// Efforts lists what an effort can be, from the least to the most thinking.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// ValidSlug tells whether id can be an agent's id.
func ValidSlug(id string) bool { return slug.MatchString(id) }

// HarnessID is the harness that drives the agent.
func (d Definition) HarnessID() string {
	if d.Harness == "" {
		return DefaultHarness
	}
	return d.Harness
}

// PlaceOrDefault is where the agent's tools act.
func (d Definition) PlaceOrDefault() Place {
	if d.Place == nil {
		return Place{Mode: PlaceRunner}
	}
	return *d.Place
}

// DecodeDefinition reads an agent's definition strictly and whole: every fault is an Issue at its path, which starts
// with "definition". What it names (tools, a model, a box) is not looked up here: that is Check.
func DecodeDefinition(data []byte) (Definition, []Issue) {
	const root = "definition"
	var r reader
	d := Definition{Tools: []string{}}
	if !json.Valid(data) {
		r.fault(root, "malformed_json", "is not JSON")
		return d, r.issues
	}
	seen := map[string]bool{}
	for _, m := range r.members(root, data) {
		seen[m.name] = true
		if read := definitionFields[m.name]; read != nil {
			read(&r, &d, m)
			continue
		}
		r.fault(m.path, "unknown_field", "is not a field of a definition")
	}
	if !seen["workflow"] {
		r.require(seen, root, "id", "name", "instructions")
	} else {
		r.require(seen, root, "id", "name")
		for _, field := range []string{"instructions", "output"} {
			if seen[field] {
				r.fault(root+"."+field, "excluded", "stands in the workflow: its nodes and its output schema say it")
			}
		}
	}
	return d, r.issues
}

// definitionFields reads each field of a definition into its place. An optional field that is null is left out.
var definitionFields = map[string]func(*reader, *Definition, member){
	"id": func(r *reader, d *Definition, m member) {
		if d.ID = r.text(m, 64); d.ID != "" && !ValidSlug(d.ID) {
			r.fault(m.path, "invalid_format", "must be lower-case letters, digits and hyphens, not starting with a hyphen")
		}
	},
	"name": func(r *reader, d *Definition, m member) { d.Name = r.line(m, MaxName) },
	"description": func(r *reader, d *Definition, m member) {
		if !m.null() {
			d.Description = r.optionalText(m, MaxDescription)
		}
	},
	"instructions": func(r *reader, d *Definition, m member) { d.Instructions = r.text(m, MaxInstructions) },
	"harness": func(r *reader, d *Definition, m member) {
		if !m.null() {
			d.Harness = r.line(m, 64)
		}
	},
	"model": func(r *reader, d *Definition, m member) {
		if m.null() {
			return
		}
		if d.Model = r.line(m, maxModelName); d.Model != "" && !modelName.MatchString(d.Model) {
			r.fault(m.path, "invalid_format", `must be "provider/model"`)
		}
	},
	"tools": func(r *reader, d *Definition, m member) { d.Tools = r.toolNames(m) },
	"effort": func(r *reader, d *Definition, m member) {
		if m.null() {
			return
		}
		if d.Effort = r.line(m, 64); d.Effort != "" && !slices.Contains(Efforts(), d.Effort) {
			r.fault(m.path, "not_one_of", "must be one of "+strings.Join(Efforts(), ", "))
		}
	},
	"max_cost_usd": func(r *reader, d *Definition, m member) {
		if !m.null() {
			d.MaxCostUSD = r.amount(m)
		}
	},
	"max_steps": func(r *reader, d *Definition, m member) {
		if !m.null() {
			d.MaxSteps = r.count(m, 1, MaxSteps)
		}
	},
	"place": func(r *reader, d *Definition, m member) {
		if !m.null() {
			d.Place = r.place(m)
		}
	},
	"output": func(r *reader, d *Definition, m member) {
		if !m.null() {
			d.Output = r.schema(m)
		}
	},
	"labels": func(r *reader, d *Definition, m member) {
		if !m.null() {
			d.Labels = r.labels(m)
		}
	},
	"workflow": func(r *reader, d *Definition, m member) { d.Workflow = r.workflow(m) },
}

// toolNames reads the tools: names, each once.
func (r *reader) toolNames(m member) []string {
	names := []string{}
	items, ok := r.items(m, MaxTools)
	if !ok {
		return names
	}
	for _, item := range items {
		name := r.line(item, maxToolName)
		if name == "" {
			continue
		}
		if slices.Contains(names, name) {
			r.fault(item.path, "duplicate_item", fmt.Sprintf("names %q a second time", name))
			continue
		}
		names = append(names, name)
	}
	return names
}

// place reads a place: a runner has no box, a sandbox needs one.
func (r *reader) place(m member) *Place {
	var place Place
	if m.data[0] != '{' {
		r.fault(m.path, "wrong_type", "must be an object")
		return nil
	}
	seen := map[string]bool{}
	for _, field := range r.members(m.path, m.data) {
		seen[field.name] = true
		switch field.name {
		case "mode":
			place.Mode = r.line(field, 64)
			if place.Mode != "" && place.Mode != PlaceRunner && place.Mode != PlaceSandbox {
				r.fault(field.path, "not_one_of", "must be runner or sandbox")
			}
		case "box":
			place.Box = r.line(field, 64)
		default:
			r.fault(field.path, "unknown_field", "is not a field of a place")
		}
	}
	r.require(seen, m.path, "mode")
	switch {
	case place.Mode == PlaceRunner && seen["box"]:
		r.fault(m.path+".box", "unknown_field", "belongs to a sandbox; a runner has none")
	case place.Mode == PlaceSandbox && !seen["box"]:
		r.fault(m.path+".box", "required", "is required for a sandbox")
	}
	return &place
}

// schema reads the output schema; whether it compiles is Known.Schema's answer.
func (r *reader) schema(m member) json.RawMessage {
	if len(m.data) > MaxOutputSchema {
		r.fault(m.path, "too_long", fmt.Sprintf("must be at most %d bytes", MaxOutputSchema))
		return nil
	}
	if m.data[0] != '{' {
		r.fault(m.path, "wrong_type", "must be a JSON Schema, an object")
		return nil
	}
	return slices.Clone(m.data)
}
