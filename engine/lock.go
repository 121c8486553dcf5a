package engine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"

	"go.temporal.io/server/common/authorization"
)

// bearer is how a token is spelled in the authorization header.
const bearer = "Bearer "

// newToken makes the token of one start: 256 random bits.
func newToken() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the process instead
	return base64.RawURLEncoding.EncodeToString(raw)
}

// gate lets a call pass that carries the token of this start, and no other, whatever it asks for.
type gate struct {
	sum [sha256.Size]byte
}

func newGate(token string) *gate {
	return &gate{sum: sha256.Sum256([]byte(bearer + token))}
}

// GetClaims gives no claims for a wrong token, rather than an error, which the server would log for every attempt.
func (g *gate) GetClaims(info *authorization.AuthInfo) (*authorization.Claims, error) {
	sum := sha256.Sum256([]byte(info.AuthToken))
	if subtle.ConstantTimeCompare(sum[:], g.sum[:]) != 1 {
		return nil, nil
	}
	return &authorization.Claims{Subject: "agentrun", System: authorization.RoleAdmin}, nil
}

// Authorize refuses every call without claims, the health check and reflection included.
func (g *gate) Authorize(
	_ context.Context, claims *authorization.Claims, _ *authorization.CallTarget,
) (authorization.Result, error) {
	if claims == nil || claims.System != authorization.RoleAdmin {
		return authorization.Result{Decision: authorization.DecisionDeny}, nil
	}
	return authorization.Result{Decision: authorization.DecisionAllow}, nil
}
