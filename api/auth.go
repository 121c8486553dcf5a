package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// openRoutes need no credential. The session routes are where one is got or shown.
var openRoutes = map[string]bool{
	"/v2/health":       true,
	"/v2/capabilities": true,
	"/v2/openapi.json": true,
	"/v2/session":      true,
	"/sign-in":         true,
}

// How a request showed who it is.
const (
	byToken   = "token"
	bySession = "session"
)

const callerKey = "agentrun.caller"

// caller is how the request was let in: byToken, bySession or "" (an open route).
func caller(c *gin.Context) string { return c.GetString(callerKey) }

// credential is a token kept as its digest, so that comparing takes the same time whatever is given.
type credential [sha256.Size]byte

func newCredential(token string) credential { return sha256.Sum256([]byte(token)) }

func (k credential) matches(token string) bool {
	given := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(k[:], given[:]) == 1
}

// authenticate lets in who shows the token or a session, and everybody to the open routes.
func (s *Server) authenticate(c *gin.Context) {
	path := c.Request.URL.Path
	if openRoutes[path] {
		c.Next()
		return
	}
	if header := c.GetHeader("Authorization"); header != "" {
		s.authenticateToken(c, header)
		return
	}
	held, ok := s.sessions.find(c.Request)
	switch {
	case ok && s.forged(c.Request, held):
		refuse(c, newProblem(codeCSRF, "a request of a signed-in browser that changes something needs X-CSRF-Token"))
	case ok:
		c.Set(callerKey, bySession)
		c.Next()
	case path == "/":
		c.Next() // the front door signs in, or shows where to
	default:
		s.turnAway(c, "missing")
	}
}

func (s *Server) authenticateToken(c *gin.Context, header string) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	switch {
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		s.turnAway(c, "malformed")
	case !s.token.matches(token):
		s.turnAway(c, "wrong")
	default:
		c.Set(callerKey, byToken)
		c.Next()
	}
}

// forged tells whether a session's request may come from another site's page. A mounted UI checks its own forms.
func (s *Server) forged(r *http.Request, held session) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	if s.mounted(r.URL.Path) {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(held.csrf), []byte(r.Header.Get("X-CSRF-Token"))) != 1
}

// turnAway answers a request without a valid credential and logs why, never what was given. A browser that wants a
// mounted page gets the sign-in page.
func (s *Server) turnAway(c *gin.Context, reason string) {
	s.logAuthFailed(c.Request, reason)
	c.Header("WWW-Authenticate", `Bearer realm="agentrun"`)
	if s.mounted(c.Request.URL.Path) && wantsPage(c.Request) {
		showSignIn(c.Writer, http.StatusUnauthorized, signInPage{Next: c.Request.URL.RequestURI()})
		c.Abort()
		return
	}
	refuse(c, unauthenticated(reason))
}

func (s *Server) logAuthFailed(r *http.Request, reason string) {
	s.log.WarnContext(r.Context(), "auth failed", "event", "auth_failed", "reason", reason, "method", r.Method,
		"path", r.URL.Path, "remote", remoteHost(r), "request_id", requestID(r.Context()))
}

func unauthenticated(reason string) *Problem {
	problem := newProblem(codeUnauthenticated, map[string]string{
		"missing":   "no credential: send Authorization: Bearer <token>; the token is in the data directory's .token",
		"malformed": "the Authorization header is not: Bearer <token>",
		"wrong":     "the token is not this server's",
	}[reason])
	problem.Details["reason"] = reason
	return problem
}

func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}
