package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compileSchema says why a JSON Schema cannot be used. References to other documents are not followed.
func compileSchema(schema json.RawMessage) error {
	var document any
	if err := json.Unmarshal(schema, &document); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	const here = "urn:agentrun:output"
	if err := compiler.AddResource(here, document); err != nil {
		return readable(err)
	}
	if _, err := compiler.Compile(here); err != nil {
		return readable(err)
	}
	return nil
}

type noLoader struct{}

// Load refuses every address (jsonschema.URLLoader).
func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("references to other documents (%s) are not followed", url)
}

// readable is the compiler's error in one line: what is wrong first, and where.
func readable(err error) error {
	var invalid *jsonschema.SchemaValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var found *jsonschema.ValidationError
	if !errors.As(invalid.Err, &found) {
		return invalid.Err
	}
	for len(found.Causes) > 0 {
		found = found.Causes[0]
	}
	text := found.Error()
	if _, cause, ok := strings.Cut(text, "\n- "); ok {
		text = cause
	}
	return errors.New(text)
}
