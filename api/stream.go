package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/run"
)

const (
	eventStream = "text/event-stream"
	// beatEvery is how often a silent stream says that it lives.
	beatEvery = 15 * time.Second
	// streamWrite is how long a reader may take to take what it is sent.
	streamWrite = 10 * time.Second
)

// takeStream answers a timeline that is asked for as events; any other goes on to the typed handler.
func (s *Server) takeStream(hctx huma.Context, next func(huma.Context)) {
	if !strings.Contains(hctx.Header("Accept"), eventStream) {
		next(hctx)
		return
	}
	c := humagin.Unwrap(hctx)
	if err := s.stream(c); err != nil {
		refuse(c, problemOf(c.Request.Context(), s.log, err))
	}
}

// stream follows a timeline. An error is one found before the answer began; later ones end the stream, and its reader
// comes back.
func (s *Server) stream(c *gin.Context) error {
	after, problem := resumeAfter(c)
	if problem != nil {
		return problem
	}
	leave, problem := s.streams.enter()
	if problem != nil {
		return problem
	}
	defer leave()
	id := c.Param("id")
	changes := s.store.Subscribe(id)
	defer changes.Close()
	deltas, stop := s.deltas.Subscribe(id)
	defer stop()
	found, err := s.store.Run(c.Request.Context(), id)
	if err != nil {
		return err
	}
	f := &follower{
		server: s, id: id, last: after, status: found.Status, changed: changes.C(), deltas: deltas,
		writer: c.Writer, control: http.NewResponseController(c.Writer),
	}
	if err := f.run(c.Request.Context()); err != nil && c.Request.Context().Err() == nil {
		s.log.WarnContext(c.Request.Context(), "timeline stream ended", "event", "stream_ended", "run_id", id,
			"request_id", requestID(c.Request.Context()), "error", err)
	}
	return nil
}

// resumeAfter is the seq that a stream goes on after.
func resumeAfter(c *gin.Context) (int64, *Problem) {
	name, text := "Last-Event-ID", c.GetHeader("Last-Event-ID")
	if text == "" {
		name, text = "after", c.Query("after")
	}
	if text == "" {
		return 0, nil
	}
	after, err := strconv.ParseInt(text, 10, 64)
	if err != nil || after < 0 {
		return 0, parameterProblem(name, "must be the seq of a row")
	}
	return after, nil
}

// follower is one reader of a live timeline.
type follower struct {
	server  *Server
	id      string
	last    int64
	status  run.Status
	changed <-chan struct{}
	deltas  <-chan door.Delta

	writer  http.ResponseWriter
	control *http.ResponseController
	buffer  bytes.Buffer
}

// run sends rows and deltas until the run has ended and every row was sent, or the reader is gone.
func (f *follower) run(ctx context.Context) error {
	header := f.writer.Header()
	header.Set("Content-Type", eventStream)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	f.writer.WriteHeader(http.StatusOK)
	f.buffer.WriteString("retry: 1000\n\n")
	beat := time.NewTicker(f.server.beat)
	defer beat.Stop()
	for {
		if final, err := f.rows(ctx); err != nil || final {
			return err
		}
		// Everything the journal has was sent; now wait for more, or say what the model is saying meanwhile.
		for more := false; !more; {
			select {
			case <-ctx.Done():
				return nil
			case <-f.server.streams.closing:
				return nil
			case <-f.changed:
				more = true
			case delta := <-f.deltas:
				if err := f.speak(delta); err != nil {
					return err
				}
			case <-beat.C:
				f.buffer.WriteString(": \n\n")
				if err := f.send(); err != nil {
					return err
				}
			}
		}
	}
}

// rows sends every row there is, and the final event where it was the last. A run that waits for a person is not at its
// end.
func (f *follower) rows(ctx context.Context) (final bool, err error) {
	for {
		page, err := f.server.readTimeline(ctx, f.id, f.last, f.server.limits.TimelineRows)
		if err != nil {
			return false, err
		}
		for _, row := range page.Rows {
			f.event("", row.seq, row.data)
			if row.status != "" {
				f.status = row.status
			}
		}
		f.last = page.NextAfter
		if page.Final && f.status.Terminal() {
			f.event("final", 0, []byte(fmt.Sprintf(`{"next_after":%d}`, f.last)))
			return true, f.send()
		}
		if err := f.send(); err != nil {
			return false, err
		}
		if !page.more {
			return false, nil
		}
	}
}

// speak sends a delta, and those that wait behind it, in one write.
func (f *follower) speak(delta door.Delta) error {
	const most = 64
	for range most {
		data, err := json.Marshal(delta)
		if err != nil {
			return fmt.Errorf("encode a delta: %w", err)
		}
		f.event("delta", 0, data)
		select {
		case delta = <-f.deltas:
			continue
		default:
		}
		break
	}
	return f.send()
}

// event puts one event into the buffer; data has no line breaks.
func (f *follower) event(name string, seq int64, data []byte) {
	if name != "" {
		fmt.Fprintf(&f.buffer, "event: %s\n", name)
	}
	if seq > 0 {
		fmt.Fprintf(&f.buffer, "id: %d\n", seq)
	}
	f.buffer.WriteString("data: ")
	f.buffer.Write(data)
	f.buffer.WriteString("\n\n")
}

// send writes the buffer. A reader that does not take it in time is given up; it can come back.
func (f *follower) send() error {
	if f.buffer.Len() == 0 {
		return nil
	}
	if err := f.control.SetWriteDeadline(time.Now().Add(streamWrite)); err != nil {
		return fmt.Errorf("bound a write: %w", err)
	}
	if _, err := f.writer.Write(f.buffer.Bytes()); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	f.buffer.Reset()
	if err := f.control.Flush(); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}
