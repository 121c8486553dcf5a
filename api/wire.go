package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
)

// timestamp is a time as the contract writes it: RFC 3339, UTC, milliseconds.
type timestamp time.Time

const timestampLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the time.
func (t timestamp) MarshalJSON() ([]byte, error) {
	data := make([]byte, 0, len(timestampLayout)+2)
	data = append(data, '"')
	data = time.Time(t).UTC().AppendFormat(data, timestampLayout)
	return append(data, '"'), nil
}

// Schema describes the time.
func (timestamp) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// orNull is a value that is null where there is none; unlike a pointer's, its schema says so.
type orNull[T any] struct{ value *T }

// MarshalJSON writes the value or null.
func (o orNull[T]) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(o.value)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return data, nil
}

// Schema describes the value, or null.
func (orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

func timeOrNull(at *time.Time) orNull[timestamp] {
	if at == nil {
		return orNull[timestamp]{}
	}
	t := timestamp(*at)
	return orNull[timestamp]{&t}
}

// usdSchema describes run.USD, which encodes itself.
type usdSchema struct{}

// Schema describes the amount.
func (usdSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Description: "USD, with at most 10 decimals"}
}

// statusSchema and stateSchema describe run.Status and run.State.
type (
	statusSchema struct{}
	stateSchema  struct{}
)

// Schema lists the statuses.
func (statusSchema) Schema(huma.Registry) *huma.Schema { return oneOf(run.Statuses()) }

// Schema lists the states.
func (stateSchema) Schema(huma.Registry) *huma.Schema { return oneOf(run.States()) }

func oneOf[T ~string](names []T) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, name := range names {
		schema.Enum = append(schema.Enum, string(name))
	}
	return schema
}

// amount is an amount of USD in a body, kept as it was written until the handler reads it exactly.
type amount struct{ text json.RawMessage }

// UnmarshalJSON keeps the text.
func (a *amount) UnmarshalJSON(data []byte) error {
	a.text = append(json.RawMessage(nil), data...)
	return nil
}

// Schema describes the amount; null is as good as none.
func (amount) Schema(huma.Registry) *huma.Schema {
	least := 0.0
	return &huma.Schema{
		Type: huma.TypeNumber, Nullable: true, Minimum: &least, Description: "USD, with at most 10 decimals",
	}
}

// given tells whether the field was in the body; it may have been null.
func (a amount) given() bool { return len(a.text) > 0 }

// read is the amount, or nil for none or null.
func (a amount) read(path string) (*run.USD, *run.Issue) {
	if !a.given() || string(a.text) == "null" {
		return nil, nil
	}
	value, issue := run.ReadAmount(path, a.text)
	if issue != nil {
		return nil, issue
	}
	return &value, nil
}

// base64Text is bytes in a body. The library's own type for them takes no empty ones.
type base64Text string

// Schema describes the bytes.
func (base64Text) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: map[string]any{"contentEncoding": "base64"}}
}

// document is a definition in a body, kept as it was written: run.DecodeDefinition reads it.
type document struct{ data json.RawMessage }

// UnmarshalJSON keeps the document.
func (d *document) UnmarshalJSON(data []byte) error {
	d.data = append(json.RawMessage(nil), data...)
	return nil
}

// Schema points to the definition's own schema, by which the library does not validate: its faults would be in its
// words, at the first of each kind only.
func (document) Schema(r huma.Registry) *huma.Schema {
	ref := r.Schema(reflect.TypeFor[run.Definition](), true, "")
	return &huma.Schema{Type: huma.TypeObject, Extensions: map[string]any{"$ref": ref.Ref}}
}
