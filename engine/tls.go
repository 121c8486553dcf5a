package engine

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLSConfig names the files of a TLS connection to a cluster. The zero value trusts the host's certificate authorities
// and presents no certificate.
type TLSConfig struct {
	// CA is a PEM file of the authorities to trust instead of the host's.
	CA string `json:"ca,omitempty"`
	// Cert and Key are the PEM files of the client certificate; both or neither.
	Cert string `json:"cert,omitempty"`
	Key  string `json:"key,omitempty"`
	// ServerName is the name in the server's certificate where it is not the one dialled.
	ServerName string `json:"server_name,omitempty"`
}

// load reads the files. They are read again by each process that dials, so a renewed certificate needs a restart only.
func (t *TLSConfig) load() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("Temporal TLS authorities: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("Temporal TLS authorities: %s holds no PEM certificate", t.CA)
		}
	}
	if (t.Cert == "") != (t.Key == "") {
		return nil, errors.New("Temporal TLS: a client certificate needs both its certificate and its key file")
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("Temporal TLS client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
