package faux

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/agentrun/agentrun/run"
)

//go:embed schema.json
var schemaJSON []byte

// Schema is the JSON Schema (draft 2020-12) of a script.
func Schema() []byte { return bytes.Clone(schemaJSON) }

var compiledSchema = sync.OnceValue(func() *jsonschema.Schema {
	const name = "faux-script.json"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaJSON))
	if err != nil {
		panic(fmt.Sprintf("faux: the embedded schema: %v", err))
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, document); err != nil {
		panic(fmt.Sprintf("faux: the embedded schema: %v", err))
	}
	return compiler.MustCompile(name)
})

// schemaIssues lists where a decoded document breaks the schema, sorted by path.
func schemaIssues(document any) []run.Issue {
	err := compiledSchema().Validate(document)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []run.Issue{{Code: "invalid", Message: err.Error()}}
	}
	issues := unitIssues(invalid.DetailedOutput())
	slices.SortStableFunc(issues, func(a, b run.Issue) int { return strings.Compare(a.Path, b.Path) })
	return issues
}

// unitIssues lists the faults at the leaves of a validator's output.
func unitIssues(unit *jsonschema.OutputUnit) []run.Issue {
	if unit.Error == nil {
		issues := make([]run.Issue, 0, len(unit.Errors))
		for i := range unit.Errors {
			issues = append(issues, unitIssues(&unit.Errors[i])...)
		}
		return issues
	}
	path := dotted(unit.InstanceLocation)
	switch found := unit.Error.Kind.(type) {
	case *kind.AdditionalProperties:
		var issues []run.Issue
		for _, name := range found.Properties {
			issues = append(issues, run.Issue{Path: join(path, name), Code: "unknown_field", Message: "there is no such field"})
		}
		return issues
	case *kind.Required:
		var issues []run.Issue
		for _, name := range found.Missing {
			issues = append(issues, run.Issue{Path: join(path, name), Code: "required", Message: "is required"})
		}
		return issues
	}
	return []run.Issue{{Path: path, Code: "invalid", Message: unit.Error.String()}}
}

// dotted turns a JSON pointer into a path such as "rules[1].when.user".
func dotted(pointer string) string {
	path := ""
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part == "" {
			continue
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if _, err := strconv.Atoi(part); err == nil {
			path += "[" + part + "]"
			continue
		}
		path = join(path, part)
	}
	return path
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
