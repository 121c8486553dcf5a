// Package journal owns what a journal means: how rows are asked to be written, and the folds over them that give a
// run's status, money, conversation and position. It is pure; package store keeps the rows.
package journal

import (
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

// Claim is the right of one worker to write a run's journal.
type Claim struct {
	RunID  string `json:"run_id"`
	Epoch  int64  `json:"epoch"`
	Worker string `json:"worker"`
}

// Open asks for the claim of a run.
type Open struct {
	RunID  string     `json:"run_id"`
	Holder run.Holder `json:"holder"`
	// Token orders the executions and workflow tasks that ask: a live holder gives way only to a larger one.
	Token int64 `json:"token"`
}

// Opened is a claim and what a worker needs to go on with the run; its rows are read in pages.
type Opened struct {
	Claim  Claim      `json:"claim"`
	Run    run.Run    `json:"run"`
	Config run.Config `json:"config"`
	// Head is the seq of the journal's last row.
	Head int64 `json:"head"`
	// WorkDir is the run's work folder where worker and server share a disk.
	WorkDir string `json:"work_dir"`
}

// Append asks to write rows, and to begin model requests after them, in one commit. A row whose key the journal
// already has is not written again: a retry of a lost answer is harmless.
type Append struct {
	Claim Claim     `json:"claim"`
	Rows  []run.Row `json:"rows,omitempty"`
	Begin *Begin    `json:"begin,omitempty"`
	// Further are begun after Begin: those of other conversations of the run that came at the same moment.
	Further []Begin `json:"further,omitempty"`
	// After is the last seq the writer knows; the answer brings the rows after it that somebody else wrote.
	After int64 `json:"after"`
	// IfHead refuses the whole append (Moved) where somebody else wrote after After.
	IfHead bool `json:"if_head,omitempty"`
}

// Begin is one attempt at a model request, to be gated against the run's cap and recorded in one step. The store sets
// the money of Started from the grant.
type Begin struct {
	Key     string             `json:"key"`
	Started run.RequestStarted `json:"started"`
	Private run.RequestPrivate `json:"private"`
	Quote   budget.Quote       `json:"quote"`
}

// Appended is what an append did.
type Appended struct {
	// Moved: nothing was written, Missed has the rows to read first.
	Moved bool `json:"moved,omitempty"`
	// Seqs are the rows' seqs in the order asked, the begin's last; At is the time they carry.
	Seqs []int64   `json:"seqs,omitempty"`
	At   time.Time `json:"at"`
	// Missed are the rows after Append.After that the writer did not write, in order.
	Missed []run.Row     `json:"missed,omitempty"`
	Grant  *budget.Grant `json:"grant,omitempty"`
	// Began is the begin's row as it is in the journal.
	Began *run.Row `json:"began,omitempty"`
	// Further are the same of Append.Further.
	Further []Begun `json:"further,omitempty"`
}

// Begun is a begin's row as it is in the journal, and what the cap granted it.
type Begun struct {
	Row   run.Row      `json:"row"`
	Grant budget.Grant `json:"grant"`
}
