package faux

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// ServeHTTP answers a provider's request, or one of the gateway's own at /faux/.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	protocol := Responses
	switch {
	case path == "/chat/completions":
		protocol = Chat
	case strings.HasPrefix(path, "/messages"), r.Header.Get("Anthropic-Version") != "":
		protocol = Messages
	}
	if !g.mayCall(r) {
		writeError(w, protocol, http.StatusUnauthorized, nil, "")
		return
	}
	switch path {
	case "/responses", "/chat/completions", "/messages":
		if allow(w, r, protocol, http.MethodPost) {
			g.answer(w, r, protocol)
		}
	case "/messages/count_tokens":
		if allow(w, r, protocol, http.MethodPost) {
			g.countTokens(w, r)
		}
	case "/models":
		if allow(w, r, protocol, http.MethodGet) {
			g.listModels(w)
		}
	case "/faux/requests":
		if allow(w, r, protocol, http.MethodGet) {
			g.listRequests(w, r)
		}
	case "/faux/reset":
		if allow(w, r, protocol, http.MethodPost) {
			g.reset(w, protocol)
		}
	case "/":
		if allow(w, r, protocol, http.MethodGet, http.MethodHead) {
			writeJSON(w, []byte(`{"gateway":"faux","requests":"/faux/requests"}`))
		}
	default:
		id, ok := strings.CutPrefix(path, "/models/")
		if !ok || id == "" {
			writeError(w, protocol, http.StatusNotFound, &ErrorBody{
				Message: "the gateway has no " + excerpt(r.URL.Path, 200) + "; it serves /v1/responses, /v1/chat/completions, /v1/messages, /v1/models and /faux/requests",
			}, "")
			return
		}
		if allow(w, r, protocol, http.MethodGet) {
			g.oneModel(w, protocol, id)
		}
	}
}

// allow tells whether a request has one of the methods, and refuses it where not.
func allow(w http.ResponseWriter, r *http.Request, protocol Protocol, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	writeError(w, protocol, http.StatusMethodNotAllowed, nil, "")
	return false
}

// mayCall tells whether a request carries the key the gateway wants, if it wants one.
func (g *Gateway) mayCall(r *http.Request) bool {
	if g.options.RequireKey == "" {
		return true
	}
	given := r.Header.Get("X-Api-Key")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		given = bearer
	}
	want, got := sha256.Sum256([]byte(g.options.RequireKey)), sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
