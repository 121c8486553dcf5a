package engine

import (
	temporalclient "go.temporal.io/server/client"
	"go.temporal.io/server/common"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
	"go.temporal.io/server/common/membership"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/testing/testhooks"
	"google.golang.org/grpc"
)

// selfCalls gives the server's own calls of its frontend (to list search attributes, for one) the token that every call
// needs. Temporal's way is a second, internal frontend: another service with a port of its own.
type selfCalls struct {
	temporalclient.FactoryProvider
	connection Connection
}

func newSelfCalls(connection Connection) selfCalls {
	return selfCalls{FactoryProvider: temporalclient.NewFactoryProvider(), connection: connection}
}

// NewFactory makes a service's client factory.
func (s selfCalls) NewFactory(
	rpc common.RPCFactory,
	monitor membership.Monitor,
	metricsHandler metrics.Handler,
	dc *dynamicconfig.Collection,
	testHooks testhooks.TestHooks,
	shards int32,
	logger, throttled log.Logger,
) temporalclient.Factory {
	keyed := keyedRPC{RPCFactory: rpc, connection: s.connection, logger: logger}
	return s.FactoryProvider.NewFactory(keyed, monitor, metricsHandler, dc, testHooks, shards, logger, throttled)
}

// keyedRPC makes connections as the server does, but to its own frontend with the token.
type keyedRPC struct {
	common.RPCFactory
	connection Connection
	logger     log.Logger
}

// CreateLocalFrontendGRPCConnection connects to the frontend.
func (k keyedRPC) CreateLocalFrontendGRPCConnection() *grpc.ClientConn {
	conn, err := dialGRPC(k.connection)
	if err != nil {
		k.logger.Fatal("cannot connect to the own frontend", tag.Error(err))
	}
	return conn
}
