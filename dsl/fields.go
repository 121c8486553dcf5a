package dsl

// FieldType is what a field of a document holds.
type FieldType string

// The types of fields.
const (
	TypeText      FieldType = "text"
	TypeTexts     FieldType = "texts"      // a list of texts
	TypeTextOrAll FieldType = "text|texts" // one text or a list of them
	TypeNumber    FieldType = "number"
	TypeWhole     FieldType = "whole" // a whole number
	TypeFlag      FieldType = "flag"
	TypeAny       FieldType = "any"
	TypeScalars   FieldType = "scalars"   // a list of texts, numbers and booleans
	TypeMap       FieldType = "map"       // an object of anything
	TypePart      FieldType = "part"      // an object with the fields in Fields
	TypePredicate FieldType = "predicate" // a condition
	TypeNode      FieldType = "node"
	TypeNodes     FieldType = "nodes"
	TypeBranches  FieldType = "branches" // named branches, each with the fields in Fields
	TypeDocument  FieldType = "document" // a whole workflow document
	TypeSchemas   FieldType = "schemas"  // JSON Schemas by id
)

// Field is one field of a document, a node or a part of one. The validator, the editor schema and the reference are all
// made from these.
type Field struct {
	Name     string
	Type     FieldType
	Required bool
	// Doc says in one line what the field is for.
	Doc string
	// Values are the only texts allowed (in a list: its items); nil where any will do.
	Values []string
	// Min is the lowest number allowed and Above the number it must exceed; Max the highest and Below the one it must stay
	// under. Nil where there is none.
	Min, Above, Max, Below *float64
	// Fields are those of a part or of a branch.
	Fields []Field
	// Ignored fields are accepted for the sake of older documents and have no effect.
	Ignored bool
	// Loose says that the first passes leave the type to the rule that names the field, whose message is better.
	Loose bool
}

// KindSpec is one kind of node: what it is for and the only fields it may have besides `node` and `metadata`.
type KindSpec struct {
	Kind   Kind
	Doc    string
	Fields []Field
}

// PredicateSpec is one predicate and the fields it has besides `predicate`.
type PredicateSpec struct {
	Name   string
	Doc    string
	Fields []Field
	// JudgeOnly says that only loop.until and escalate.when may use it.
	JudgeOnly bool
}

// DocumentFields are the fields of a workflow document.
func DocumentFields() []Field {
	return []Field{
		{Name: "v", Type: TypeNumber, Required: true, Loose: true, Min: new(2.0), Max: new(2.0), Doc: "The version of the language: 2."},
		{Name: "name", Type: TypeText, Required: true, Doc: "The workflow's name."},
		{Name: "schemas", Type: TypeSchemas, Required: true, Doc: "The JSON Schemas of the workflow, by id."},
		part("input", "What the workflow is given; left out, it takes any object.", must(id("schemaId", "The schema of the input."))),
		must(part("output", "What the workflow gives back.", must(id("schemaId", "The schema of the output.")),
			optional("path", TypeText, "Where in the state the output is; left out, it is the whole state."))),
		{Name: "root", Type: TypeNode, Required: true, Doc: "The node that runs."},
	}
}

func must(f Field) Field {
	f.Required = true
	return f
}

func loose(f Field) Field {
	f.Loose = true
	return f
}

func ignored(f Field) Field {
	f.Ignored = true
	return f
}

func optional(name string, kind FieldType, doc string) Field {
	return Field{Name: name, Type: kind, Doc: doc}
}

func required(name string, kind FieldType, doc string) Field {
	return must(optional(name, kind, doc))
}

func part(name, doc string, fields ...Field) Field {
	return Field{Name: name, Type: TypePart, Doc: doc, Fields: fields}
}

func id(name, doc string) Field { return optional(name, TypeText, doc) }

func choice(name, doc string, values ...string) Field {
	return Field{Name: name, Type: TypeText, Doc: doc, Values: values}
}

func atLeast(f Field, bound float64) Field {
	f.Min = &bound
	return f
}

func atMost(f Field, bound float64) Field {
	f.Max = &bound
	return f
}

func above(f Field, bound float64) Field {
	f.Above = &bound
	return f
}

func below(f Field, bound float64) Field {
	f.Below = &bound
	return f
}
