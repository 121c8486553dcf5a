package dsl

import "fmt"

// maxIssues is how many issues a check reports; nobody mends more at once, and a hostile document could have 100,000.
const maxIssues = 1000

// Check says what is known of the input. With an Input or InputKeys, Validate also checks that every key a node reads
// exists by then, and with an Input that it meets the input's schema. With neither it checks the document alone.
type Check struct {
	Input     any
	InputKeys []string
}

// Validate says what is wrong with a document: nil for nothing. It runs no code, and it returns for any value
// whatsoever in a time that is linear in its size.
func Validate(doc any, check Check) []Issue {
	if issue := checkBounds(doc); issue != nil {
		return []Issue{*issue}
	}
	tables := newTables()
	if issues := checkShape(tables, doc); len(issues) > 0 {
		return issues
	}
	workflow, _ := doc.(*Object)
	c := newChecker(tables, workflow)
	if input, given := knownInput(check); given {
		c.know, c.reachable = newKnowledge(), true
		c.knowInput(input)
	}
	c.document()
	if check.Input != nil {
		c.input(check.Input)
	}
	if len(c.issues) > 0 {
		return c.issues
	}
	return checkConformity(tables, workflow)
}

// knownInput are the keys of the input, and whether they are known.
func knownInput(check Check) ([]string, bool) {
	if check.Input == nil {
		return check.InputKeys, check.InputKeys != nil
	}
	input, _ := check.Input.(*Object)
	return input.Keys(), true
}

// tables are the language's tables, made once for a validation.
type tables struct {
	document   []Field
	kinds      map[Kind]kindTable
	predicates map[string]PredicateSpec
	hints      map[string]string
	// kindNames and predicateNames are what a misspelt one may have meant.
	kindNames, predicateNames []string
}

type kindTable struct {
	fields []Field
	known  map[string]bool
}

func newTables() *tables {
	t := &tables{
		document: DocumentFields(), kinds: map[Kind]kindTable{}, predicates: map[string]PredicateSpec{},
		hints: map[string]string{},
	}
	for _, spec := range Kinds() {
		known := map[string]bool{"node": true, "metadata": true}
		for _, field := range spec.Fields {
			known[field.Name] = true
		}
		t.kindNames = append(t.kindNames, string(spec.Kind))
		t.kinds[spec.Kind] = kindTable{fields: spec.Fields, known: known}
	}
	for _, spec := range Predicates() {
		t.predicates[spec.Name] = spec
		t.predicateNames = append(t.predicateNames, spec.Name)
	}
	for _, rule := range Rules() {
		t.hints[rule.Code] = rule.advice()
	}
	return t
}

// place is where in a document something stands. It becomes text only where an issue names it.
type place struct {
	outer *place
	step  string
	label string
	// last is the step's number in a list.
	last int
}

func (p *place) at(step string) *place { return &place{outer: p, step: step, label: p.label} }

func (p *place) index(name string, i int) *place {
	return &place{outer: p, step: fmt.Sprintf(".%s[%d]", name, i), label: p.label, last: i}
}

func (p *place) String() string {
	if p.outer == nil {
		return p.step
	}
	return p.outer.String() + p.step
}

const maxStep = 80

// named is the step into a field or branch whose name is the author's.
func named(name string) string {
	if len(name) > maxStep {
		name = name[:maxStep] + "…"
	}
	return "." + name
}
