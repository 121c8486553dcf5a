package api

import (
	_ "embed"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
)

//go:embed signin.html
var signInHTML string

var signInTemplate = template.Must(template.New("sign-in").Parse(signInHTML))

// signInPage is what the page says beside its form.
type signInPage struct {
	// Next is where the browser goes once it is signed in.
	Next string
	// Fault says why the last attempt failed.
	Fault string
}

// pagePolicy lets the page load nothing from elsewhere, post nowhere else and be framed by nobody.
const pagePolicy = "default-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func showSignIn(w http.ResponseWriter, status int, page signInPage) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The client has gone where this fails; there is nobody left to tell.
	_ = signInTemplate.Execute(w, page)
}

// getSignIn shows the form.
func (s *Server) getSignIn(c *gin.Context) {
	showSignIn(c.Writer, http.StatusOK, signInPage{Next: localPath(c.Query("next"))})
}

// postSignIn takes the form.
func (s *Server) postSignIn(c *gin.Context) {
	// The form of another site's page must not sign a browser in.
	if s.crossOrigin.Check(c.Request) != nil {
		refuse(c, newProblem(codeCSRF, "the form came from another site"))
		return
	}
	const maxForm = 16 << 10
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxForm)
	next := localPath(c.PostForm("next"))
	if refusal := s.signIn(c, c.PostForm("token")); refusal != nil {
		maps.Copy(c.Writer.Header(), refusal.header)
		showSignIn(c.Writer, refusal.Status, signInPage{Next: next, Fault: refusal.Detail})
		return
	}
	if next == "" {
		next = s.home
	}
	c.Redirect(http.StatusSeeOther, next)
}

// frontDoor is "/": it signs a browser in that follows the link with the token, and takes the token out of the address.
func (s *Server) frontDoor(c *gin.Context) {
	c.Header("Cache-Control", "no-store")
	c.Header("Referrer-Policy", "no-referrer")
	token, given := c.GetQuery("token")
	switch {
	case given:
		if refusal := s.signIn(c, token); refusal != nil {
			maps.Copy(c.Writer.Header(), refusal.header)
			showSignIn(c.Writer, refusal.Status, signInPage{Fault: refusal.Detail})
			return
		}
		c.Redirect(http.StatusSeeOther, s.home)
	case caller(c) != "":
		c.Redirect(http.StatusSeeOther, s.home)
	default:
		c.Redirect(http.StatusSeeOther, "/sign-in")
	}
}

// signIn begins a session for whoever knows the token, and sets its cookies.
func (s *Server) signIn(c *gin.Context, token string) *Problem {
	_, cookies, refusal := s.beginSession(c.Request, token)
	for _, cookie := range cookies {
		http.SetCookie(c.Writer, cookie)
	}
	return refusal
}

// beginSession checks a sign-in attempt. Attempts of one address are limited, right ones included.
func (s *Server) beginSession(r *http.Request, token string) (session, []*http.Cookie, *Problem) {
	address := remoteHost(r)
	if wait := s.attempts.wait(address); wait > 0 {
		problem := newProblem(codeRateLimited, "too many failed sign-ins; wait "+
			strconv.Itoa(1+int(wait.Seconds()))+" seconds")
		problem.retryAfter(wait)
		return session{}, nil, problem
	}
	if !s.token.matches(strings.TrimSpace(token)) {
		s.attempts.failed(address)
		s.logAuthFailed(r, "wrong")
		return session{}, nil, unauthenticated("wrong")
	}
	held, cookies := s.sessions.begin(r)
	return held, cookies, nil
}

// localPath is a path of this server, or "" for anything that leads elsewhere.
func localPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return ""
	}
	return path
}
