package engine

import (
	"context"
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/api/adminservice/v1"
	"go.temporal.io/server/api/historyservice/v1"
	"go.temporal.io/server/api/matchingservice/v1"
	"go.temporal.io/server/common/authorization"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
)

// rawCalls are calls of every service that listens on some port of the engine, and what anybody might try first.
var rawCalls = map[string]func(context.Context, *grpc.ClientConn) error{
	"system info": func(ctx context.Context, c *grpc.ClientConn) error {
		_, err := workflowservice.NewWorkflowServiceClient(c).GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
		return err
	},
	"start a workflow": func(ctx context.Context, c *grpc.ClientConn) error {
		_, err := workflowservice.NewWorkflowServiceClient(c).StartWorkflowExecution(ctx,
			&workflowservice.StartWorkflowExecutionRequest{Namespace: Namespace, WorkflowId: "raw"})
		return err
	},
	"search attributes": func(ctx context.Context, c *grpc.ClientConn) error {
		_, err := operatorservice.NewOperatorServiceClient(c).ListSearchAttributes(ctx,
			&operatorservice.ListSearchAttributesRequest{Namespace: Namespace})
		return err
	},
	"admin": func(ctx context.Context, c *grpc.ClientConn) error {
		_, err := adminservice.NewAdminServiceClient(c).DescribeCluster(ctx, &adminservice.DescribeClusterRequest{})
		return err
	},
	"history": func(ctx context.Context, c *grpc.ClientConn) error {
		_, err := historyservice.NewHistoryServiceClient(c).DescribeHistoryHost(ctx,
			&historyservice.DescribeHistoryHostRequest{})
		return err
	},
	"matching": func(ctx context.Context, c *grpc.ClientConn) error {
		_, err := matchingservice.NewMatchingServiceClient(c).ListNexusEndpoints(ctx,
			&matchingservice.ListNexusEndpointsRequest{})
		return err
	},
	"health": func(ctx context.Context, c *grpc.ClientConn) error {
		_, err := health.NewHealthClient(c).Check(ctx, &health.HealthCheckRequest{})
		return err
	},
	"reflection": func(ctx context.Context, c *grpc.ClientConn) error {
		stream, err := reflection.NewServerReflectionClient(c).ServerReflectionInfo(ctx)
		if err != nil {
			return err
		}
		// A stream that was refused already fails to send with EOF; why is received.
		_ = stream.Send(&reflection.ServerReflectionRequest{
			MessageRequest: &reflection.ServerReflectionRequest_ListServices{},
		})
		_, err = stream.Recv()
		return err
	},
}

// intruders are ways to come without the secret.
func intruders(t *testing.T) map[string][]grpc.DialOption {
	t.Helper()
	foreign, err := newInternodeTLS()
	if err != nil {
		t.Fatal(err)
	}
	foreignCert, err := foreign.GetInternodeClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	foreignCert = foreignCert.Clone()
	foreignCert.InsecureSkipVerify = true
	token := func(value string) grpc.DialOption {
		return grpc.WithChainUnaryInterceptor(func(
			ctx context.Context, method string, request, reply any,
			conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
		) error {
			ctx = metadata.AppendToOutgoingContext(ctx, authorizationHeader, value)
			return invoke(ctx, method, request, reply, conn, options...)
		})
	}
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	return map[string][]grpc.DialOption{
		"plaintext":                {plain},
		"plaintext, wrong token":   {plain, token(bearer + newToken())},
		"plaintext, empty token":   {plain, token(bearer)},
		"plaintext, bare token":    {plain, token(shared.Token())},
		"TLS without certificate":  {grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}))},
		"TLS, another start's key": {grpc.WithTransportCredentials(credentials.NewTLS(foreignCert))},
	}
}

// This test is not parallel: it counts the ports of the process.
func TestEveryPortRefusesAStranger(t *testing.T) {
	addresses := map[string]bool{}
	for service := range readRecord(shared.server.dir).Addresses {
		addresses[readRecord(shared.server.dir).Addresses[service]] = true
	}
	for _, address := range listeningPorts(t) {
		if !addresses[address] {
			t.Errorf("the engine listens on %s, which it does not record", address)
		}
	}
	for who, options := range intruders(t) {
		for address := range addresses {
			conn, err := grpc.NewClient(address, options...)
			if err != nil {
				t.Fatal(err)
			}
			for what, call := range rawCalls {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				err := call(ctx, conn)
				cancel()
				if !refused(err) {
					t.Errorf("%s at %s, %s: %v", who, address, what, err)
				}
			}
			_ = conn.Close()
		}
	}
}

// refused tells an answer that gives nothing away: no TLS, no permission, or, from gRPC itself, no such service on this
// port. The refusal of a stream carries no code.
func refused(err error) bool {
	answer := status.Convert(err)
	switch answer.Code() {
	case codes.PermissionDenied, codes.Unavailable:
		return true
	case codes.Unimplemented:
		return strings.HasPrefix(answer.Message(), "unknown service")
	case codes.Unknown:
		return answer.Message() == authorization.RequestUnauthorized
	default:
		return false
	}
}

func TestTheTokenOpensTheFrontend(t *testing.T) {
	t.Parallel()
	conn, err := dialGRPC(shared.Connection())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, what := range []string{"system info", "search attributes", "admin"} {
		if err := rawCalls[what](within(t), conn); err != nil {
			t.Errorf("%s with the token: %v", what, err)
		}
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	token := newToken()
	if other := newToken(); token == other || len(token) != 43 {
		t.Fatalf("tokens %q and %q", token, other)
	}
	g := newGate(token)
	for name, c := range map[string]struct {
		header string
		want   authorization.Decision
	}{
		"the token":         {bearer + token, authorization.DecisionAllow},
		"nothing":           {"", authorization.DecisionDeny},
		"no scheme":         {token, authorization.DecisionDeny},
		"another scheme":    {"Basic " + token, authorization.DecisionDeny},
		"a prefix of it":    {bearer + token[:42], authorization.DecisionDeny},
		"more than it":      {bearer + token + "x", authorization.DecisionDeny},
		"another's token":   {bearer + newToken(), authorization.DecisionDeny},
		"only the scheme":   {bearer, authorization.DecisionDeny},
		"a space before it": {" " + bearer + token, authorization.DecisionDeny},
	} {
		claims, err := g.GetClaims(&authorization.AuthInfo{AuthToken: c.header})
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Authorize(t.Context(), claims, &authorization.CallTarget{})
		if err != nil || got.Decision != c.want {
			t.Errorf("%s: decision %v, %v; want %v", name, got.Decision, err, c.want)
		}
	}
}
