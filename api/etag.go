package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// encoded is a body that is encoded once, for its ETag and for the wire.
type encoded[T any] struct{ data json.RawMessage }

// MarshalJSON gives the body.
func (e encoded[T]) MarshalJSON() ([]byte, error) { return e.data, nil }

// Schema is the value's.
func (encoded[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// tagged is the answer of a GET of one object.
type tagged[T any] struct {
	Status int
	ETag   string `header:"ETag"`
	Body   encoded[T]
}

// IfNoneMatch is the input part of a GET that can answer 304.
type IfNoneMatch struct {
	IfNoneMatch string `header:"If-None-Match" doc:"Answers 304 where the object still has this ETag."`
}

// tag answers with an object, or 304 where the caller has it already. The prefix, where there is one, is the part of the
// ETag that If-Match compares.
func tag[T any](value T, prefix string, cond IfNoneMatch) (*tagged[T], error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	etag := contentTag(data)
	if prefix != "" {
		etag = `"` + prefix + tagSeparator + unquote(etag) + `"`
	}
	out := &tagged[T]{Status: http.StatusOK, ETag: etag, Body: encoded[T]{data}}
	if matches(cond.IfNoneMatch, etag) {
		out.Status = http.StatusNotModified
	}
	return out, nil
}

// tagSeparator stands between an ETag's prefix and the digest of the content.
const tagSeparator = "."

// contentTag is the ETag of a content.
func contentTag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// matches tells whether an If-None-Match header names an ETag.
func matches(header, etag string) bool {
	for _, candidate := range entityTags(header) {
		if candidate == "*" || candidate == unquote(etag) {
			return true
		}
	}
	return false
}

// entityTags lists the tags of an If-Match or If-None-Match header without quotes and weakness. A tag that was sent
// without quotes is taken as it is.
func entityTags(header string) []string {
	var tags []string
	for part := range strings.SplitSeq(header, ",") {
		if tag := unquote(part); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

func unquote(tag string) string {
	tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
	return strings.TrimSuffix(strings.TrimPrefix(tag, `"`), `"`)
}
