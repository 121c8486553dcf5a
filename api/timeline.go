package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
)

// timelineChunk is how many rows are read of the store at a time: a page is bounded in bytes as well.
const timelineChunk = 100

func (s *Server) timelineRoutes() {
	op := huma.Operation{
		OperationID: "getTimeline", Method: http.MethodGet, Path: "/v2/runs/{id}/timeline", Tags: []string{"runs"},
		Summary: "Read what a run did, row by row",
		Description: "With Accept: text/event-stream the rows come as they are written, each an event with its seq as id; " +
			"Last-Event-ID or after says where to go on. Beside them come delta events, pieces of an answer under way, and " +
			"a final event once the run has ended and every row was sent.",
		Middlewares: huma.Middlewares{s.takeStream},
	}
	register(s, op, s.getTimeline)
	s.huma.OpenAPI().Paths[op.Path].Get.Responses["200"].Content[eventStream] = &huma.MediaType{
		Schema: &huma.Schema{Type: huma.TypeString},
	}
}

type timelineInput struct {
	RunPath
	After int64 `query:"after" minimum:"0" doc:"Only rows after this seq."`
	Limit int   `query:"limit" minimum:"1" maximum:"1000" default:"200" doc:"How many at most; a page may hold fewer."`
}

// timelineView is a page of a timeline.
type timelineView struct {
	Rows      []timelineRow `json:"rows"`
	NextAfter int64         `json:"next_after" doc:"Where the next page begins."`
	Final     bool          `json:"final" doc:"No row follows until a person acts: the run has ended, or waits."`

	// more: the page ends at its own bounds, not at the journal's end.
	more bool
}

// timelineRow is a row with the fields of its body beside seq, at and type.
type timelineRow struct {
	data   json.RawMessage
	seq    int64
	status run.Status
}

// MarshalJSON gives the row.
func (r timelineRow) MarshalJSON() ([]byte, error) { return r.data, nil }

// Schema describes what every row has.
func (timelineRow) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"seq", "at", "type"}, AdditionalProperties: true,
		Properties: map[string]*huma.Schema{
			"seq": {Type: huma.TypeInteger, Format: "int64"}, "at": {Type: huma.TypeString, Format: "date-time"},
			"type": {Type: huma.TypeString},
		},
	}
}

type timelineOutput struct{ Body timelineView }

func (s *Server) getTimeline(ctx context.Context, in *timelineInput) (*timelineOutput, error) {
	view, err := s.readTimeline(ctx, in.ID, in.After, min(in.Limit, s.limits.TimelineRows))
	if err != nil {
		return nil, err
	}
	return &timelineOutput{Body: view}, nil
}

// readTimeline is a page of at most so many rows and, beyond its first row, TimelineBytes.
func (s *Server) readTimeline(ctx context.Context, id string, after int64, limit int) (timelineView, error) {
	view := timelineView{Rows: []timelineRow{}, NextAfter: after}
	var size int64
	for {
		chunk := min(timelineChunk, limit-len(view.Rows))
		rows, final, err := s.store.Timeline(ctx, id, view.NextAfter, chunk)
		if err != nil {
			return view, err
		}
		for _, row := range rows {
			shown, err := viewRow(row)
			if err != nil {
				return view, err
			}
			if size += int64(len(shown.data)); size > s.limits.TimelineBytes && len(view.Rows) > 0 {
				view.more = true
				return view, nil
			}
			view.Rows = append(view.Rows, shown)
			view.NextAfter = row.Seq
		}
		view.Final, view.more = final, len(rows) == chunk
		if final || !view.more || len(view.Rows) >= limit {
			return view, nil
		}
	}
}

// viewRow puts a row and its body, which is a JSON object, into one object.
func viewRow(row run.Row) (timelineRow, error) {
	data := make([]byte, 0, len(row.Body)+96)
	data = append(data, `{"seq":`...)
	data = strconv.AppendInt(data, row.Seq, 10)
	data = append(data, `,"at":"`...)
	data = row.At.UTC().AppendFormat(data, timestampLayout)
	data = append(data, `","type":"`...)
	data = append(data, row.Type...)
	data = append(data, '"')
	if len(row.Body) > len("{}") {
		data = append(data, ',')
		data = append(data, row.Body[1:]...)
	} else {
		data = append(data, '}')
	}
	shown := timelineRow{data: data, seq: row.Seq}
	if row.Type == run.RowStatus {
		var change run.StatusChange
		if err := row.Decode(&change); err != nil {
			return shown, err
		}
		shown.status = change.Status
	}
	return shown, nil
}
