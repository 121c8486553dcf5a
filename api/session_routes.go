package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// sessionView is a signed-in browser, as it may know of itself.
type sessionView struct {
	CSRFToken string    `json:"csrf_token" doc:"Send it as X-CSRF-Token with every request that changes something."`
	ExpiresAt timestamp `json:"expires_at"`
}

type sessionOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      sessionView
}

func (s *Server) sessionRoutes() {
	register(s, huma.Operation{
		OperationID: "signIn", Method: http.MethodPost, Path: "/v2/session", Tags: []string{"session"},
		Summary: "Sign a browser in", DefaultStatus: http.StatusCreated, Security: openSecurity,
		Description: "Takes the token and sets a session cookie that stands for it. Failed attempts are limited.",
	}, s.postSession)
	register(s, huma.Operation{
		OperationID: "getSession", Method: http.MethodGet, Path: "/v2/session", Tags: []string{"session"},
		Summary: "The browser's session",
	}, s.getSession)
	register(s, huma.Operation{
		OperationID: "signOut", Method: http.MethodDelete, Path: "/v2/session", Tags: []string{"session"},
		Summary: "Sign the browser out", DefaultStatus: http.StatusNoContent,
	}, s.deleteSession)
}

type signInInput struct {
	request
	Body struct {
		_     struct{} `additionalProperties:"false"`
		Token string   `json:"token" minLength:"1" maxLength:"512"`
	}
}

func (s *Server) postSession(_ context.Context, in *signInInput) (*sessionOutput, error) {
	held, cookies, refusal := s.beginSession(in.http(), in.Body.Token)
	if refusal != nil {
		return nil, refusal
	}
	return &sessionOutput{SetCookie: values(cookies), Body: viewSession(held)}, nil
}

func (s *Server) getSession(_ context.Context, in *struct{ request }) (*sessionOutput, error) {
	held, ok := s.sessions.find(in.http())
	if !ok {
		return nil, unauthenticated("missing")
	}
	return &sessionOutput{Body: viewSession(held)}, nil
}

type signedOut struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
}

func (s *Server) deleteSession(_ context.Context, in *struct{ request }) (*signedOut, error) {
	held, ok := s.sessions.find(in.http())
	if !ok {
		return nil, unauthenticated("missing")
	}
	if s.forged(in.http(), held) {
		return nil, newProblem(codeCSRF, "signing out needs X-CSRF-Token")
	}
	return &signedOut{SetCookie: values(s.sessions.end(in.http()))}, nil
}

func viewSession(held session) sessionView {
	return sessionView{CSRFToken: held.csrf, ExpiresAt: timestamp(held.expires)}
}

func values(cookies []*http.Cookie) []http.Cookie {
	list := make([]http.Cookie, len(cookies))
	for i, cookie := range cookies {
		list[i] = *cookie
	}
	return list
}
