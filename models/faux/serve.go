package faux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Serve serves the gateway on a listener until ctx ends, then lets go of what is held and returns nil.
func (g *Gateway) Serve(ctx context.Context, listener net.Listener) error {
	const (
		headerTimeout = 10 * time.Second
		stopTimeout   = 2 * time.Second
	)
	base, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	server := &http.Server{
		Handler:           g,
		ReadHeaderTimeout: headerTimeout,
		BaseContext:       func(net.Listener) context.Context { return base },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve the scripted gateway: %w", err)
	case <-ctx.Done():
	}
	g.stopping.Store(true)
	release()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		return errors.Join(fmt.Errorf("stop the scripted gateway: %w", err), server.Close())
	}
	return nil
}
