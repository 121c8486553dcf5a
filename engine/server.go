package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/temporal"
)

var (
	errDied        = errors.New("it gave up without a reason")
	errStopTimeout = errors.New("the embedded Temporal server did not drain in time and was left behind")
)

// server is one running embedded server. Temporal's code ends the process or panics where it cannot go on; here that
// ends the goroutine it happens in and is reported.
type server struct {
	dir      string
	temporal temporal.Server
	failed   chan error
	muted    atomic.Bool
}

// startServer builds and starts the services on a goroutine of their own, so that one of them giving up (see fail) is a
// returned error.
func startServer(
	ctx context.Context, state *database, ports ports, connection Connection, log *slog.Logger,
) (*server, error) {
	s := &server{dir: state.dir, failed: make(chan error, 1)}
	certificates, err := newInternodeTLS()
	if err != nil {
		return nil, err
	}
	gate := newGate(connection.Token)
	started := make(chan error, 1)
	go func() {
		err := errDied
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v", cause)
			}
			started <- err
		}()
		err = s.run(
			temporal.WithConfig(serverConfig(state, ports)),
			temporal.ForServices(services),
			temporal.WithStaticHosts(ports.hosts()),
			temporal.WithDynamicConfigClient(tuning),
			temporal.WithLogger(newServerLog(log, s)),
			temporal.WithTLSConfigFactory(certificates),
			temporal.WithClientFactoryProvider(newSelfCalls(connection)),
			temporal.WithAuthorizer(gate),
			temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return gate }),
		)
	}()
	select {
	case err = <-started:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		return s, nil
	}
	s.muted.Store(true)
	select {
	case cause := <-s.failed:
		err = cause
	default:
	}
	return nil, err
}

func (s *server) run(options ...temporal.ServerOption) error {
	instance, err := temporal.NewServer(options...)
	if err != nil {
		return err
	}
	s.temporal = instance
	return instance.Start()
}

// fail takes the first reason for which the server cannot go on.
func (s *server) fail(err error) {
	if s.muted.Load() {
		return
	}
	select {
	case s.failed <- err:
	default:
	}
}

// stop drains the services for at most stopTimeout.
func (s *server) stop(ctx context.Context) error {
	s.muted.Store(true)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	stopped := make(chan error, 1)
	go func() {
		err := errDied
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v", cause)
			}
			stopped <- err
		}()
		err = s.temporal.Stop()
	}()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
		return errStopTimeout
	}
}
