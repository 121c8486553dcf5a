package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// Idempotency names a request that may be sent twice: the same scope, key and body digest give the first answer again.
type Idempotency struct {
	Scope, Key string
	BodyDigest string
}

// recall reads the first answer to a request into answer. It is false for a request that is new, and
// run.ErrIdempotency where the key was used with another body.
func (t *txn) recall(ask *Idempotency, answer any) (bool, error) {
	if ask == nil || ask.Key == "" {
		return false, nil
	}
	var digest, text string
	err := t.row(t.statements.recall, ask.Scope, ask.Key).Scan(&digest, &text)
	if isNoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read an idempotency key: %w", err)
	}
	if digest != ask.BodyDigest {
		return false, run.Errorf(run.ErrIdempotency, "the Idempotency-Key %q was used with another body: use a new key for a "+
			"new request", ask.Key).With("key", ask.Key)
	}
	if strings.HasPrefix(text, blobPrefix) {
		data, err := readBlob(t.ctx, t.statements.blob, text)
		if err != nil {
			return false, err
		}
		text = string(data)
	}
	return true, wrapf(json.Unmarshal([]byte(text), answer), "read the first answer of an idempotency key")
}

// remember keeps the first answer to a request.
func (t *txn) remember(ask *Idempotency, answer any) error {
	if ask == nil || ask.Key == "" {
		return nil
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("encode an answer: %w", err)
	}
	column, blob := pack(text)
	if _, err := t.addBlob(blob); err != nil {
		return err
	}
	_, err = t.exec(t.statements.remember, ask.Scope, ask.Key, ask.BodyDigest, column, t.now.UnixMilli())
	return wrapf(err, "keep an idempotency key")
}
