package engine

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// cloud is a cluster of others that asks for an API key over TLS and does not let us add search attributes.
type cloud struct {
	workflowservice.UnimplementedWorkflowServiceServer
	operatorservice.UnimplementedOperatorServiceServer
	attributes map[string]enums.IndexedValueType
}

const cloudKey = "key-of-the-cloud"

func (cloud) GetSystemInfo(
	context.Context, *workflowservice.GetSystemInfoRequest,
) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (cloud) DescribeNamespace(
	context.Context, *workflowservice.DescribeNamespaceRequest,
) (*workflowservice.DescribeNamespaceResponse, error) {
	return &workflowservice.DescribeNamespaceResponse{}, nil
}

func (c cloud) ListSearchAttributes(
	context.Context, *operatorservice.ListSearchAttributesRequest,
) (*operatorservice.ListSearchAttributesResponse, error) {
	return &operatorservice.ListSearchAttributesResponse{CustomAttributes: c.attributes}, nil
}

// startCloud serves it with a certificate of its own and gives the way to it.
func startCloud(t *testing.T, service cloud) Connection {
	t.Helper()
	certificate, file := selfSigned(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(
		grpc.Creds(credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}})),
		grpc.UnaryInterceptor(func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			md, _ := metadata.FromIncomingContext(ctx)
			if diff := cmp.Diff([]string{"Bearer " + cloudKey}, md.Get("authorization")); diff != "" {
				return nil, status.Error(codes.Unauthenticated, "not the key")
			}
			return next(ctx, r)
		}))
	workflowservice.RegisterWorkflowServiceServer(server, service)
	operatorservice.RegisterOperatorServiceServer(server, service)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return Connection{
		Address: listener.Addr().String(), Namespace: "team.acct", APIKey: cloudKey,
		TLS: &TLSConfig{CA: file, ServerName: "cloud.test"},
	}
}

func selfSigned(t *testing.T) (certificate tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "cloud.test"}, DNSNames: []string{"cloud.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func TestAPIKeyOverTLS(t *testing.T) {
	t.Parallel()
	connection := startCloud(t, cloud{})
	c, err := Dial(within(t), connection, nil, func(o *client.Options) { o.Identity = "worker-1" })
	if err != nil {
		t.Fatal(err)
	}
	c.Close()

	for name, change := range map[string]func(*Connection){
		"a wrong key":                 func(c *Connection) { c.APIKey = "guess" },
		"an authority that is not":    func(c *Connection) { c.TLS = nil },
		"a certificate of another":    func(c *Connection) { c.TLS = &TLSConfig{CA: c.TLS.CA, ServerName: "other.test"} },
		"half a client certificate":   func(c *Connection) { c.TLS = &TLSConfig{Cert: c.TLS.CA} },
		"a client key that is none":   func(c *Connection) { c.TLS = &TLSConfig{Cert: c.TLS.CA, Key: c.TLS.CA} },
		"an authority of no use":      func(c *Connection) { c.TLS = &TLSConfig{CA: emptyFile(t)} },
		"an authority that is absent": func(c *Connection) { c.TLS = &TLSConfig{CA: c.TLS.CA + ".no"} },
	} {
		wrong := connection
		change(&wrong)
		ctx, cancel := context.WithTimeout(within(t), 5*time.Second)
		c, err := Dial(ctx, wrong, nil)
		cancel()
		if err == nil {
			c.Close()
			t.Errorf("%s: connected", name)
		} else if strings.Contains(err.Error(), wrong.APIKey) {
			t.Errorf("%s: the error tells the key: %v", name, err)
		}
	}
}

func emptyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAClusterThatLetsUsAddNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		has  map[string]enums.IndexedValueType
		want bool
	}{
		"lacks them":            {nil, false},
		"has them":              {searchAttributes(), true},
		"has one of other type": {map[string]enums.IndexedValueType{"AgentRunAgent": enums.INDEXED_VALUE_TYPE_INT}, false},
	} {
		out, log := recorder()
		engine, err := Attach(within(t), startCloud(t, cloud{attributes: c.has}), AttachOptions{Log: log})
		if err != nil {
			t.Fatal(name, err)
		}
		if engine.Searchable() != c.want || (out.Len() == 0) != c.want {
			t.Errorf("%s: searchable %v, logged %q", name, engine.Searchable(), out)
		}
		_ = engine.Stop(t.Context())
	}
}

func TestConnectionTravelsAsJSON(t *testing.T) {
	t.Parallel()
	for _, want := range []Connection{
		{Address: "127.0.0.1:1", Namespace: "agentrun", Token: "t"},
		{Address: "cloud:7233", Namespace: "n", APIKey: "k", TLS: &TLSConfig{CA: "a", Cert: "b", Key: "c", ServerName: "d"}},
	} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Connection
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestAConnectionIsPrintedWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	connection := Connection{Address: "cloud:7233", Namespace: "team", Token: "secret-token", APIKey: "secret-key"}
	out, log := recorder()
	log.Info("dialling", "to", connection)
	for _, text := range []string{fmt.Sprint(connection), fmt.Sprintf("%+v", &connection), out.String()} {
		if strings.Contains(text, "secret") || !strings.Contains(text, "team at cloud:7233") {
			t.Errorf("printed as %q", text)
		}
	}
}

func TestAPlainConnectionSendsNoCredential(t *testing.T) {
	t.Parallel()
	headers, err := Connection{Address: "127.0.0.1:7233", Namespace: "default"}.GetHeaders(t.Context())
	if err != nil || len(headers) > 0 {
		t.Errorf("headers %v, %v", headers, err)
	}
	for address, secured := range map[string]bool{
		"cloud:7233": true, "192.0.2.1:7233": true, "localhost:7233": true, "127.0.0.1:7233": false, "[::1]:7233": false,
	} {
		security, err := Connection{Address: address, APIKey: "k"}.transport()
		if err != nil || (security != nil) != secured {
			t.Errorf("an API key goes to %s over %v, %v; want TLS: %t", address, security, err, secured)
		}
	}
}
