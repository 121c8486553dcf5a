package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Offer says whether something the server knows can be used here. Reason says why it cannot, in words for a person.
type Offer struct {
	Available bool
	Reason    string
}

// ToolOffer is a tool the server knows. SandboxOnly tools act in a box and nowhere else.
type ToolOffer struct {
	Offer
	Harnesses   []string
	SandboxOnly bool
}

// Known is what a server knows and has: what a definition may name. Model answers for "provider/model" or "" (the
// host's default) whether it is known; Schema says why a JSON Schema does not compile (nil: it is not looked
// at).
type Known struct {
	Harnesses map[string]Offer
	Tools     map[string]ToolOffer
	Boxes     map[string]Offer
	Model     func(id string) (Offer, bool)
	// OnHarness says why a harness cannot be answered by a known model, "" where it can (nil: every one can).
	OnHarness func(harness, model string) string
	Schema    func(json.RawMessage) error
}

// Check holds a decoded definition against what the server knows. Issues are faults: such a definition is not saved.
// Warnings are things that are right but not available here: it is saved, but cannot run.
func (d Definition) Check(known Known) (issues, warnings []Issue) {
	c := checker{known: known}
	c.harness(d)
	c.model(d)
	c.place(d)
	for i, name := range d.Tools {
		c.tool(d, ToolPath(i), name)
	}
	c.workflow(d)
	if len(d.Output) > 0 && known.Schema != nil {
		if err := known.Schema(d.Output); err != nil {
			c.issues.fault("definition.output", "invalid_schema", "is not a JSON Schema: "+err.Error())
		}
	}
	return c.issues.issues, c.warnings.issues
}

// ToolPath is the path of a definition's i-th tool.
func ToolPath(i int) string { return fmt.Sprintf("definition.tools[%d]", i) }

type checker struct {
	known            Known
	issues, warnings reader
}

func (c *checker) harness(d Definition) {
	const path = "definition.harness"
	offer, ok := c.known.Harnesses[d.HarnessID()]
	switch {
	case !ok:
		c.issues.fault(path, "unknown_harness", fmt.Sprintf("there is no harness %q; known: %s", d.HarnessID(),
			names(c.known.Harnesses)))
	case !offer.Available:
		c.warnings.fault(path, "harness_unavailable", fmt.Sprintf("harness %q is not available here: %s", d.HarnessID(),
			offer.Reason))
	}
}

func (c *checker) model(d Definition) {
	const path = "definition.model"
	offer, ok := c.known.Model(d.Model)
	switch {
	case !ok && d.Model == "":
		c.warnings.fault(path, "model_unavailable", "no model is named and this server has no default one")
	case !ok:
		c.issues.fault(path, "unknown_model", fmt.Sprintf("there is no model %q", d.Model))
	case !offer.Available:
		c.warnings.fault(path, "model_unavailable", fmt.Sprintf("model %q is not available here: %s", d.Model, offer.Reason))
	}
	if ok && c.known.OnHarness != nil && c.knowsHarness(d) {
		if why := c.known.OnHarness(d.HarnessID(), d.Model); why != "" {
			c.issues.fault(path, "model_not_on_harness", why)
		}
	}
}

func (c *checker) place(d Definition) {
	place := d.PlaceOrDefault()
	if place.Mode != PlaceSandbox {
		return
	}
	offer, ok := c.known.Boxes[place.Box]
	switch {
	case !ok:
		c.issues.fault("definition.place.box", "unknown_box", fmt.Sprintf("there is no box %q; known: %s", place.Box,
			names(c.known.Boxes)))
	case !offer.Available:
		c.warnings.fault("definition.place", "place_unavailable", fmt.Sprintf("box %q is not available here: %s", place.Box,
			offer.Reason))
	}
}

func (c *checker) tool(d Definition, path, name string) {
	offer, ok := c.known.Tools[name]
	switch {
	case !ok:
		c.issues.fault(path, "unknown_tool", fmt.Sprintf("there is no tool %q; known: %s", name, names(c.known.Tools)))
	case offer.SandboxOnly && d.PlaceOrDefault().Mode != PlaceSandbox:
		c.issues.fault(path, "tool_not_on_place", fmt.Sprintf("tool %q acts in a sandbox only; the agent's place is a runner",
			name))
	case len(offer.Harnesses) > 0 && c.knowsHarness(d) && !slices.Contains(offer.Harnesses, d.HarnessID()):
		c.issues.fault(path, "tool_not_on_harness", fmt.Sprintf("tool %q is not bound on harness %q", name, d.HarnessID()))
	case !offer.Available:
		c.warnings.fault(path, "tool_unavailable", fmt.Sprintf("tool %q is not available here: %s", name, offer.Reason))
	}
}

// knowsHarness: with an unknown harness there is one fault, not one for each tool as well.
func (c *checker) knowsHarness(d Definition) bool {
	_, ok := c.known.Harnesses[d.HarnessID()]
	return ok
}

// names lists what there is, for a message.
func names[V any](offers map[string]V) string {
	list := make([]string, 0, len(offers))
	for name := range offers {
		list = append(list, name)
	}
	if len(list) == 0 {
		return "none"
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
