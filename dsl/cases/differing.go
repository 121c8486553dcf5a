package cases

// Difference is a published case that this product answers otherwise on purpose, and why.
type Difference struct {
	// Name and Source are those that the published case carries: another case of the same name is an author's own.
	Name, Source string
	Reason       string
}

// Differences are the published cases that rest on a stated difference of this product from the language's origin.
// docs/workflows.md says what the differences are.
func Differences() []Difference {
	return []Difference{
		{
			Name: "derived-code-receives-live-state", Source: "packages/dsl/src/code-exec.ts (derived)",
			Reason: "code gets a copy of the state: what it changes in place does not persist",
		},
		{
			Name: "output-incomplete", Source: "packages/dsl/test/workflow.test.mjs",
			Reason: "validation runs no code, so it cannot know which fields a code node leaves out",
		},
		{
			Name: "predicate-dead-code-gate", Source: "packages/dsl/test/workflow.test.mjs",
			Reason: "validation runs no code, so it cannot know which paths a code node writes",
		},
	}
}

// Differs says why the case may come out otherwise than it expects; not ok of every case but the published ones of
// Differences.
func (c Case) Differs() (reason string, ok bool) {
	for _, known := range Differences() {
		if c.Name == known.Name && c.Source == known.Source {
			return known.Reason, true
		}
	}
	return "", false
}
