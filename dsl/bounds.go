package dsl

import "fmt"

// Bounds of a document, met before anything reads it.
const (
	maxDepth         = 128
	maxValues        = 100_000
	maxDocumentBytes = 8 << 20
)

// protoKey is what JavaScript takes for the parent of an object.
const protoKey = "__proto__"

// bounds refuses what is too deep, too large or no JSON value, with one issue. Shared values count each time, so a
// value that contains itself ends at one of the two bounds.
type bounds struct {
	values int
	issue  *Issue
}

func checkBounds(doc any) *Issue {
	b := &bounds{}
	b.visit(doc, 1)
	return b.issue
}

func (b *bounds) visit(value any, depth int) {
	b.values++
	switch {
	case depth > maxDepth:
		b.refuse("doc_depth", fmt.Sprintf("it is nested deeper than %d", maxDepth))
		return
	case b.values > maxValues:
		b.refuse("doc_size", fmt.Sprintf("it has more than %d values", maxValues))
		return
	}
	switch v := value.(type) {
	case nil, bool, float64, string:
	case []any:
		for _, item := range v {
			if b.visit(item, depth+1); b.issue != nil {
				return
			}
		}
	case *Object:
		b.object(v, depth)
	default:
		b.refuse("doc_not_plain", fmt.Sprintf("it holds a value of type %T", value))
	}
}

func (b *bounds) object(o *Object, depth int) {
	if o.Has(protoKey) {
		b.refuse("doc_key", "an object has the key "+protoKey)
		return
	}
	for _, value := range o.All() {
		if b.visit(value, depth+1); b.issue != nil {
			return
		}
	}
}

func (b *bounds) refuse(code, message string) {
	if b.issue == nil {
		b.issue = &Issue{Code: code, Path: "workflow", Message: message, Hint: hint(code)}
	}
}

// hint is what to do about the issues of a code.
func hint(code string) string {
	for _, rule := range Rules() {
		if rule.Code == code {
			return rule.advice()
		}
	}
	return ""
}
