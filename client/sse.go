package client

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxEvent bounds one server-sent event; a timeline row's large parts are references, so a longer one is no row.
const maxEvent = 16 << 20

// errEventTooLong ends a stream whose event passes maxEvent.
var errEventTooLong = errors.New("a server-sent event is longer than 16 MiB")

// sseEvent is one server-sent event.
type sseEvent struct {
	name string
	id   string
	data []byte
}

// sseReader reads server-sent events off a stream. Comments are skipped, but reported to alive as any line is.
type sseReader struct {
	lines *bufio.Reader
	alive func()
}

func newSSEReader(r io.Reader, alive func()) *sseReader {
	return &sseReader{lines: bufio.NewReaderSize(r, 64<<10), alive: alive}
}

// next gives the next event that has data; io.EOF or the fault of the connection ends the stream. An event that the
// stream's end cuts is dropped, as the format asks.
func (s *sseReader) next() (sseEvent, error) {
	var event sseEvent
	for {
		line, err := s.line()
		if err != nil {
			return sseEvent{}, err
		}
		s.alive()
		if len(line) == 0 {
			if event.data != nil {
				event.data = bytes.TrimSuffix(event.data, []byte("\n"))
				return event, nil
			}
			event = sseEvent{}
			continue
		}
		field, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			event.name = value
		case "id":
			event.id = value
		case "data":
			if len(event.data)+len(value) > maxEvent {
				return sseEvent{}, errEventTooLong
			}
			event.data = append(append(event.data, value...), '\n')
		}
	}
}

// line reads one line without its end, LF or CRLF.
func (s *sseReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := s.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("read the timeline: %w", err)
		case len(line) > maxEvent:
			return nil, errEventTooLong
		}
	}
}
