package dsl

import "slices"

// Rule is one rule of the language and the code of the issues about it. Text says what must hold, Hint how to meet it,
// and Example is a piece of a document that does; "" where there is nothing to show.
type Rule struct {
	Code, Text, Hint, Example string
}

const maxShownExample = 200

// advice is what an issue of the rule tells: the hint, and the example where it is short.
func (r Rule) advice() string {
	if r.Example == "" || len(r.Example) > maxShownExample {
		return r.Hint
	}
	return r.Hint + " For example: " + r.Example
}

// Rules are all rules that Decode and Validate keep, in the order of the reference.
func Rules() []Rule {
	return slices.Concat(documentCodes(), schemaCodes(), nodeCodes(), generateCodes(), questionCodes(), flowCodes(),
		predicateCodes(), judgeCodes(), routeCodes(), callCodes(), pollCodes(), productCodes(), childCodes(), reachCodes())
}
