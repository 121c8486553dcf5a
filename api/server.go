package api

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/agentrun/agentrun/run"
)

// Options say what a server's face is made of. Store, Models, Files, Driver, Deltas, Capabilities and Token are needed.
type Options struct {
	Store  Store
	Models Catalogue
	Files  Files
	Driver Driver
	Deltas Deltas
	// Capabilities says what the server has at this moment; it is asked often and must answer from memory.
	Capabilities func() Capabilities
	// Harnesses are tried by it (nil: this server tries none).
	Harnesses Harnesses
	// Engine says how the engine is: "ok", or the reason it is not (nil: always ok).
	Engine func() string

	// Token is the owner's bearer token.
	Token string
	// Loopback says that the server listens on a loopback address only: then only Hosts (names, or the addresses
	// of pages) and the loopback's own names are served.
	Loopback bool
	Hosts    []string

	// Mounts are further handlers behind the same sign-in.
	Mounts []Mount
	// Home is where a browser goes once it is signed in ("": the first mount).
	Home string

	// MaxSteps is how many model requests a run may make in a row where its definition does not say (0: 200).
	MaxSteps int

	Limits Limits
	Log    *slog.Logger
	Now    func() time.Time
}

const defaultMaxSteps = 200

// Limits bound what one request may ask; zero fields are the defaults of DefaultLimits.
type Limits struct {
	// BodyBytes is the largest body.
	BodyBytes int64 `json:"max_body_bytes"`
	// MessageBytes is the longest message to a run.
	MessageBytes int64 `json:"max_message_bytes"`
	// RunFiles is how many files a run may be given.
	RunFiles int `json:"max_run_files"`
	// TimelineRows and TimelineBytes bound one timeline page; a page has at least one row.
	TimelineRows  int   `json:"max_timeline_rows"`
	TimelineBytes int64 `json:"max_timeline_bytes"`
	// Streams is how many live timelines are open at once.
	Streams int `json:"max_streams"`
}

// DefaultLimits are the limits a server has where nobody sets others.
func DefaultLimits() Limits {
	return Limits{
		BodyBytes: 32 << 20, MessageBytes: 1 << 20, RunFiles: 100,
		TimelineRows: 1000, TimelineBytes: 8 << 20, Streams: 4000,
	}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		BodyBytes:     cmp.Or(max(0, l.BodyBytes), d.BodyBytes),
		MessageBytes:  cmp.Or(max(0, l.MessageBytes), d.MessageBytes),
		RunFiles:      cmp.Or(max(0, l.RunFiles), d.RunFiles),
		TimelineRows:  cmp.Or(max(0, l.TimelineRows), d.TimelineRows),
		TimelineBytes: cmp.Or(max(0, l.TimelineBytes), d.TimelineBytes),
		Streams:       cmp.Or(max(0, l.Streams), d.Streams),
	}
}

// Server is the HTTP face. It is an http.Handler; Listener makes the http.Server for it.
type Server struct {
	store  Store
	models Catalogue
	files  Files
	driver Driver
	deltas Deltas
	offers func() Capabilities
	tries  Harnesses
	engine func() string
	log    *slog.Logger
	now    func() time.Time
	limits Limits
	// beat is how often a silent stream says that it lives.
	beat     time.Duration
	maxSteps int

	token       credential
	loopback    bool
	hosts       []string
	mounts      []Mount
	home        string
	sessions    *sessions
	attempts    *attempts
	crossOrigin *http.CrossOriginProtection
	streams     *streams

	router   *gin.Engine
	huma     huma.API
	document []byte
}

// New makes a server's face.
func New(o Options) (*Server, error) {
	if o.Store == nil || o.Models == nil || o.Files == nil || o.Driver == nil || o.Deltas == nil || o.Capabilities == nil {
		return nil, errors.New("api: Store, Models, Files, Driver, Deltas and Capabilities are needed")
	}
	if len(o.Token) < 16 {
		return nil, errors.New("api: the token is too short to be one")
	}
	s := &Server{
		store: o.Store, models: o.Models, files: o.Files, driver: o.Driver, deltas: o.Deltas, offers: o.Capabilities, tries: o.Harnesses,
		engine: o.Engine, log: o.Log, now: o.Now, limits: o.Limits.withDefaults(),
		token: newCredential(o.Token), loopback: o.Loopback, hosts: slices.Clone(loopbackHosts), mounts: o.Mounts,
		home: o.Home, crossOrigin: http.NewCrossOriginProtection(), beat: beatEvery,
		maxSteps: cmp.Or(o.MaxSteps, defaultMaxSteps),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.home == "" && len(o.Mounts) > 0 {
		s.home = o.Mounts[0].Prefix + "/"
	}
	s.home = cmp.Or(s.home, "/v2/capabilities")
	for _, host := range o.Hosts {
		s.hosts = append(s.hosts, hostName(host))
	}
	s.sessions = newSessions(o.Token, s.now)
	s.attempts = newAttempts(s.now)
	s.streams = newStreams(s.limits.Streams)
	if err := s.route(); err != nil {
		return nil, err
	}
	return s, nil
}

var releaseMode = sync.OnceFunc(func() { gin.SetMode(gin.ReleaseMode) })

// route builds the router. The order of the guards is part of the contract: the Host before the credential.
func (s *Server) route() error {
	releaseMode()
	router := gin.New()
	router.RedirectTrailingSlash = false
	router.HandleMethodNotAllowed = true
	router.ContextWithFallback = true
	if err := router.SetTrustedProxies(nil); err != nil {
		return fmt.Errorf("api: %w", err)
	}
	router.Use(identify, s.access, s.recovered, s.hostGuard, s.bounded, s.authenticate)
	router.NoRoute(func(c *gin.Context) { refuse(c, newProblem(run.ErrNotFound, "there is nothing at this address")) })
	router.NoMethod(func(c *gin.Context) {
		refuse(c, newProblem(codeMethodNotAllowed, c.Request.Method+" is not possible here; see Allow"))
	})
	s.router = router
	s.huma = newHuma(router)

	s.healthRoutes()
	s.capabilityRoutes()
	s.sessionRoutes()
	s.agentRoutes()
	s.revisionRoutes()
	s.newRunRoutes()
	s.runRoutes()
	s.listRoutes()
	s.timelineRoutes()
	s.fileRoutes()
	s.graphRoutes()
	s.workflowRoutes()
	s.harnessRoutes()
	s.commandRoutes()

	router.GET("/", s.frontDoor)
	router.GET("/sign-in", s.getSignIn)
	router.POST("/sign-in", s.postSignIn)
	if err := s.mount(); err != nil {
		return err
	}
	return s.documentRoute()
}

// ServeHTTP answers one request. HEAD is a GET whose body the HTTP server leaves out; it never follows a timeline.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		r = r.Clone(r.Context())
		r.Method = http.MethodGet
		if strings.Contains(r.Header.Get("Accept"), eventStream) {
			r.Header.Del("Accept")
		}
	}
	s.router.ServeHTTP(w, r)
}

// Close ends the live timelines, whose readers come back by themselves, and takes no new ones. Call it before the
// http.Server's Shutdown, which waits for them.
func (s *Server) Close() { s.streams.close() }

// Listener is an http.Server for a handler with bounds on what an idle or slow peer may hold.
func Listener(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		// Streams and files set deadlines of their own.
		WriteTimeout:   2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}
