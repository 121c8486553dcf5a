package faux

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/agentrun/agentrun/run"
)

// provider is the name of the gateway among providers.
const provider = "faux"

// catalogue turns a script's models into the product's.
func catalogue(models []Model) []run.Model {
	made := make([]run.Model, 0, len(models))
	for _, model := range models {
		one := run.Model{
			ID:            provider + "/" + model.ID,
			Name:          model.ID,
			Provider:      provider,
			API:           cmp.Or(model.API, string(Responses)),
			ContextWindow: model.ContextWindow,
			MaxOutput:     model.MaxOutput,
			NoOutputLimit: model.NoOutputLimit,
			MinOutput:     model.MinOutput,
			Reasoning:     model.Reasoning,
			Efforts:       model.Efforts,
			Source:        "script",
		}
		if model.Prices != nil {
			one.Price = &run.Price{
				Input:      run.PerMillion(model.Prices.Input),
				CacheRead:  run.PerMillion(model.Prices.CacheRead),
				CacheWrite: run.PerMillion(model.Prices.CacheWrite),
				Output:     run.PerMillion(model.Prices.Output),
			}
		}
		made = append(made, one)
	}
	return made
}

// listModels answers GET /v1/models, in a shape that clients of both providers read.
func (g *Gateway) listModels(w http.ResponseWriter) {
	body := []byte(`{"object":"list","has_more":false,"data":[`)
	for i, model := range g.program.models {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendModel(body, model)
	}
	body = append(body, `],"first_id":`...)
	body = appendString(body, g.program.models[0].ID)
	body = append(body, `,"last_id":`...)
	body = appendString(body, g.program.models[len(g.program.models)-1].ID)
	writeJSON(w, append(body, '}'))
}

// oneModel answers GET /v1/models/{id}.
func (g *Gateway) oneModel(w http.ResponseWriter, protocol Protocol, id string) {
	model, ok := g.lists(id)
	if !ok {
		writeError(w, protocol, http.StatusNotFound, noModel(id), "model")
		return
	}
	writeJSON(w, appendModel(nil, model))
}

func noModel(id string) *ErrorBody {
	return &ErrorBody{Code: "model_not_found", Message: "the script lists no model " + quoted(id)}
}

func appendModel(dst []byte, model Model) []byte {
	dst = append(dst, `{"id":`...)
	dst = appendString(dst, model.ID)
	dst = append(dst, `,"object":"model","type":"model","created":0,"created_at":"1970-01-01T00:00:00Z","owned_by":"faux","display_name":`...)
	dst = appendString(dst, model.ID)
	dst = append(dst, `,"max_input_tokens":`...)
	dst = strconv.AppendInt(dst, model.ContextWindow, 10)
	dst = append(dst, `,"max_tokens":`...)
	dst = strconv.AppendInt(dst, model.MaxOutput, 10)
	return append(dst, '}')
}

// takesLimit tells whether a request's output limit holds for a model.
func (g *Gateway) takesLimit(name string) bool {
	model, ok := g.lists(name)
	return !ok || !model.NoOutputLimit
}

func writeJSON(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", typeJSON)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that is gone learns nothing
}
