// Package tools owns the tool table: what a model is told of each tool (x.md beside x.go), its arguments' schema,
// whether a cut call may run again, and what a call does in a run's workspace. It also plans calls before they happen
// and tells afterwards, from the plan, whether a cut one did.
//
// It must not journal, retry or know which tools a run has: callers record the plan before they run a call, and the
// result after. The calls of one turn must run one after another, in the order the model made them: later ones of a plan
// build on earlier ones.
package tools
