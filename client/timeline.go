package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/agentrun/agentrun/run"
)

// Timeline is a page of a run's rows, oldest first. Final says that the run rests and this is its last row for now.
type Timeline struct {
	Rows      []run.Row
	NextAfter int64
	Final     bool
}

// Timeline gives rows of a run after a seq, at most limit of them (0: the server's default). A row's Body is the row as
// the server shows it, so run.Row.Decode reads it into the bodies of package run.
func (c *Client) Timeline(ctx context.Context, id string, after int64, limit int) (Timeline, error) {
	var wire struct {
		Rows      []json.RawMessage `json:"rows"`
		NextAfter int64             `json:"next_after"`
		Final     bool              `json:"final"`
	}
	err := c.call(ctx, request{
		method: http.MethodGet, path: runPath(id) + "/timeline", query: timelineQuery(after, limit), safe: true,
	}, &wire)
	if err != nil {
		return Timeline{}, err
	}
	out := Timeline{NextAfter: wire.NextAfter, Final: wire.Final}
	for _, data := range wire.Rows {
		row, err := decodeRow(data)
		if err != nil {
			return Timeline{}, err
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// decodeRow reads a row as the timeline shows it: the fields of its body stand beside seq, at and type.
func decodeRow(data json.RawMessage) (run.Row, error) {
	var row run.Row
	if err := json.Unmarshal(data, &row); err != nil {
		return run.Row{}, fmt.Errorf("timeline row: %w", err)
	}
	if row.Seq <= 0 || row.Type == "" {
		return run.Row{}, fmt.Errorf("timeline row without seq or type: %.80s", data)
	}
	row.Body = data
	return row, nil
}
