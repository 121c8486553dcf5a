// Package secrets owns the values nobody may see: the keys taken from the environment at start, kept in memory only, and
// their redaction, by value, from everything that is written. It must not log, print or encode a value.
package secrets

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// minRedacted is the shortest value that is taken out of texts: a shorter one is no key, and would tear up words.
const minRedacted = 8

// Vault holds named secrets. Its zero value is empty.
type Vault struct {
	values map[string]string
	// forms are the values as they may appear in a text, longest first, with what to write instead.
	forms []form
}

type form struct{ value, instead []byte }

// Take moves the named variables out of the environment into a vault: no child of this process inherits them.
func Take(names ...string) (*Vault, error) {
	values := map[string]string{}
	for _, name := range names {
		value := strings.TrimSpace(os.Getenv(name))
		if err := os.Unsetenv(name); err != nil {
			return nil, run.Errorf(run.ErrUnavailable, "take %s out of the environment: %w", name, err)
		}
		if value != "" {
			values[name] = value
		}
	}
	return New(values), nil
}

// New makes a vault of values.
func New(values map[string]string) *Vault {
	vault := &Vault{values: map[string]string{}}
	for name, value := range values {
		vault.values[name] = value
		if len(value) < minRedacted {
			continue
		}
		instead := []byte("[redacted " + name + "]")
		vault.forms = append(vault.forms, form{[]byte(value), instead})
		if quoted, err := json.Marshal(value); err == nil {
			if inner := quoted[1 : len(quoted)-1]; string(inner) != value {
				vault.forms = append(vault.forms, form{inner, instead})
			}
		}
	}
	slices.SortFunc(vault.forms, func(a, b form) int { return len(b.value) - len(a.value) })
	return vault
}

// Has tells whether a secret is set.
func (v *Vault) Has(name string) bool { return v.values[name] != "" }

// Reveal is a secret's value, for the door alone.
func (v *Vault) Reveal(name string) (string, error) {
	value, ok := v.values[name]
	if !ok {
		return "", run.Errorf(run.ErrNotFound, "no secret is named %q", name)
	}
	return value, nil
}

// Redact takes every value out of a text, however it is escaped in JSON. A text without any is returned as it is.
func (v *Vault) Redact(text []byte) []byte {
	for _, form := range v.forms {
		if bytes.Contains(text, form.value) {
			text = bytes.ReplaceAll(text, form.value, form.instead)
		}
	}
	return text
}
