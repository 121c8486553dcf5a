package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/agentrun/agentrun/store"
)

// IdempotencyKey is the input part of a request that may be sent twice.
type IdempotencyKey struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"The same key and body give the first answer again."`
}

// keyed is what the store remembers the request by: its key in a scope, and a digest of what was asked, which does not
// change with the spelling or the encoding of the body. It is nil without a key.
func (k IdempotencyKey) keyed(scope string, asked any) *store.Idempotency {
	if k.IdempotencyKey == "" {
		return nil
	}
	data, err := json.Marshal(asked)
	if err != nil {
		panic("api: encode what was asked: " + err.Error()) // it was decoded from JSON
	}
	sum := sha256.Sum256(data)
	return &store.Idempotency{Scope: scope, Key: k.IdempotencyKey, BodyDigest: hex.EncodeToString(sum[:])}
}

// replayHeader is the value of a Replayed header.
func replayHeader(replayed bool) string {
	if replayed {
		return "true"
	}
	return ""
}
