package dsl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads JSON text into values: objects keep the order of their keys, numbers are doubles. Text that readers would
// understand differently is refused: a key that comes twice, half a character, NUL. The error is an *Issue, whose path
// is a JSON pointer.
func Decode(text []byte) (any, error) {
	d := &decoding{from: jsontext.NewDecoder(bytes.NewReader(text))}
	if len(text) > maxDocumentBytes {
		return nil, d.refused("doc_bytes", fmt.Sprintf("it has %d bytes, more than %d", len(text), maxDocumentBytes))
	}
	value, err := d.value()
	if err != nil {
		return nil, err
	}
	if _, err := d.from.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, d.refused("doc_syntax", "something follows the end of the value")
	}
	return value, nil
}

type decoding struct{ from *jsontext.Decoder }

func (d *decoding) value() (any, error) {
	token, err := d.from.ReadToken()
	if err != nil {
		return nil, d.failed(err)
	}
	switch token.Kind() {
	case '{':
		return d.object()
	case '[':
		return d.list()
	case '"':
		return d.text(token)
	case '0':
		n, err := token.Float()
		if err != nil {
			return nil, d.refused("doc_number", "the number "+clip(token.String())+" is too large")
		}
		return n, nil
	case 't', 'f':
		return token.Bool(), nil
	default:
		return nil, nil //nolint:nilnil // null is a value
	}
}

func (d *decoding) object() (any, error) {
	if err := d.deep(); err != nil {
		return nil, err
	}
	o := NewObject(0)
	for d.from.PeekKind() != '}' {
		token, err := d.from.ReadToken()
		if err != nil {
			return nil, d.failed(err)
		}
		key, err := d.text(token)
		if err != nil {
			return nil, err
		}
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		o.Set(key, value)
	}
	return o, d.close()
}

func (d *decoding) list() (any, error) {
	if err := d.deep(); err != nil {
		return nil, err
	}
	items := []any{}
	for d.from.PeekKind() != ']' {
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		items = append(items, value)
	}
	return items, d.close()
}

func (d *decoding) close() error {
	if _, err := d.from.ReadToken(); err != nil {
		return d.failed(err)
	}
	return nil
}

func (d *decoding) deep() error {
	if d.from.StackDepth() > maxDepth {
		return d.refused("doc_depth", fmt.Sprintf("it is nested deeper than %d", maxDepth))
	}
	return nil
}

func (d *decoding) text(token jsontext.Token) (string, error) {
	s := token.String()
	if strings.ContainsRune(s, 0) {
		return "", d.refused("doc_nul", "a text holds the character NUL")
	}
	return s, nil
}

// failed names what the JSON reader found wrong.
func (d *decoding) failed(err error) error {
	message := strings.TrimPrefix(err.Error(), "jsontext: ")
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return d.refused("doc_duplicate_key", clip(message))
	case strings.Contains(message, "surrogate"):
		return d.refused("doc_surrogate", clip(message))
	case strings.Contains(message, "invalid UTF-8"):
		return d.refused("doc_utf8", clip(message))
	default:
		return d.refused("doc_syntax", clip(message))
	}
}

func (d *decoding) refused(code, message string) error {
	path := "workflow"
	if at := string(d.from.StackPointer()); at != "" {
		path += clip(at)
	}
	return &Issue{Code: code, Path: path, Message: message, Hint: hint(code)}
}

const maxQuoted = 200

// clip shortens a text of the document for a message.
func clip(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return strings.ToValidUTF8(s[:maxQuoted], "") + "…"
}
