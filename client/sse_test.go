package client

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// events reads a stream to its end.
func events(r io.Reader) ([]sseEvent, error) {
	reader := newSSEReader(r, func() {})
	var out []sseEvent
	for {
		event, err := reader.next()
		if err != nil {
			return out, err
		}
		out = append(out, event)
	}
}

func TestServerSentEvents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200<<10)
	cases := map[string]struct {
		stream string
		want   []sseEvent
	}{
		"an event":                {"id: 7\nevent: row\ndata: {}\n\n", []sseEvent{{name: "row", id: "7", data: []byte("{}")}}},
		"two events":              {"data: a\n\ndata: b\n\n", []sseEvent{{data: []byte("a")}, {data: []byte("b")}}},
		"CRLF":                    {"event: final\r\ndata: a\r\n\r\n", []sseEvent{{name: "final", data: []byte("a")}}},
		"comments":                {": hello\n\n:\n\ndata: a\n\n", []sseEvent{{data: []byte("a")}}},
		"data in several lines":   {"data: a\ndata: b\n\n", []sseEvent{{data: []byte("a\nb")}}},
		"no space":                {"data:a\n\n", []sseEvent{{data: []byte("a")}}},
		"two spaces":              {"data:  a\n\n", []sseEvent{{data: []byte(" a")}}},
		"empty data":              {"event: final\ndata\n\n", []sseEvent{{name: "final", data: []byte{}}}},
		"a name without data":     {"event: row\n\ndata: a\n\n", []sseEvent{{data: []byte("a")}}},
		"fields nobody knows":     {"retry: 5\nother: x\ndata: a\n\n", []sseEvent{{data: []byte("a")}}},
		"an event cut at the end": {"data: a\n\ndata: b\n", []sseEvent{{data: []byte("a")}}},
		"a line past the buffer":  {"data: " + long + "\n\n", []sseEvent{{data: []byte(long)}}},
		"nothing":                 {"", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, reader := range map[string]io.Reader{
				"whole": strings.NewReader(tc.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(tc.stream)),
			} {
				got, err := events(reader)
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: error %v", how, err)
				}
				if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(sseEvent{})); diff != "" {
					t.Errorf("%s: %s", how, diff)
				}
			}
		})
	}
}

// endless gives the same bytes for ever.
type endless struct{ text []byte }

func (e endless) Read(p []byte) (int, error) { return copy(p, e.text), nil }

func TestAnEventWithoutAnEndIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"one line": "aaaaaaaaaaaaaaaa", "many lines": "data: aaaaaaaaaaaaaaaa\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := events(endless{bytes.Repeat([]byte(text), 2048)}); !errors.Is(err, errEventTooLong) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestALineSaysThatTheStreamLives(t *testing.T) {
	t.Parallel()
	var lines int
	reader := newSSEReader(strings.NewReader(": one\n: two\n\n"), func() { lines++ })
	if _, err := reader.next(); !errors.Is(err, io.EOF) || lines != 3 {
		t.Errorf("%d lines, %v", lines, err)
	}
}

func FuzzServerSentEvents(f *testing.F) {
	f.Add([]byte("id: 1\nevent: row\ndata: {}\n\n"))
	f.Add([]byte("data: a\r\ndata: b\r\n\r\n: c\n\n"))
	f.Add([]byte("data\n\n\xff\xfe:\x00\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, err := events(bytes.NewReader(stream))
		if !errors.Is(err, io.EOF) {
			t.Fatalf("error %v", err)
		}
		parts, _ := events(iotest.HalfReader(bytes.NewReader(stream)))
		if diff := cmp.Diff(whole, parts, cmp.AllowUnexported(sseEvent{})); diff != "" {
			t.Fatalf("how the bytes arrive changes what they say: %s", diff)
		}
	})
}
