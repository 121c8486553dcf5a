package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
)

// bodyReadTimeout bounds how long a body may take to arrive.
const bodyReadTimeout = time.Minute

// register adds a typed route. An error of its handler reaches the caller as a problem.
func register[I, O any](s *Server, op huma.Operation, handle func(context.Context, *I) (*O, error)) {
	// One byte more than the limit: the library refuses a body of exactly its own.
	op.MaxBodyBytes = s.limits.BodyBytes + 1
	op.BodyReadTimeout = bodyReadTimeout
	huma.Register(s.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, problemOf(ctx, s.log, err)
		}
		return out, nil
	})
}

// request is the input part of a route whose handler needs the request itself.
type request struct{ gin *gin.Context }

// Resolve keeps the request (huma.Resolver).
func (r *request) Resolve(ctx huma.Context) []error {
	r.gin = humagin.Unwrap(ctx)
	return nil
}

func (r *request) http() *http.Request { return r.gin.Request }

// adapter puts the library's routes on the router. A path that ends in "{path}" takes all that follows.
type adapter struct{ *gin.Engine }

const restOfPath = "/{path}"

// Handle adds a route (huma.Adapter).
func (a adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	path := op.Path
	if prefix, ok := strings.CutSuffix(path, restOfPath); ok {
		path = prefix + "/*path"
	}
	path = strings.NewReplacer("{", ":", "}", "").Replace(path)
	a.Engine.Handle(op.Method, path, func(c *gin.Context) {
		// What a run says is its owner's: no cache may keep it without asking, and no browser guess what it is.
		c.Header("Cache-Control", "private, no-cache")
		c.Header("X-Content-Type-Options", "nosniff")
		handler(humagin.NewContext(op, c))
	})
}
