package engine

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"

	"go.temporal.io/server/common/rpc/encryption"
)

// internodeName is the name the services know each other by.
const internodeName = "engine.agentrun.internal"

// certificateLife is longer than any process lives: nothing renews these.
const certificateLife = 50 * 365 * 24 * time.Hour

// newInternodeTLS makes the mutual TLS between the services: one self-signed certificate, whose key exists only in this
// process, that both ends present and both ends demand. Clients of the frontend use the token instead.
func newInternodeTLS() (encryption.TLSConfigProvider, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the engine's key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("make the engine's certificate: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: internodeName},
		DNSNames:              []string{internodeName},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(certificateLife),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make the engine's certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read the engine's certificate: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	own := []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}}
	return &encryption.FixedTLSConfigProvider{
		InternodeServerConfig: &tls.Config{
			MinVersion:   tls.VersionTLS13,
			Certificates: own,
			ClientAuth:   tls.RequireAndVerifyClientCert,
			ClientCAs:    pool,
		},
		InternodeClientConfig: &tls.Config{
			MinVersion:   tls.VersionTLS13,
			Certificates: own,
			ServerName:   internodeName,
			RootCAs:      pool,
		},
	}, nil
}
