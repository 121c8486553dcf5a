package dsl

import (
	"fmt"
	"strings"
)

// checker is the semantic pass over one document; a child document has one of its own.
type checker struct {
	tables *tables
	doc    *Object
	issues []Issue

	schemas   *Object
	compiled  *Schemas
	questions map[string]*questionSet

	// know is what the state holds at the node being checked; reachable says that the input's keys were given.
	know      *knowledge
	reachable bool
	produced  map[string]bool // files that earlier calls promise
	escalates bool
	terminals []*place // reports and artifacts
	reports   bool
	// writers are the decide and extract nodes, by what they write.
	writers []writer
}

type writer struct {
	at  *place
	out string
}

func newChecker(t *tables, doc *Object) *checker {
	schemas, _ := object(doc, "schemas")
	return &checker{
		tables: t, doc: doc, schemas: schemas, questions: map[string]*questionSet{}, produced: map[string]bool{},
		know: &knowledge{off: true},
	}
}

func (c *checker) report(at *place, code, message string) {
	c.add(Issue{Code: code, Path: at.String(), Label: at.label, Message: message, Hint: c.tables.hints[code]})
}

func (c *checker) reportf(at *place, code, format string, args ...any) {
	if len(c.issues) < maxIssues {
		c.report(at, code, fmt.Sprintf(format, args...))
	}
}

func (c *checker) add(issue Issue) {
	if len(c.issues) < maxIssues {
		c.issues = append(c.issues, issue)
	}
}

// lacks tells whether a field holds no text worth the name.
func lacks(o *Object, key string) bool { return blank(text(o, key)) }

// whole reads a whole number that a double holds exactly.
func whole(value any) (float64, bool) {
	n, ok := value.(float64)
	return n, ok && n == float64(int64(n)) && n >= -maxWhole && n <= maxWhole
}

const maxWhole = 1<<53 - 1

// count reports a field that is given and no whole number from 1 on.
func (c *checker) count(o *Object, key string, at *place, code string) {
	value, given := o.Get(key)
	if !given {
		return
	}
	if n, ok := whole(value); !ok || n < 1 {
		c.reportf(at, code, "%s is %s", key, quoted(value))
	}
}

// within reports a field that is given and no number that ok accepts.
func (c *checker) within(o *Object, key string, at *place, code string, ok func(float64) bool) {
	value, given := o.Get(key)
	if !given {
		return
	}
	if n, is := value.(float64); !is || !ok(n) {
		c.reportf(at, code, "%s is %s", key, quoted(value))
	}
}

// oneOf reports a text that is given and none of those allowed.
func (c *checker) oneOf(o *Object, key string, at *place, code string, allowed ...string) {
	value, given := o.Get(key)
	if !given {
		return
	}
	for _, one := range allowed {
		if value == one {
			return
		}
	}
	c.reportf(at, code, "%s is %s, not one of %s", key, quoted(value), strings.Join(allowed, ", "))
}
