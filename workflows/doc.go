// Package workflows owns the orchestration of a run as deterministic Temporal workflow code: given where a run stands it
// decides the next step and asks the activities for it. It does no I/O, reads no clock, and holds references only: a
// position (phase, turn, call indexes, counts), never a message, an argument or a secret.
//
// An execution is disposable. Started again under the same id at any moment, its first step asks the journal where the
// run stands and it goes on from there; so an execution also ends whenever the run waits for a person, and a change of
// this code never strands a run.
package workflows
