package run

import (
	"encoding/json"
	"fmt"
	"time"
)

// RowType names what a journal row says (contract §3, timeline rows).
type RowType string

// The row types. Those of the second group are a workflow document's, those of the third a command-line agent's. Those of
// the last are written by the API or the
// server on behalf of a person and are the run's inbox: the worker that drives the run reads them at its next step.
const (
	RowAnswer         RowType = "answer"
	RowToolUse        RowType = "tool_use"
	RowToolStarted    RowType = "tool_started"
	RowToolResult     RowType = "tool_result"
	RowUsage          RowType = "usage"
	RowToolCost       RowType = "tool_cost"
	RowRequestStarted RowType = "request_started"
	RowRequestEnded   RowType = "request_ended"
	RowSpendCap       RowType = "spend_cap_reached"
	RowStatus         RowType = "status"
	RowCompaction     RowType = "compaction"
	RowWarning        RowType = "warning"

	RowNodeStarted    RowType = "node_started"
	RowNodeEnded      RowType = "node_ended"
	RowRouteChosen    RowType = "route_chosen"
	RowJudgeAnswered  RowType = "judge_answered"
	RowLoopExited     RowType = "loop_exited"
	RowVerifyAnswered RowType = "verify_answered"
	RowEscalation     RowType = "escalation"
	RowNodeNote       RowType = "node_note"
	RowReviewed       RowType = "reviewed"
	RowWaitStarted    RowType = "wait_started"

	RowHarnessStarted   RowType = "harness_started"
	RowHarnessContinued RowType = "harness_continued"
	RowHarnessFailed    RowType = "harness_failed"

	RowUserMessage     RowType = "user_message"
	RowStopRequested   RowType = "stop_requested"
	RowCancelRequested RowType = "cancel_requested"
	RowPauseRequested  RowType = "pause_requested"
	RowResumed         RowType = "resumed"
	RowCapChanged      RowType = "cap_changed"
)

// Row is one line of a run's journal. Seq is dense per run from 1 and set by the store; Key is unique in the run and the
// same on every retry of the step that writes it. Body is what the timeline shows. Private is what only the worker that
// drives the run reads (a provider's opaque items, the proof of a write) and never leaves the server.
type Row struct {
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at"`
	Type    RowType         `json:"type"`
	Key     string          `json:"key"`
	Body    json.RawMessage `json:"body"`
	Private json.RawMessage `json:"private,omitempty"`
}

// NewRow makes a row of a body that must encode to a JSON object; private may be nil.
func NewRow(kind RowType, key string, body, private any) Row {
	row := Row{Type: kind, Key: key, Body: mustJSON(body)}
	if private != nil {
		row.Private = mustJSON(private)
	}
	return row
}

// Decode reads the row's body into v.
func (r Row) Decode(v any) error {
	if err := json.Unmarshal(r.Body, v); err != nil {
		return fmt.Errorf("journal row %d (%s): %w", r.Seq, r.Type, err)
	}
	return nil
}

// DecodePrivate reads the row's private part into v; a row without one leaves v as it is.
func (r Row) DecodePrivate(v any) error {
	if len(r.Private) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Private, v); err != nil {
		return fmt.Errorf("journal row %d (%s), private part: %w", r.Seq, r.Type, err)
	}
	return nil
}

// mustJSON encodes one of this package's own row bodies, all of which encode; a failure is a defect of the program.
func mustJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("run: encode %T: %v", v, err))
	}
	return data
}
