package dsl

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxSchemaSteps bounds the work of one check. Schemas that refer to each other can make it grow exponentially with the
// depth of the value; a large honest value takes far fewer.
const maxSchemaSteps = 1_000_000

// maxProblems is how many problems a check names.
const maxProblems = 8

// Schemas are the JSON Schemas of one document. They may be used from many goroutines at once.
type Schemas struct {
	ids       []string
	converted []any

	mu       sync.Mutex // guards what follows: one check at a time
	compiled map[string]*jsonschema.Schema
	engine   *jsonschema.Compiler
	index    map[string]int
	steps    int
}

// CompileSchemas reads the schemas of a document and says what is wrong with them. A `$ref` is `#/definitions/<name>`,
// which is a definition of the schema itself or else another schema of the document. Where any of them has an issue the
// set is empty. A schema is compiled when it is first used: the library's way is too slow for a document that is only
// looked at.
func CompileSchemas(schemas *Object) (*Schemas, []Issue) {
	reader := newSchemaReader(schemas)
	converted := reader.all(schemas)
	if len(reader.issues) > 0 {
		return &Schemas{}, reader.issues
	}
	return &Schemas{
		ids: schemas.Keys(), converted: converted, index: reader.index,
		compiled: make(map[string]*jsonschema.Schema, schemas.Len()),
	}, nil
}

// compile compiles one schema and those it refers to. The caller holds mu.
func (s *Schemas) compile(id string) (*jsonschema.Schema, error) {
	if schema := s.compiled[id]; schema != nil {
		return schema, nil
	}
	if s.engine == nil {
		engine := s.compiler()
		for i, schema := range s.converted {
			if err := engine.AddResource(schemaURL(i), schema); err != nil {
				return nil, fmt.Errorf("schema %q: %w", clip(s.ids[i]), err)
			}
		}
		s.engine = engine
	}
	schema, err := s.engine.Compile(schemaURL(s.index[id]))
	if err != nil {
		return nil, fmt.Errorf("schema %q: %w", clip(id), err)
	}
	s.compiled[id] = schema
	return schema, nil
}

func (s *Schemas) compiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.AssertFormat()
	compiler.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "urn:steps",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return stepCount{s}, nil
		},
	})
	compiler.AssertVocabs()
	return compiler
}

// Has tells whether there is such a schema.
func (s *Schemas) Has(id string) bool {
	_, ok := s.index[id]
	return ok
}

// Check says what of a value does not meet the schema of an id, in at most 8 lines `schemaPath: message` without a word
// of the value itself. Nil means that it does.
func (s *Schemas) Check(id string, value any) []string {
	if !s.Has(id) {
		return []string{fmt.Sprintf("there is no schema %q", clip(id))}
	}
	err := s.validate(id, plain(value))
	if err == nil {
		return nil
	}
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return s.problems(invalid)
	}
	return []string{err.Error()}
}

var errSchemaSteps = errors.New("checking the value against the schema takes too long: its schemas refer to each other in too many ways")

func (s *Schemas) validate(id string, value any) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	schema, err := s.compile(id)
	if err != nil {
		return err
	}
	s.steps = 0
	defer func() {
		// The library has no way to stop a validation but this one.
		if stopped := recover(); stopped != nil {
			if stopped != any(errSchemaSteps) {
				panic(stopped)
			}
			err = errSchemaSteps
		}
	}()
	return schema.Validate(value) //nolint:wrapcheck // the caller reads its type
}

// stepCount is part of every compiled schema and stops a check that takes too many steps.
type stepCount struct{ of *Schemas }

func (c stepCount) Validate(*jsonschema.ValidatorContext, any) {
	c.of.steps++
	if c.of.steps > maxSchemaSteps {
		panic(errSchemaSteps)
	}
}

// noLoader refuses to read a schema from anywhere else.
type noLoader struct{}

var errNoLoader = errors.New("schemas are not read from outside the document")

func (noLoader) Load(string) (any, error) { return nil, errNoLoader }

const schemaURLPrefix = "mem:///"

func schemaURL(i int) string { return schemaURLPrefix + strconv.Itoa(i) }

// plain is a value with ordered objects replaced by maps.
func plain(value any) any {
	switch v := value.(type) {
	case *Object:
		object := make(map[string]any, v.Len())
		for key, item := range v.All() {
			object[key] = plain(item)
		}
		return object
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = plain(item)
		}
		return items
	default:
		return value
	}
}
