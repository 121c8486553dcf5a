package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/goccy/go-yaml"
)

// readDefinition reads an agent's definition as JSON. YAML is the superset, so one reader takes both; what the
// definition means is the server's to check.
func readDefinition(term *terminal, path string) (json.RawMessage, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(term.in)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("definition: %w", err)
	}
	if json.Valid(data) {
		return data, nil
	}
	asJSON, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: neither JSON nor YAML: %w", path, err)
	}
	if !json.Valid(asJSON) || asJSON[0] != '{' {
		return nil, errors.New(path + ": a definition is an object with id, name, instructions and tools")
	}
	return asJSON, nil
}
