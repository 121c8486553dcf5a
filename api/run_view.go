package api

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
)

// runView is a run as the contract shows it: its times are spelled the contract's way, and what can be missing is null.
type runView struct {
	run.Run
	Input      inputView           `json:"input"`
	Result     orNull[run.Result]  `json:"result"`
	Error      orNull[run.Failure] `json:"error"`
	Pending    orNull[run.Pending] `json:"pending"`
	Cost       costView            `json:"cost"`
	MaxCostUSD orNull[run.USD]     `json:"max_cost_usd"`
	Claim      claimView           `json:"claim"`
	CreatedAt  timestamp           `json:"created_at"`
	StartedAt  orNull[timestamp]   `json:"started_at"`
	EndedAt    orNull[timestamp]   `json:"ended_at"`
	ArchivedAt orNull[timestamp]   `json:"archived_at"`
}

// inputView is what a run was asked: an agent's content and files, or a document's own input object.
type inputView struct{ run.Input }

// MarshalJSON writes the one or the other.
func (v inputView) MarshalJSON() ([]byte, error) {
	if v.Object != nil {
		return v.Object, nil
	}
	data, err := json.Marshal(v.Input)
	if err != nil {
		return nil, fmt.Errorf("encode the input: %w", err)
	}
	return data, nil
}

// Schema describes both.
func (inputView) Schema(r huma.Registry) *huma.Schema {
	asked := r.Schema(reflect.TypeFor[run.Input](), true, "")
	return &huma.Schema{AnyOf: []*huma.Schema{asked, {Type: huma.TypeObject, Description: "a workflow's input"}}}
}

// costView is a run's money; usd is null once any part of it is unknown.
type costView struct {
	USD      orNull[run.USD] `json:"usd"`
	KnownUSD run.USD         `json:"known_usd"`
	HeldUSD  run.USD         `json:"held_usd"`
}

type claimView struct {
	Epoch  int64              `json:"epoch"`
	Holder orNull[run.Holder] `json:"holder"`
}

func viewRun(r run.Run) runView {
	if r.Labels == nil {
		r.Labels = map[string]string{}
	}
	return runView{
		Run: r, Input: inputView{r.Input}, Result: orNull[run.Result]{r.Result}, Error: orNull[run.Failure]{r.Error},
		Pending: orNull[run.Pending]{r.Pending}, Claim: claimView{r.Claim.Epoch, orNull[run.Holder]{r.Claim.Holder}},
		Cost:       costView{orNull[run.USD]{r.Cost.USD}, r.Cost.KnownUSD, r.Cost.HeldUSD},
		MaxCostUSD: orNull[run.USD]{r.MaxCostUSD},
		CreatedAt:  timestamp(r.CreatedAt), StartedAt: timeOrNull(r.StartedAt), EndedAt: timeOrNull(r.EndedAt),
		ArchivedAt: timeOrNull(r.ArchivedAt),
	}
}
