package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
)

// decodeForm makes of the fields the body they stand for, held against the same schema.
func (s *Server) decodeForm(fields map[string]string) (newRunBody, error) {
	var asked newRunBody
	body := map[string]any{}
	for name, text := range fields {
		if !formFields[name] {
			body[name] = text
			continue
		}
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return asked, invalid([]run.Issue{{Path: name, Code: "malformed_json", Message: "is not JSON"}})
		}
		body[name] = json.RawMessage(text)
	}
	if content, given := body["content"]; given {
		if _, both := body["input"]; both {
			return asked, invalid([]run.Issue{{Path: "content", Code: "duplicate_field", Message: "stands in input already"}})
		}
		delete(body, "content")
		body["input"] = map[string]any{"content": content}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return asked, err
	}
	return asked, s.validateInto(data, &asked)
}

// validateInto decodes JSON that stands for a typed body as the library would have.
func (s *Server) validateInto(data []byte, into any) error { return s.validateAt("body", data, into) }

// validateAt does the same with a part of the body, which stood at a path.
func (s *Server) validateAt(at string, data []byte, into any) error {
	var parsed any
	if err := json.Unmarshal(data, &parsed); err != nil {
		return newProblem(codeMalformed, "the body is not JSON: "+err.Error())
	}
	registry := s.huma.OpenAPI().Components.Schemas
	schema := registry.Schema(reflect.TypeOf(into).Elem(), true, "")
	path, result := huma.NewPathBuffer([]byte{}, 0), &huma.ValidateResult{}
	for part := range strings.SplitSeq(at, ".") {
		path.Push(part)
	}
	huma.Validate(registry, schema, path, huma.ModeWriteToServer, parsed, result)
	if len(result.Errors) > 0 {
		return libraryProblem(http.StatusUnprocessableEntity, "", result.Errors...)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return newProblem(codeMalformed, "the body cannot be read: "+err.Error())
	}
	return nil
}

// documentMultipart adds the form to the document: the typed handler is the JSON side only.
func (s *Server) documentMultipart(path string) {
	registry := s.huma.OpenAPI().Components.Schemas
	text := &huma.Schema{Type: huma.TypeString}
	s.huma.OpenAPI().Paths[path].Post.RequestBody.Content[formMedia] = &huma.MediaType{Schema: &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"input":   registry.Schema(reflect.TypeFor[newRunInput](), true, ""),
			"content": text, "effort": text, "session": text,
			"max_cost_usd": {Type: huma.TypeNumber}, "revision": {Type: huma.TypeInteger},
			"labels": {Type: huma.TypeObject, AdditionalProperties: text},
			"files":  {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		},
	}}
}
