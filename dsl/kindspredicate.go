package dsl

// Predicates are the conditions that a document may use.
func Predicates() []PredicateSpec {
	path := required("path", TypeText, "Where the value is.")
	n := required("n", TypeNumber, "The number to compare with.")
	return []PredicateSpec{
		{Name: "field_equals", Doc: "The value is exactly this one.", Fields: []Field{path, required("value", TypeAny, "The value.")}},
		{Name: "field_true", Doc: "The value is true.", Fields: []Field{path}},
		{Name: "in", Doc: "The value is one of these.", Fields: []Field{path, required("values", TypeScalars, "The values.")}},
		{Name: "count_gte", Doc: "The list has at least so many items.", Fields: []Field{path, n}},
		{Name: "gte", Doc: "The number is at least n.", Fields: []Field{path, n}},
		{Name: "lt", Doc: "The number is less than n.", Fields: []Field{path, n}},
		{Name: "empty", Doc: "The value is missing, null, \"\" or [].", Fields: []Field{path}},
		{Name: "no_new_items", Doc: "The list at this key is empty.", Fields: []Field{required("key", TypeText, "The key.")}},
		{Name: "expr", Doc: "The expr-lang expression over the state is true.", Fields: []Field{required("expr", TypeText, "The expression.")}},
		{Name: "ask", Doc: "A judge finds that it holds.", JudgeOnly: true, Fields: []Field{
			required("instructions", TypeText, "The yes/no question."),
			stateMap("What the judge sees, {paths} filled in; left out, the whole state."),
			part("criteria", "What each answer means.", optional("true", TypeText, "When it holds."), optional("false", TypeText, "When it does not.")),
			atMost(above(optional("gte", TypeNumber, "The probability from which it holds; 0.6 when left out."), 0.5), 1),
		}},
	}
}
