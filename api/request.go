package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/agentrun/agentrun/run"
)

type requestIDKey struct{}

// requestID is the id of the request that a context belongs to.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

var callersRequestID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`)

// identify gives each request an id: the caller's, where it is one that can stand in a log, or a new one.
func identify(c *gin.Context) {
	id := c.GetHeader("X-Request-Id")
	if !callersRequestID.MatchString(id) {
		var random [12]byte
		_, _ = rand.Read(random[:]) // it never fails
		id = hex.EncodeToString(random[:])
	}
	c.Header("X-Request-Id", id)
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), requestIDKey{}, id))
	c.Next()
}

// access logs each request, at debug, without its query: that may hold the token of a sign-in link.
func (s *Server) access(c *gin.Context) {
	if !s.log.Enabled(c.Request.Context(), slog.LevelDebug) {
		c.Next()
		return
	}
	began := time.Now()
	c.Next()
	s.log.DebugContext(c.Request.Context(), "request", "event", "request", "method", c.Request.Method,
		"path", c.Request.URL.Path, "status", c.Writer.Status(), "bytes", c.Writer.Size(),
		"ms", time.Since(began).Milliseconds(), "request_id", requestID(c.Request.Context()))
}

// recovered turns a panic into a 500 that tells nothing of it; the log has the place.
func (s *Server) recovered(c *gin.Context) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if fault == http.ErrAbortHandler { //nolint:errorlint // the very value, as net/http compares it
			panic(fault)
		}
		s.log.ErrorContext(c.Request.Context(), "request panicked", "event", "request_panicked",
			"request_id", requestID(c.Request.Context()), "panic", fault, "stack", string(debug.Stack()))
		if c.Writer.Written() {
			// Half an answer was sent: only a broken connection tells the caller so.
			panic(http.ErrAbortHandler)
		}
		refuse(c, internalProblem())
	}()
	c.Next()
}

// bounded refuses a body that says itself it is too large, before any of it is read.
func (s *Server) bounded(c *gin.Context) {
	if path := c.Request.URL.Path; strings.HasPrefix(path, "/v2/agents/") && strings.ContainsRune(path, 0) {
		refuse(c, newProblem(run.ErrNotFound, "no agent has a NUL character in its id"))
		return
	}
	if c.Request.ContentLength > s.limits.BodyBytes {
		c.Header("Connection", "close")
		refuse(c, tooLarge(s.limits.BodyBytes))
		return
	}
	c.Next()
}

func tooLarge(limit int64) *Problem {
	problem := newProblem(run.ErrTooLarge, "the body is larger than this server takes")
	problem.Details["max_body_bytes"] = limit
	return problem
}

// refuse ends a request with a problem.
func refuse(c *gin.Context, problem *Problem) {
	problem.write(c.Writer)
	c.Abort()
}
