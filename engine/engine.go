package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
)

// Namespace is the Temporal namespace of the embedded engine.
const Namespace = "agentrun"

// readyTimeout bounds the wait for a started server to answer its first call.
const readyTimeout = 15 * time.Second

// stopTimeout bounds Stop. The database survives a kill, so a server that will not drain is left behind.
const stopTimeout = 3 * time.Second

// Options say where an embedded engine lives.
type Options struct {
	// Dir holds the database and engine.json. The caller holds the lock that keeps a second server away from it.
	Dir string
	// Log takes what the server says, one level below what the server calls it. Nil drops it.
	Log *slog.Logger
	// Public is the path the UI is mounted under, "/temporal" if empty.
	Public string
}

// Engine is a Temporal service that answers: embedded (Start) or elsewhere (Attach).
type Engine struct {
	connection Connection
	searchable bool
	conn       *grpc.ClientConn
	service    workflowservice.WorkflowServiceClient
	ui         http.Handler

	server   *server // nil when attached
	stopOnce sync.Once
	stopErr  error
}

// Start starts the embedded server and returns when it takes work. A failure is returned, never fatal to the process.
// Options.Dir is created if it is missing.
func Start(ctx context.Context, options Options) (*Engine, error) {
	log := orDiscard(options.Log)
	state, err := openDatabase(ctx, options.Dir, log)
	if err != nil {
		return nil, err
	}
	ports, err := freePorts()
	if err != nil {
		return nil, err
	}
	connection := Connection{Address: ports.address(frontend), Namespace: Namespace, Token: newToken()}
	server, err := startServer(ctx, state, ports, connection, log)
	if err != nil {
		return nil, fmt.Errorf("start the embedded Temporal server: %w", err)
	}
	engine, err := connect(connection, options.Public, log)
	if err != nil {
		return nil, errors.Join(err, server.stop(ctx))
	}
	engine.server, engine.searchable = server, true
	if err := engine.finishStart(ctx, state, ports); err != nil {
		_ = engine.Stop(ctx)
		return nil, err
	}
	return engine, nil
}

// finishStart waits for the first answer and records where the engine listens.
func (e *Engine) finishStart(ctx context.Context, state *database, ports ports) error {
	if err := e.awaitReady(ctx); err != nil {
		return fmt.Errorf("the embedded Temporal server does not answer: %w", err)
	}
	return state.recordAddresses(ports)
}

// connect makes the parts that an embedded and an attached engine share.
func connect(connection Connection, public string, log *slog.Logger) (*Engine, error) {
	conn, err := dialGRPC(connection)
	if err != nil {
		return nil, err
	}
	ui, err := newUI(conn, connection.Namespace, public, log)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &Engine{
		connection: connection,
		conn:       conn,
		service:    workflowservice.NewWorkflowServiceClient(conn),
		ui:         ui,
	}, nil
}

// Connection is how a process dials this engine. It holds the token: hand it on by pipe, never by argument or file.
func (e *Engine) Connection() Connection { return e.connection }

// Address is the host:port of the frontend.
func (e *Engine) Address() string { return e.connection.Address }

// Namespace is the namespace that runs live in.
func (e *Engine) Namespace() string { return e.connection.Namespace }

// Token is the token made at this start, or what an attached engine was given.
func (e *Engine) Token() string { return e.connection.Token }

// Searchable tells whether workflows may carry the search attributes of this package. An attached cluster that neither
// has them nor lets us add them would refuse a workflow that does.
func (e *Engine) Searchable() bool { return e.searchable }

// UI serves the Temporal web UI under Options.Public. It does not check who asks: mount it behind the sign-in.
func (e *Engine) UI() http.Handler { return e.ui }

// Failed gives the reason, once, when the embedded server cannot go on; the process should then end. It is nil for an
// attached engine, whose clients reconnect.
func (e *Engine) Failed() <-chan error {
	if e.server == nil {
		return nil
	}
	return e.server.failed
}

// Check asks the engine for a sign of life.
func (e *Engine) Check(ctx context.Context) error {
	_, err := e.service.GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return fmt.Errorf("Temporal at %s: %w", e.connection.Address, err)
	}
	return nil
}

// Stop ends the embedded server, or lets go of an attached one, within about 3 seconds. Stop workers first: a long poll
// under way costs a second of draining.
func (e *Engine) Stop(ctx context.Context) error {
	e.stopOnce.Do(func() {
		_ = e.conn.Close()
		if e.server != nil {
			e.stopErr = e.server.stop(ctx)
		}
	})
	return e.stopErr
}
