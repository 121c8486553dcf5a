// Package activities owns the side effects of a run: model requests and tool calls, each journaled before and after
// under a key that every retry shares (design §2: begin, act, end). An activity does the one step it is asked for, if
// the journal still says that step is next, and answers where the run then stands; it never decides what comes next.
package activities
