package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/netip"

	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// authorizationHeader is the gRPC metadata key of the token or API key.
const authorizationHeader = "authorization"

// maxMessageBytes bounds one answer: a page of history may hold many payloads of 2 MiB.
const maxMessageBytes = 128 << 20

// Connection is how a process dials a Temporal service. serve hands it to its workers as JSON by pipe: it holds secrets.
type Connection struct {
	// Address is host:port of the frontend.
	Address   string `json:"address"`
	Namespace string `json:"namespace"`
	// Token is what the embedded engine asks for.
	Token string `json:"token,omitempty"`
	// APIKey is what Temporal Cloud and some clusters ask for. It leaves this host over TLS only.
	APIKey string `json:"api_key,omitempty"`
	// TLS encrypts the connection. Nil means plaintext without an APIKey, and on this host's loopback (a development server,
	// or a proxy that adds the TLS).
	TLS *TLSConfig `json:"tls,omitempty"`
}

// String leaves the secrets out.
func (c Connection) String() string { return c.Namespace + " at " + c.Address }

// LogValue leaves the secrets out.
func (c Connection) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Dial connects a client and checks that the service answers. The options may set an identity, interceptors and the
// like; address, namespace and credentials are the connection's. The caller closes the client.
func Dial(
	ctx context.Context, connection Connection, log *slog.Logger, options ...func(*client.Options),
) (client.Client, error) {
	security, err := connection.transport()
	if err != nil {
		return nil, err
	}
	settings := client.Options{}
	for _, option := range options {
		option(&settings)
	}
	settings.HostPort = connection.Address
	settings.Namespace = connection.Namespace
	settings.HeadersProvider = connection
	settings.ConnectionOptions.TLS = security
	settings.ConnectionOptions.TLSDisabled = security == nil
	if connection.Token != "" && settings.ConnectionOptions.GrpcCompression == nil {
		// The SDK would gzip each message; the embedded engine is on this host.
		settings.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{}
	}
	if settings.Logger == nil {
		settings.Logger = sdkLog(log)
	}
	c, err := client.DialContext(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", connection.Address, err)
	}
	return c, nil
}

// GetHeaders gives each call its credential (client.Options.HeadersProvider).
func (c Connection) GetHeaders(context.Context) (map[string]string, error) {
	secret := c.secret()
	if secret == "" {
		return nil, nil
	}
	return map[string]string{authorizationHeader: bearer + secret}, nil
}

func (c Connection) secret() string {
	if c.Token != "" {
		return c.Token
	}
	return c.APIKey
}

// transport gives the TLS of the connection, nil for plaintext.
func (c Connection) transport() (*tls.Config, error) {
	switch {
	case c.TLS != nil:
		return c.TLS.load()
	case c.APIKey != "" && !c.loopback():
		return (&TLSConfig{}).load()
	default:
		return nil, nil
	}
}

// loopback tells whether the address is a literal one of this host.
func (c Connection) loopback() bool {
	address, err := netip.ParseAddrPort(c.Address)
	return err == nil && address.Addr().IsLoopback()
}

// dialGRPC makes the connection of the UI and the checks, on which every call carries the credential. It does not wait
// for the service to answer.
func dialGRPC(c Connection) (*grpc.ClientConn, error) {
	security, err := c.transport()
	if err != nil {
		return nil, err
	}
	transport := insecure.NewCredentials()
	if security != nil {
		transport = credentials.NewTLS(security)
	}
	conn, err := grpc.NewClient(c.Address,
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes)),
		grpc.WithUnaryInterceptor(c.authorize),
	)
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", c.Address, err)
	}
	return conn, nil
}

// authorize puts the credential on an outgoing call in place of any other.
func (c Connection) authorize(
	ctx context.Context, method string, request, reply any,
	conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	md, _ := metadata.FromOutgoingContext(ctx)
	md = md.Copy()
	md.Delete(authorizationHeader)
	headers, _ := c.GetHeaders(ctx)
	for key, value := range headers {
		md.Set(key, value)
	}
	if c.Namespace != "" {
		md.Set("temporal-namespace", c.Namespace)
	}
	return invoke(metadata.NewOutgoingContext(ctx, md), method, request, reply, conn, options...)
}
