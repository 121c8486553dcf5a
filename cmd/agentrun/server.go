package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/engine"
	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/models/faux"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/secrets"
	"github.com/agentrun/agentrun/store"
	"github.com/agentrun/agentrun/worker/dispatch"
	"github.com/agentrun/agentrun/worker/supervise"
)

// uiPath is where the Temporal UI is, under the server's own address.
const uiPath = "/temporal"

// server is everything `agentrun serve` runs, in the order it is started; stop ends it in the opposite order.
type server struct {
	flags *serveCmd
	log   *slog.Logger
	data  *dataDir
	token string
	fresh bool
	url   string

	vault     *secrets.Vault
	gateway   *faux.Gateway
	catalogue *models.Catalogue
	harnesses *harnesses.Registry
	store     *store.Store
	engine    *engine.Engine
	temporal  client.Client
	hub       *door.Hub
	feed      *door.Feed
	door      *door.Local
	dispatch  *dispatch.Dispatcher
	pool      *supervise.Pool

	lastLive    atomic.Int64
	doorAddress string
	doorToken   string
	cleanup     []func(context.Context) error
	background  errgroup.Group
	end         context.CancelFunc
	failed      chan error
}

// startServer starts everything, or nothing: what was started before a failure is stopped again.
func startServer(ctx context.Context, flags *serveCmd, log *slog.Logger) (*server, error) {
	s := &server{
		flags: flags, log: log, hub: door.NewHub(flags.WorkerLease), feed: door.NewFeed(), failed: make(chan error, 4),
	}
	s.lastLive.Store(time.Now().UnixNano())
	background, end := context.WithCancel(context.WithoutCancel(ctx))
	s.end = end
	for _, start := range []func(context.Context) error{
		s.openData, s.openModels, s.openHarnesses, s.openRecord, s.openDoor, s.startDispatch, s.startWorkers, s.listen,
	} {
		if err := start(background); err != nil {
			return nil, errors.Join(err, s.stop())
		}
	}
	return s, nil
}

// onStop registers how to stop what was just started.
func (s *server) onStop(stop func(context.Context) error) { s.cleanup = append(s.cleanup, stop) }

func (s *server) openData(context.Context) (err error) {
	if s.data, err = openDataDir(s.flags.Data); err != nil {
		return err
	}
	s.onStop(func(context.Context) error { return s.data.close() })
	s.token, s.fresh, err = s.data.token()
	return err
}

// openRecord opens the store and the engine side by side: each takes about a second.
func (s *server) openRecord(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() (err error) {
		s.store, err = store.Open(ctx, store.Options{
			Dir: s.data.path, Log: s.log, Alive: s.hub.Alive, Redact: s.vault.Redact,
		})
		return err
	})
	group.Go(func() error { return s.openEngine(ctx) })
	err := group.Wait()
	if s.store != nil {
		s.onStop(func(context.Context) error { return s.store.Close() })
	}
	if s.engine != nil {
		s.onStop(s.engine.Stop)
	}
	if s.temporal != nil {
		s.onStop(func(context.Context) error { s.temporal.Close(); return nil })
	}
	return err
}

func (s *server) openEngine(ctx context.Context) (err error) {
	log := s.log
	if s.flags.Temporal == "" {
		s.engine, err = engine.Start(ctx, engine.Options{Dir: s.data.join("engine"), Log: log, Public: uiPath})
	} else {
		s.engine, err = engine.Attach(ctx, s.cluster(), engine.AttachOptions{Log: log, Public: uiPath})
	}
	if err != nil {
		return err
	}
	if err := s.writeEngineToken(); err != nil {
		return err
	}
	s.temporal, err = engine.Dial(ctx, s.engine.Connection(), log)
	return err
}

// writeEngineToken lets an operator's own tools reach the embedded engine, where they asked for that.
func (s *server) writeEngineToken() error {
	name := s.flags.EngineTokenFile
	if name == "" || s.flags.Temporal != "" {
		return nil
	}
	if err := os.WriteFile(name, []byte(s.engine.Token()+"\n"), 0o600); err != nil {
		return fmt.Errorf("--engine-token-file: %w", err)
	}
	s.onStop(func(context.Context) error { return os.Remove(name) })
	return nil
}

// cluster is the connection that the --temporal flags describe.
func (s *server) cluster() engine.Connection {
	connection := engine.Connection{Address: s.flags.Temporal, Namespace: s.flags.TemporalNamespace}
	if s.vault.Has(temporalKey) {
		connection.APIKey, _ = s.vault.Reveal(temporalKey)
	}
	if s.flags.TemporalTLS || s.flags.TemporalCA != "" || s.flags.TemporalCert != "" || s.flags.TemporalServerName != "" {
		connection.TLS = &engine.TLSConfig{
			CA: s.flags.TemporalCA, Cert: s.flags.TemporalCert, Key: s.flags.TemporalKey,
			ServerName: s.flags.TemporalServerName,
		}
	}
	return connection
}

// openDoor serves the workers' door on a socket that only this user reaches, and only with a token made for this start.
func (s *server) openDoor(context.Context) error {
	s.door = &door.Local{
		Record: heard{s.store, s}, Hub: s.hub, Feed: s.feed, WorkDir: s.data.workDir,
		Endpoint: s.endpoint, Reveal: s.vault.Reveal,
	}
	path, err := s.socketPath()
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("the workers' door: %w", err)
	}
	s.doorAddress, s.doorToken = "unix:"+path, randomHex()
	server := &http.Server{Handler: door.NewServer(s.door, s.hub, s.doorToken), ReadHeaderTimeout: time.Minute}
	s.background.Go(func() error { return ignoreClosed(server.Serve(listener)) })
	s.onStop(func(context.Context) error { return server.Close() })
	return nil
}

// socketPath is where the door listens: in the data directory where its path is short enough for a socket.
func (s *server) socketPath() (string, error) {
	const longest = 100
	path := s.data.join("door.sock")
	if len(path) > longest {
		dir, err := os.MkdirTemp("/tmp", "agentrun-")
		if err != nil {
			return "", fmt.Errorf("the workers' door: %w", err)
		}
		s.onStop(func(context.Context) error { return os.RemoveAll(dir) })
		path = dir + "/door.sock"
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("the workers' door: %w", err)
	}
	return path, nil
}

// endpoint is where a model is reached now.
func (s *server) endpoint(model run.Model) (door.Endpoint, error) {
	endpoint, err := s.catalogue.EndpointOf(model)
	return door.Endpoint{BaseURL: endpoint.BaseURL, KeyName: endpoint.KeyName}, err
}

// wait returns when the context ends, or with the reason why the server cannot go on.
func (s *server) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.failed:
		return err
	case err := <-s.engine.Failed():
		return err
	}
}

// stop drains the workers and ends everything, in the opposite order of the start.
func (s *server) stop() error {
	const grace = 2500 * time.Millisecond // beyond the drain timeout: exit within that plus 3 s
	ctx, cancel := context.WithTimeout(context.Background(), s.flags.DrainTimeout+grace)
	defer cancel()
	var all error
	for _, end := range slices.Backward(s.cleanup) {
		all = errors.Join(all, end(ctx))
	}
	s.end()
	return errors.Join(all, s.background.Wait())
}

// banner tells a person where the server is; the token only when it was just made.
func (s *server) banner(w io.Writer) {
	fmt.Fprintf(w, "AGENTRUN_BASE_URL=%s\n", s.url)
	if s.fresh {
		fmt.Fprintf(w, "AGENTRUN_TOKEN=%s\n", s.token)
	}
	fmt.Fprintf(w, "Open %s/\n", s.url)
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
