package dsl

import "fmt"

// maxShapeIssues is how many issues the shape pass reports.
const maxShapeIssues = 8

// shape is the first look at a document: only that texts, lists and objects stand where they belong, so that the later
// passes can read on without asking.
type shape struct {
	tables *tables
	issues []Issue
}

func checkShape(t *tables, doc any) []Issue {
	s := &shape{tables: t}
	s.document(doc, &place{step: "workflow"})
	return s.issues
}

func (s *shape) full() bool { return len(s.issues) >= maxShapeIssues }

func (s *shape) want(what string, value any, at *place) {
	s.report("shape_type", fmt.Sprintf("it must be %s and is %s", what, article(value)), at)
}

func (s *shape) report(code, message string, at *place) {
	if !s.full() {
		s.issues = append(s.issues, Issue{
			Code: code, Path: at.String(), Label: at.label, Message: message, Hint: s.tables.hints[code],
		})
	}
}

func (s *shape) object(value any, at *place) *Object {
	o, ok := value.(*Object)
	if !ok {
		s.want("an object", value, at)
	}
	return o
}

func (s *shape) document(value any, at *place) {
	if doc := s.object(value, at); doc != nil {
		s.fields(doc, s.tables.document, at)
	}
}

func (s *shape) node(value any, at *place) {
	node := s.object(value, at)
	if node == nil {
		return
	}
	at.label = clip(text(node, "label"))
	if metadata, given := node.Get("metadata"); given {
		if _, ok := metadata.(*Object); !ok {
			s.report("shape_metadata", "metadata must be an object and is "+article(metadata), at.at(".metadata"))
		}
	}
	s.fields(node, s.tables.kinds[Kind(text(node, "node"))].fields, at)
}

func (s *shape) fields(o *Object, fields []Field, at *place) {
	for i := range fields {
		if s.full() {
			return
		}
		if value, given := o.Get(fields[i].Name); given {
			s.field(value, &fields[i], at.at("."+fields[i].Name))
		}
	}
}

func (s *shape) field(value any, field *Field, at *place) {
	if field.Loose && field.Type != TypeNode {
		return
	}
	switch field.Type {
	case TypeText:
		if _, ok := value.(string); !ok {
			s.want("a text", value, at)
		}
	case TypeTexts:
		if _, ok := value.([]any); !ok {
			s.want("a list", value, at)
		}
	case TypeTextOrAll:
		if _, ok := value.(string); !ok {
			if _, ok := value.([]any); !ok {
				s.want("a text or a list", value, at)
			}
		}
	case TypeMap, TypeSchemas:
		s.object(value, at)
	case TypePart:
		if part := s.object(value, at); part != nil {
			s.fields(part, field.Fields, at)
		}
	default:
		s.nested(value, field, at)
	}
}

func (s *shape) nested(value any, field *Field, at *place) {
	switch field.Type {
	case TypeNode:
		s.body(value, field, at)
	case TypeNodes:
		s.nodes(value, at)
	case TypeBranches:
		s.branches(value, field, at)
	case TypeDocument:
		s.document(value, at)
	default: // numbers, flags, conditions and data have rules of their own
	}
}

func (s *shape) body(value any, field *Field, at *place) {
	if _, ok := value.(*Object); !ok && field.Loose {
		return
	}
	s.node(value, at)
}

func (s *shape) nodes(value any, at *place) {
	items, ok := value.([]any)
	if !ok {
		s.want("a list", value, at)
		return
	}
	for i, item := range items {
		if s.full() {
			return
		}
		s.node(item, at.at(fmt.Sprintf("[%d]", i)))
	}
}

func (s *shape) branches(value any, field *Field, at *place) {
	branches := s.object(value, at)
	for name, item := range branches.All() {
		if s.full() {
			return
		}
		inner := at.at(named(name))
		if branch := s.object(item, inner); branch != nil {
			s.fields(branch, field.Fields, inner)
		}
	}
}
