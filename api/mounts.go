package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// Mount is a handler under the server's own address, behind the token or a signed-in session. It checks its own forms
// against forgery, never sees the credential, and may set a Content-Security-Policy in place of the strict one.
type Mount struct {
	// Prefix is where it is, "/temporal"; the handler sees the whole path.
	Prefix  string
	Handler http.Handler
}

const mountPolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'self'"

// mounted tells whether a path belongs to a mount.
func (s *Server) mounted(path string) bool {
	for _, m := range s.mounts {
		if path == m.Prefix || strings.HasPrefix(path, m.Prefix+"/") {
			return true
		}
	}
	return false
}

func (s *Server) mount() error {
	for _, m := range s.mounts {
		if !strings.HasPrefix(m.Prefix, "/") || strings.HasSuffix(m.Prefix, "/") || m.Prefix == "/v2" || m.Handler == nil {
			return fmt.Errorf("api: %q cannot be mounted", m.Prefix)
		}
		s.router.GET(m.Prefix, func(c *gin.Context) { c.Redirect(http.StatusTemporaryRedirect, m.Prefix+"/") })
		s.router.Any(m.Prefix+"/*rest", func(c *gin.Context) {
			c.Header("Content-Security-Policy", mountPolicy)
			c.Header("X-Content-Type-Options", "nosniff")
			c.Request.Header.Del("Authorization")
			s.sessions.conceal(c.Request)
			m.Handler.ServeHTTP(c.Writer, c.Request)
		})
	}
	return nil
}

// conceal takes the session's cookies out of a request.
func (s *sessions) conceal(r *http.Request) {
	cookies := r.Cookies()
	r.Header.Del("Cookie")
	for _, cookie := range cookies {
		if cookie.Name != s.cookie && cookie.Name != s.csrfCookie {
			r.AddCookie(cookie)
		}
	}
}
