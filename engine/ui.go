package engine

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"regexp"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/api"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/route"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
)

const defaultPublic = "/temporal"

// csrfCookie is the only cookie the UI has; every other one is the console's and stays out of Temporal's sight.
const csrfCookie = "_csrf"

// newUI puts the Temporal UI together from its parts, under a path of our own server. Its own server type can only
// listen on a port by itself, logs to the standard output and drops its content security policy under a path.
func newUI(conn *grpc.ClientConn, namespace, public string, log *slog.Logger) (http.Handler, error) {
	public, err := cleanPublic(public)
	if err != nil {
		return nil, err
	}
	settings, err := config.NewConfigProviderWithRefresh(&config.Config{
		TemporalGRPCAddress: conn.Target(),
		PublicPath:          public,
		EnableUI:            true,
		HideLogs:            true,
		DefaultNamespace:    namespace,
		DisableNewsFetch:    true,
		// A command is a row of the journal first; one given behind its back would be undone or misunderstood.
		DisableWriteActions:   true,
		BatchActionsDisabled:  true,
		StartWorkflowDisabled: true,
	})
	if err != nil {
		return nil, err
	}
	pages, err := newPages(public)
	if err != nil {
		return nil, err
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Logger.SetOutput(io.Discard)
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{
		DisableStackAll: true,
		LogErrorFunc: func(c echo.Context, err error, _ []byte) error {
			log.Error("the Temporal UI panicked", "component", "temporal-ui", "path", c.Request().URL.Path, "error", err)
			return err
		},
	}))
	e.Use(middleware.Gzip(), middleware.Secure())
	e.Use(csrf.EnsureTokenCookie(false), middleware.CSRFWithConfig(csrf.MiddlewareConfig(settings, false)))
	routes := e.Group("/api/v1")
	readOnly := route.DisableWriteMiddleware(settings)
	routes.GET("/settings", api.GetSettings(settings))
	routes.GET(api.WorkflowRawHistoryUrl, api.WorkflowRawHistoryHandler(workflowservice.NewWorkflowServiceClient(conn)))
	routes.Any("/*", api.TemporalAPIHandler(settings, nil, conn), readOnly)
	route.SetRenderRoute(e, "/")
	e.GET("/*", echo.WrapHandler(pages))
	return mount(public, pages.policy, e), nil
}

// mount serves a handler below a path, with our policy and without the caller's credentials: they are for this server,
// not for Temporal, to which the UI would forward them.
func mount(public, policy string, next http.Handler) http.Handler {
	below := http.StripPrefix(public, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Referrer-Policy", "same-origin")
		if r.URL.Path == public {
			http.Redirect(w, r, public+"/", http.StatusTemporaryRedirect)
			return
		}
		r = r.Clone(r.Context())
		r.Header.Del("Authorization")
		r.Header.Del("Authorization-Extras")
		token, err := r.Cookie(csrfCookie)
		r.Header.Del("Cookie")
		if err == nil {
			r.AddCookie(token)
		}
		below.ServeHTTP(w, r)
	})
}

// publicPath are the paths that need no escaping, in a link or in the page's script.
var publicPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)

// cleanPublic gives a path with a leading slash and none at its end.
func cleanPublic(public string) (string, error) {
	public = path.Clean("/" + public)
	if public == "/" {
		return defaultPublic, nil
	}
	if !publicPath.MatchString(public) {
		return "", fmt.Errorf("the Temporal UI's path %q may hold letters, digits and . _ ~ - only", public)
	}
	return public, nil
}
