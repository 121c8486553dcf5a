package api

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// hostGuard refuses, on a loopback bind, every Host that is not a name of this machine or of the server: a page that
// points its own name at 127.0.0.1 must not reach the API through its visitor's browser. It comes before the credential
// and holds for the open routes too.
func (s *Server) hostGuard(c *gin.Context) {
	if s.loopback && !slices.Contains(s.hosts, hostName(c.Request.Host)) {
		refuse(c, newProblem(codeHostNotAllowed,
			"this Host is not served here; on a loopback address use localhost, or start the server with --allow-host"))
		return
	}
	c.Next()
}

// loopbackHosts are the names every server on a loopback address has.
var loopbackHosts = []string{"localhost", "127.0.0.1", "::1"}

// hostName is the name of a Host header, or of an address such as "https://runs.example.org/": in lower case, without
// port and brackets.
func hostName(host string) string {
	if u, err := url.Parse(host); err == nil && u.Scheme != "" && u.Host != "" {
		host = u.Host
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
}
