package faux

import (
	"encoding/json"
	"net/http"
)

// listing is what GET /faux/requests answers.
type listing struct {
	// Total counts every request, ByOutcome and ByRule those that are listed.
	Total     int64             `json:"total"`
	ByOutcome map[Outcome]int64 `json:"by_outcome"`
	ByRule    map[string]int64  `json:"by_rule"`
	// Repeated is what was answered whole more than once within one conversation: empty where everything was paid once.
	Repeated []Repeat `json:"repeated"`
	Requests []Record `json:"requests"`
}

// listRequests answers GET /faux/requests; ?conversation= and ?rule= narrow it.
func (g *Gateway) listRequests(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	answer := listing{ByOutcome: map[Outcome]int64{}, ByRule: map[string]int64{}, Requests: []Record{}}
	for _, record := range g.book.list() {
		answer.Total = max(answer.Total, record.N)
		if query.Has("conversation") && record.Conversation != query.Get("conversation") ||
			query.Has("rule") && record.Rule != query.Get("rule") {
			continue
		}
		answer.ByOutcome[record.Outcome]++
		if record.Rule != "" {
			answer.ByRule[record.Rule]++
		}
		answer.Requests = append(answer.Requests, record)
	}
	answer.Repeated = repeats(answer.Requests)
	body, err := json.Marshal(answer)
	if err != nil {
		writeError(w, Responses, http.StatusInternalServerError, &ErrorBody{Message: err.Error()}, "")
		return
	}
	writeJSON(w, body)
}

// reset answers POST /faux/reset.
func (g *Gateway) reset(w http.ResponseWriter, protocol Protocol) {
	if err := g.Reset(); err != nil {
		writeError(w, protocol, http.StatusInternalServerError, &ErrorBody{Message: err.Error()}, "")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// countTokens answers POST /v1/messages/count_tokens. It is no model request, and not recorded.
func (g *Gateway) countTokens(w http.ResponseWriter, r *http.Request) {
	body, status, err := g.readBody(w, r)
	if err != nil {
		writeError(w, Messages, status, &ErrorBody{Message: err.Error()}, "")
		return
	}
	if !validJSON(body) {
		writeError(w, Messages, http.StatusBadRequest, &ErrorBody{Message: notJSON}, "")
		return
	}
	counted := &wire{}
	counted.str(`{"input_tokens":`)
	counted.num(tokens(len(body)))
	counted.str(`}`)
	writeJSON(w, counted.buf)
}
