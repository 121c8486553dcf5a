package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
)

// Capabilities is what a server has (contract §3). Its lists are what a definition may name.
type Capabilities struct {
	Version   string          `json:"version"`
	Harnesses []Harness       `json:"harnesses"`
	Models    ModelSource     `json:"models"`
	Tools     []Tool          `json:"tools"`
	Places    []PlaceOffer    `json:"places"`
	Features  map[string]bool `json:"features"`
	Limits    ServerLimits    `json:"limits"`
}

// Harness is a harness the server knows.
type Harness struct {
	ID               string   `json:"id"`
	Available        bool     `json:"available"`
	Reason           string   `json:"reason,omitempty"`
	SupportedRunners []string `json:"supported_runners"`
	DefaultRunner    string   `json:"default_runner"`
	// Warning says what is not as it was tried with this build; Program and Version are its program's.
	Warning string `json:"warning,omitempty"`
	Program string `json:"program,omitempty"`
	Version string `json:"version,omitempty"`
	// Confined says that the program reaches no network but the server's own proxy; ConfinedReason why it does.
	Confined       *bool  `json:"confined,omitempty"`
	ConfinedReason string `json:"confined_reason,omitempty"`
	// ModelAPIs are the model protocols it takes.
	ModelAPIs []string `json:"model_apis"`
}

// ModelSource is where the server's models come from, its default one and how many there are.
type ModelSource struct {
	Source  string `json:"source"`
	Default string `json:"default"`
	Count   int    `json:"count"`
}

// Tool is a tool the server knows. Missing names the keys it needs and lacks; Places is where it acts.
type Tool struct {
	Name      string     `json:"name"`
	Available bool       `json:"available"`
	Missing   []string   `json:"missing"`
	Harnesses []string   `json:"harnesses"`
	Replay    run.Replay `json:"replay"`
	Places    []string   `json:"places"`
}

// PlaceOffer is a place the server knows.
type PlaceOffer struct {
	Mode      string `json:"mode"`
	Box       string `json:"box,omitempty"`
	Available bool   `json:"available"`
	Reason    string `json:"reason,omitempty"`
}

// ServerLimits are the bounds a caller meets.
type ServerLimits struct {
	MaxConcurrentRuns int `json:"max_concurrent_runs"`
	Limits
}

type capabilitiesOutput struct{ Body Capabilities }

func (s *Server) capabilityRoutes() {
	register(s, huma.Operation{
		OperationID: "getCapabilities", Method: http.MethodGet, Path: "/v2/capabilities", Tags: []string{"server"},
		Summary: "What the server has", Security: openSecurity,
	}, func(context.Context, *struct{}) (*capabilitiesOutput, error) {
		return &capabilitiesOutput{Body: s.capabilities()}, nil
	})
}

// capabilities is what the server has, with the limits that are this package's own and no list left null.
func (s *Server) capabilities() Capabilities {
	c := s.offers()
	c.Limits.Limits = s.limits
	c.Harnesses = append([]Harness{}, c.Harnesses...)
	for i := range c.Harnesses {
		c.Harnesses[i].SupportedRunners = append([]string{}, c.Harnesses[i].SupportedRunners...)
		c.Harnesses[i].ModelAPIs = append([]string{}, c.Harnesses[i].ModelAPIs...)
	}
	c.Tools = append([]Tool{}, c.Tools...)
	for i := range c.Tools {
		c.Tools[i].Missing = append([]string{}, c.Tools[i].Missing...)
		c.Tools[i].Harnesses = append([]string{}, c.Tools[i].Harnesses...)
		c.Tools[i].Places = append([]string{}, c.Tools[i].Places...)
	}
	c.Places = append([]PlaceOffer{}, c.Places...)
	if c.Features == nil {
		c.Features = map[string]bool{}
	}
	return c
}

// known is what a definition may name here.
func (s *Server) known() run.Known {
	c := s.offers()
	known := run.Known{
		Harnesses: map[string]run.Offer{}, Tools: map[string]run.ToolOffer{}, Boxes: map[string]run.Offer{},
		Model: func(id string) (run.Offer, bool) {
			_, offer, ok := s.models.Model(id)
			return offer, ok
		},
		Schema: compileSchema,
		OnHarness: func(harness, id string) string {
			_, why := s.modelOn(c.Harnesses, harness, id)
			return why
		},
	}
	for _, h := range c.Harnesses {
		known.Harnesses[h.ID] = run.Offer{Available: h.Available, Reason: h.Reason}
	}
	for _, t := range c.Tools {
		known.Tools[t.Name] = t.offer()
	}
	for _, p := range c.Places {
		if p.Mode == run.PlaceSandbox {
			known.Boxes[p.Box] = run.Offer{Available: p.Available, Reason: p.Reason}
		}
	}
	return known
}

func (t Tool) offer() run.ToolOffer {
	offer := run.ToolOffer{
		Offer: run.Offer{Available: t.Available}, Harnesses: t.Harnesses,
		SandboxOnly: len(t.Places) > 0 && !slices.Contains(t.Places, run.PlaceRunner),
	}
	if !t.Available {
		offer.Reason = "it needs " + strings.Join(t.Missing, ", ")
	}
	return offer
}
