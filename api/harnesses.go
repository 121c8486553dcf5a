package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/run"
)

func (s *Server) harnessRoutes() {
	tags := []string{"harnesses"}
	register(s, huma.Operation{
		OperationID: "listHarnesses", Method: http.MethodGet, Path: "/v2/harnesses", Tags: tags,
		Summary: "The harnesses that may run agents", Description: "Each with what it lacks here, its version, and where it runs.",
	}, s.listHarnesses)
	register(s, huma.Operation{
		OperationID: "getHarness", Method: http.MethodGet, Path: "/v2/harnesses/{id}", Tags: tags,
		Summary: "One harness", Description: "With refresh=true its program is looked at anew.",
	}, s.getHarness)
	register(s, huma.Operation{
		OperationID: "listHarnessModels", Method: http.MethodGet, Path: "/v2/harnesses/{id}/models", Tags: tags,
		Summary: "The models that a harness can be answered by",
		Description: "The server's catalogue, as far as it is reached in a protocol that the harness takes. It is read at the " +
			"server's start; refresh=true looks at the harness's program and the models' keys anew.",
	}, s.listHarnessModels)
	register(s, huma.Operation{
		OperationID: "testHarness", Method: http.MethodPost, Path: "/v2/harnesses/{id}/test", Tags: tags,
		Summary: "Try a harness",
		Description: "quick looks at the program, its version, its protocol and the model's key, and sends nothing; live has the " +
			"harness make one smallest request under a cap. It runs in a private folder and certifies its own clean-up: one " +
			"that is not certain fails and names what is kept.",
	}, s.testHarness)
}

type harnessInput struct {
	ID      string `path:"id"`
	Refresh bool   `query:"refresh"`
}

type harnessList struct {
	Data       []Harness `json:"data"`
	NextCursor *string   `json:"next_cursor"`
}

func (s *Server) listHarnesses(context.Context, *struct{}) (*answered[harnessList], error) {
	return &answered[harnessList]{harnessList{Data: s.capabilities().Harnesses}}, nil
}

func (s *Server) getHarness(_ context.Context, in *harnessInput) (*answered[Harness], error) {
	harness, err := s.harness(in)
	if err != nil {
		return nil, err
	}
	return &answered[Harness]{harness}, nil
}

// harness is the one a request names, looked at anew where it asks for that.
func (s *Server) harness(in *harnessInput) (Harness, error) {
	if in.Refresh && s.tries != nil {
		s.tries.Forget("")
	}
	for _, harness := range s.capabilities().Harnesses {
		if harness.ID == in.ID {
			return harness, nil
		}
	}
	return Harness{}, run.Errorf(run.ErrNotFound, "there is no harness %q", in.ID).With("harness", in.ID)
}

type modelList struct {
	Data       []modelView `json:"data"`
	NextCursor *string     `json:"next_cursor"`
}

// modelView is a model of the catalogue.
type modelView struct {
	ID            string     `json:"id"`
	Available     bool       `json:"available"`
	Reason        string     `json:"reason,omitempty"`
	API           string     `json:"api"`
	ContextWindow int64      `json:"context_window"`
	MaxOutput     int64      `json:"max_output"`
	Reasoning     bool       `json:"reasoning"`
	Efforts       []string   `json:"efforts"`
	Price         *priceView `json:"price_per_million_usd"`
	Source        string     `json:"source,omitempty"`
}

// priceView is USD per million tokens.
type priceView struct {
	Input      run.USD `json:"input"`
	CacheRead  run.USD `json:"cache_read"`
	CacheWrite run.USD `json:"cache_write"`
	Output     run.USD `json:"output"`
}

const million = 1_000_000

func (s *Server) listHarnessModels(_ context.Context, in *harnessInput) (*answered[modelList], error) {
	harness, err := s.harness(in)
	if err != nil {
		return nil, err
	}
	list := modelList{Data: []modelView{}}
	for _, listed := range s.models.List() {
		model, why := s.modelOn([]Harness{harness}, harness.ID, listed.ID)
		if why != "" {
			continue
		}
		_, offer, _ := s.models.Model(listed.ID)
		view := modelView{
			ID: model.ID, Available: offer.Available, Reason: offer.Reason, API: model.API, ContextWindow: model.ContextWindow,
			MaxOutput: model.MaxOutput, Reasoning: model.Reasoning, Efforts: append([]string{}, model.Efforts...), Source: model.Source,
		}
		if p := model.Price; p != nil {
			view.Price = &priceView{
				Input: p.Input.Times(million), CacheRead: p.CacheRead.Times(million), CacheWrite: p.CacheWrite.Times(million),
				Output: p.Output.Times(million),
			}
		}
		list.Data = append(list.Data, view)
	}
	return &answered[modelList]{list}, nil
}

type testHarnessInput struct {
	ID   string `path:"id"`
	Body testHarnessBody
}

// testHarnessBody says what to try a harness with.
type testHarnessBody struct {
	_       struct{} `additionalProperties:"false"`
	Account string   `json:"account,omitempty" doc:"An account of the harness; this server keeps none."`
	Model   string   `json:"model,omitempty" doc:"provider/model; the server's default where it is left out."`
	Probe   string   `json:"probe" enum:"quick,live"`
}

// testView is what a test found.
type testView struct {
	Status   string      `json:"status" enum:"pass,warn,fail"`
	Checks   []checkView `json:"checks"`
	TestedAt time.Time   `json:"tested_at"`
	CostUSD  *run.USD    `json:"cost_usd,omitempty"`
}

type checkView struct {
	Code    string `json:"code"`
	Status  string `json:"status" enum:"pass,warn,fail"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (s *Server) testHarness(ctx context.Context, in *testHarnessInput) (*answered[testView], error) {
	harness, err := s.harness(&harnessInput{ID: in.ID})
	if err != nil {
		return nil, err
	}
	if s.tries == nil {
		return nil, run.Errorf(run.ErrUnavailable, "this server tries no harnesses")
	}
	if in.Body.Account != "" {
		return nil, invalid([]run.Issue{{
			Path: "account", Code: "unknown_account", Message: "this server keeps no accounts: leave it out",
		}})
	}
	model, offer, known := s.models.Model(in.Body.Model)
	if !known && in.Body.Model != "" {
		return nil, invalid([]run.Issue{{
			Path: "model", Code: "unknown_model", Message: "there is no model " + in.Body.Model,
		}})
	}
	lacks := offer.Reason
	if !known {
		lacks = "no model is named and this server has no default one"
	} else if on, why := s.modelOn([]Harness{harness}, harness.ID, in.Body.Model); why != "" {
		lacks = why
	} else {
		model = on
	}
	report, err := s.tries.Probe(ctx, in.ID, model, lacks, in.Body.Probe == "live")
	if err != nil {
		return nil, err
	}
	if !harness.Available && report.Status != harnesses.Fail {
		s.tries.Forget(in.ID) // it is better than what is remembered of it
	}
	return &answered[testView]{testViewOf(report)}, nil
}

func testViewOf(report harnesses.Report) testView {
	view := testView{
		Status: report.Status, Checks: make([]checkView, 0, len(report.Checks)), TestedAt: report.TestedAt, CostUSD: report.CostUSD,
	}
	for _, check := range report.Checks {
		view.Checks = append(view.Checks, checkView(check))
	}
	return view
}
