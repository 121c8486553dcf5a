// Package dsl is the workflow language: it decodes, validates, inspects and interprets workflow documents, against a
// Host that does what the nodes ask of the outside.
//
// It owns the words of a document (Workflow and its nodes), the rules that a document keeps (Validate, each with a
// stable code and a hint), the values that flow between nodes (Object and its order), and the one interpreter that
// every host runs (Run). It imports nothing else of this product, does no I/O, reads no clock and starts no process:
// time, models, tools and files belong to the Host.
//
// Values are immutable. A value is nil, a bool, a float64, a string, a []any or an *Object; once it has left the code
// that made it, nobody changes it in place. So a copy of a state is a copy of one object's top level, branches share
// what they do not change, and only JavaScript ever sees a deep copy.
package dsl
