package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
)

// attributePoll is the pause between two looks at whether a cluster knows its new search attributes.
const attributePoll = 100 * time.Millisecond

// AttachOptions say how to use a cluster that runs elsewhere.
type AttachOptions struct {
	// Log takes what is worth knowing. Nil drops it.
	Log *slog.Logger
	// Public is the path the UI is mounted under, "/temporal" if empty.
	Public string
}

// Attach uses the cluster at connection instead of an embedded server. Its namespace must exist. Missing search
// attributes are added if the cluster lets us; if it does not, Engine.Searchable is false and the rest works.
func Attach(ctx context.Context, connection Connection, options AttachOptions) (*Engine, error) {
	log := orDiscard(options.Log)
	engine, err := connect(connection, options.Public, log)
	if err != nil {
		return nil, err
	}
	if err := engine.checkNamespace(ctx); err != nil {
		_ = engine.Stop(ctx)
		return nil, err
	}
	if err := engine.addSearchAttributes(ctx); err != nil {
		log.Warn("workflows carry no search attributes: the cluster lacks them and does not let us add them",
			"component", "engine", "namespace", connection.Namespace, "error", err)
	} else {
		engine.searchable = true
	}
	return engine, nil
}

func (e *Engine) checkNamespace(ctx context.Context) error {
	_, err := e.service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: e.Namespace()})
	var missing *serviceerror.NamespaceNotFound
	switch err = serviceError(err); {
	case errors.As(err, &missing):
		return fmt.Errorf("Temporal at %s has no namespace %q: create it with `temporal operator namespace create -n %s`",
			e.Address(), e.Namespace(), e.Namespace())
	case err != nil:
		return fmt.Errorf("Temporal at %s: %w", e.Address(), err)
	}
	return nil
}

// addSearchAttributes adds the attributes that the namespace lacks.
func (e *Engine) addSearchAttributes(ctx context.Context) error {
	operator := operatorservice.NewOperatorServiceClient(e.conn)
	known, err := operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: e.Namespace()})
	if err != nil {
		return serviceError(err)
	}
	lacking := map[string]enums.IndexedValueType{}
	for name, kind := range searchAttributes() {
		switch has := known.GetCustomAttributes()[name]; has {
		case kind:
		case enums.INDEXED_VALUE_TYPE_UNSPECIFIED:
			lacking[name] = kind
		default:
			return fmt.Errorf("search attribute %s is of type %s, not %s", name, has, kind)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	_, err = operator.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: e.Namespace(), SearchAttributes: lacking,
	})
	if err != nil {
		return serviceError(err)
	}
	return e.awaitSearchAttributes(ctx)
}

// awaitSearchAttributes waits until the cluster's caches know new attributes: a workflow that carries them is refused
// before that.
func (e *Engine) awaitSearchAttributes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		_, err := e.service.CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: e.Namespace(), Query: AgentRunAgent.GetName() + ` = "none"`,
		})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return serviceError(err)
		case <-time.After(attributePoll):
		}
	}
}

// serviceError gives a gRPC error its Temporal type. Nil stays nil.
func serviceError(err error) error {
	if err == nil {
		return nil
	}
	return serviceerror.FromStatus(serviceerror.ToStatus(err))
}
