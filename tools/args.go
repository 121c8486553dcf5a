package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxFaults is the most faults of a call's arguments that are listed.
const maxFaults = 10

// arguments are a call's arguments after they matched their schema. They are read from the very value that was checked:
// decoding the text again could read a repeated name another way.
type arguments map[string]any

// text is a string argument, "" where it was left out.
func (a arguments) text(name string) string {
	text, _ := a[name].(string)
	return text
}

// count is an integer argument, 0 where it was left out. The schema bounds it; 3.0 is an integer too.
func (a arguments) count(name string) int {
	number, _ := a[name].(json.Number)
	count, err := number.Float64()
	if err != nil {
		return 0
	}
	return int(count)
}

// objects are the elements of an argument that is a list of objects.
func (a arguments) objects(name string) []arguments {
	list, _ := a[name].([]any)
	objects := make([]arguments, len(list))
	for i := range list {
		objects[i], _ = list[i].(map[string]any)
	}
	return objects
}

// check says what is wrong with a call's arguments, in words the model can act on, or "". No arguments at all count as
// the empty object: some providers send them so.
func (t entry) check(call Call) (args arguments, wrong string) {
	text := call.Args
	if len(bytes.TrimSpace(text)) == 0 {
		text = json.RawMessage("{}")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Sprintf("Invalid arguments for %s: they are not JSON (%v). Nothing was done.", t.Name, err)
	}
	err = t.schema.Validate(value)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		args, _ = value.(map[string]any)
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
		if extra, ok := unit.Error.Kind.(*kind.AdditionalProperties); ok {
			slices.Sort(extra.Properties) // they come as a map gives them
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
