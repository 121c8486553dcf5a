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

// startServer builds and starts the services. One of them giving up (see serverLog.Fatal) is a returned error.
func startServer(
	ctx context.Context, state *database, ports ports, connection Connection, log *slog.Logger,
) (*server, error) {
	s := &server{dir: state.dir, failed: make(chan error, 1)}
	certificates, err := newInternodeTLS()
	if err != nil {
		return nil, err
	}
	gate := newGate(connection.Token)
	started := survive(func() error {
		return s.run(
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
	})
	select {
	case err = <-started:
	case err = <-s.failed:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil {
		return s, nil
	}
	return nil, s.abandon(err, started)
}

// survive calls f on a goroutine of its own and gives its error, whether it returns, panics or ends its goroutine.
func survive(f func() error) <-chan error {
	result := make(chan error, 1)
	go func() {
		err := errDied
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v", cause)
			}
			result <- err
		}()
		err = f()
	}()
	return result
}

func (s *server) run(options ...temporal.ServerOption) error {
	instance, err := temporal.NewServer(options...)
	if err != nil {
		return err
	}
	s.temporal = instance
	return instance.Start()
}

// abandon gives up a start and says why, preferring the server's own reason. A start that is still under way is stopped
// once it is through.
func (s *server) abandon(err error, started <-chan error) error {
	s.muted.Store(true)
	select {
	case cause := <-s.failed:
		err = cause
	default:
	}
	go func() {
		if <-started == nil {
			_ = s.stop(context.Background())
		}
	}()
	return err
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
	select {
	case err := <-survive(s.temporal.Stop):
		return err
	case <-ctx.Done():
		return errStopTimeout
	}
}
