package cli

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

const (
	// HeadersAfter is how long a stream's request waits before it gets its headers: the programs give up on a request
	// after some five minutes without.
	HeadersAfter = 4 * time.Minute
	// BeatEvery is the time between two signs of life in a stream that has its headers and no answer yet.
	BeatEvery = 15 * time.Second
	// transferWait bounds how long a body takes in, and how long one write of an answer takes out.
	transferWait = time.Minute
	// closeWait is how long Close waits for the handlers.
	closeWait = 5 * time.Second
)

// Proxy is the model endpoint of one session's program. It is reached below one secret path, knows no model, and answers
// what Host answers.
type Proxy struct {
	secret   string
	protocol Protocol
	host     Host
	log      *slog.Logger
	limits   limits

	server *http.Server
	cancel context.CancelFunc
	served chan struct{}

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// limits are the waits that the constants above say, and the most a request's body has (bytes).
type limits struct {
	headers, beat, close time.Duration
	body                 int64
}

// NewSecret makes the secret of a session: 32 random bytes in base64url.
func NewSecret() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

// Serve serves a session's program on a listener, whose URL with "/" and the secret behind it is the program's base URL.
// The secret must not be empty.
func Serve(listener net.Listener, secret string, protocol Protocol, host Host, log *slog.Logger) *Proxy {
	return serve(listener, secret, protocol, host, log, limits{HeadersAfter, BeatEvery, closeWait, maxBody})
}

func serve(listener net.Listener, secret string, protocol Protocol, host Host, log *slog.Logger, limits limits) *Proxy {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Proxy{
		secret: secret, protocol: protocol, host: host, log: log, limits: limits,
		cancel: cancel, served: make(chan struct{}),
	}
	p.server = &http.Server{
		Handler:           p,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // it is about the program's own faults
	}
	go func() {
		defer close(p.served)
		if err := p.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("a program's model proxy stopped", "error", err)
		}
	}()
	return p
}

// Close ends every request's context and returns when no handler runs. After 5 seconds it returns an error instead.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	_ = p.server.Close() // the listener is closed, or was
	idle := make(chan struct{})
	go func() {
		p.running.Wait()
		<-p.served
		close(idle)
	}()
	timer := time.NewTimer(p.limits.close)
	defer timer.Stop()
	select {
	case <-idle:
		return nil
	case <-timer.C:
		return fmt.Errorf("a model request of the program was still under way %s after the proxy closed", p.limits.close)
	}
}

// enter counts a handler in, unless the proxy is closed.
func (p *Proxy) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.running.Add(1)
	}
	return !p.closed
}

// ServeHTTP serves what is below the secret; everything else is not found, whatever it is.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.enter() {
		panic(http.ErrAbortHandler)
	}
	defer p.running.Done()
	defer p.recovered()
	secret, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if p.secret == "" || subtle.ConstantTimeCompare([]byte(secret), []byte(p.secret)) != 1 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	below := r.Clone(r.Context())
	below.URL.Path, below.URL.RawPath, below.RequestURI = "/"+path, "", ""
	switch {
	case r.Method == http.MethodPost && below.URL.Path == p.protocol.Path():
		p.ask(w, below)
	case p.protocol.Other(w, below):
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":{"type":"not_found_error","message":"not found"}}`))
	}
}

// recovered keeps a panic from the log of the HTTP library, which would write what the request said into it.
func (p *Proxy) recovered() {
	fault := recover()
	if fault == nil {
		return
	}
	if fault != http.ErrAbortHandler { //nolint:errorlint // it is the value that is thrown, never wrapped
		p.log.Error("a request of the program made its proxy panic", "kind", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
	}
	panic(http.ErrAbortHandler) // the connection is closed, nothing is said
}
