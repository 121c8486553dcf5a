package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxFaults is the most faults of a call's arguments that are listed.
const maxFaults = 10

// check says what is wrong with a call's arguments, in words the model can act on, or "". No arguments at all count as
// the empty object: some providers send them so.
func (t entry) check(call Call) (args json.RawMessage, wrong string) {
	args = call.Args
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return nil, fmt.Sprintf("Invalid arguments for %s: they are not JSON (%v). Nothing was done.", t.Name, err)
	}
	err = t.schema.Validate(value)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return args, ""
	case errors.As(err, &invalid):
		return nil, fmt.Sprintf("Invalid arguments for %s: %s. Nothing was done.", t.Name, faults(invalid))
	default:
		return nil, fmt.Sprintf("Invalid arguments for %s: %v. Nothing was done.", t.Name, err)
	}
}

// faults lists what does not match, each with its place, in an order that is always the same.
func faults(invalid *jsonschema.ValidationError) string {
	var list []string
	for _, unit := range invalid.BasicOutput().Errors {
		if unit.Error == nil {
			continue
		}
		text := unit.Error.String()
		if at := strings.TrimPrefix(unit.InstanceLocation, "/"); at != "" {
			text = at + ": " + text
		}
		const longest = 300
		if len(text) > longest {
			text = strings.ToValidUTF8(text[:longest], "") + "…"
		}
		list = append(list, text)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > maxFaults {
		list = append(list[:maxFaults], fmt.Sprintf("and %d more", len(list)-maxFaults))
	}
	return strings.Join(list, "; ")
}

// decode reads arguments that match their schema; what does not decode then is a defect of the schema.
func decode[T any](args json.RawMessage) T {
	var value T
	if err := json.Unmarshal(args, &value); err != nil {
		panic(fmt.Sprintf("tools: arguments that match their schema do not decode into %T: %v", value, err))
	}
	return value
}
