package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/vbauerster/mpb/v8"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// screen is a terminal of a given width; frames has what each drawing put on it.
type screen struct {
	bytes.Buffer
	width  int
	frames chan string
}

func (s *screen) IsTerminal() bool                            { return true }
func (s *screen) GetTermSize() (width, height int, err error) { return s.width, 24, nil }
func (s *screen) Flush(int) error {
	s.frames <- s.String()
	s.Reset()
	return nil
}

// drawn starts a live line on a screen, gives it rows, and draws it once.
func drawn(t *testing.T, width int, rows ...run.Row) (*liveLine, *screen, string) {
	t.Helper()
	s := &screen{width: width, frames: make(chan string, 10)}
	refresh := make(chan any)
	line := newLiveLine(&terminal{}, "run_1", mpb.WithConsoleWriter(s), mpb.WithManualRefresh(refresh))
	for i := range rows {
		line.event(client.Event{Row: &rows[i]})
	}
	refresh <- time.Now()
	return line, s, <-s.frames
}

func TestTheLiveLineSaysWhereTheRunIs(t *testing.T) {
	t.Parallel()
	line, _, frame := drawn(t, 100,
		row(1, run.RowStatus, run.StatusChange{Status: run.Working, State: run.StateRunning}),
		row(2, run.RowRequestStarted, run.RequestStarted{Model: "faux/m"}),
	)
	defer line.close()
	if !strings.Contains(frame, "run_1 working · asking faux/m") {
		t.Errorf("frame %q", frame)
	}
}

func TestTheLiveLineKeepsToOneLine(t *testing.T) {
	t.Parallel()
	line, _, frame := drawn(t, 30,
		row(1, run.RowStatus, run.StatusChange{Status: run.Working, State: run.StateRunning}),
		row(2, run.RowToolUse, run.ToolUse{Name: "write", Args: []byte(`{"path":"` + strings.Repeat("long ", 40) + `"}`)}),
	)
	defer line.close()
	if text := strings.TrimSuffix(frame, "\n"); strings.Contains(text, "\n") || len([]rune(text)) > 30 {
		t.Errorf("frame %q", frame)
	}
}

func TestTheLiveLineIsWipedAtItsEnd(t *testing.T) {
	t.Parallel()
	line, s, _ := drawn(t, 60, row(1, run.RowStatus, run.StatusChange{Status: run.Working, State: run.StateRunning}))
	line.event(client.Event{Delta: &client.Delta{Text: "a piece"}})
	line.close()
	close(s.frames)
	last := "nothing drawn"
	for frame := range s.frames {
		last = frame
	}
	if strings.TrimSpace(last) != "" {
		t.Errorf("the last frame is %q", last)
	}
}
