package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestReadLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200_000)
	cases := map[string]struct {
		text  string
		limit int
		want  []string
		err   error
	}{
		"nothing":              {"", 10, nil, nil},
		"lines":                {"a\n\nb\n", 10, []string{"a", "", "b"}, nil},
		"a line that was cut":  {"a\nb", 10, []string{"a"}, nil},
		"as long as may be":    {"0123456789\na\n", 10, []string{"0123456789", "a"}, nil},
		"too long":             {"a\n0123456789x\nb\n", 10, []string{"a"}, errLongLine},
		"too long without end": {"0123456789xy", 10, nil, errLongLine},
		"longer than a buffer": {long + "\nb\n" + long + "\n", 1 << 20, []string{long, "b", long}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, reader := range []io.Reader{strings.NewReader(tc.text), iotest.OneByteReader(strings.NewReader(tc.text))} {
				var got []string
				err := readLines(reader, tc.limit, func(line []byte) error {
					got = append(got, string(line))
					return nil
				})
				if !errors.Is(err, tc.err) || strings.Join(got, "|") != strings.Join(tc.want, "|") || len(got) != len(tc.want) {
					t.Errorf("%d lines, %v", len(got), err)
				}
			}
		})
	}
}

func TestReadLinesStops(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	lines := 0
	err := readLines(strings.NewReader("a\nb\n"), 10, func([]byte) error {
		lines++
		return enough
	})
	if !errors.Is(err, enough) || lines != 1 {
		t.Errorf("%d lines, %v", lines, err)
	}
	broken := iotest.ErrReader(io.ErrClosedPipe)
	if err := readLines(broken, 10, func([]byte) error { return nil }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the fault is %v", err)
	}
}

func FuzzReadLines(f *testing.F) {
	f.Add([]byte("a\n\nb"), 3)
	f.Add([]byte(strings.Repeat("x", 100)), 50)
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		limit = 1 + abs(limit)%1000
		var kept []byte
		err := readLines(iotest.HalfReader(bytes.NewReader(text)), limit, func(line []byte) error {
			if len(line) > limit {
				t.Errorf("a line of %d bytes", len(line))
			}
			kept = append(append(kept, line...), '\n')
			return nil
		})
		if !bytes.HasPrefix(text, kept) {
			t.Errorf("%q became %q", text, kept)
		}
		if whole := text[:bytes.LastIndexByte(text, '\n')+1]; err == nil && !bytes.Equal(kept, whole) {
			t.Errorf("of %q came %q", whole, kept)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

func TestAnswersFindTheirRequests(t *testing.T) {
	t.Parallel()
	out, in := io.Pipe()
	gone := make(chan struct{})
	p := newPeer(in, gone)
	lines := make(chan message, 10)
	go func() {
		_ = readLines(out, 1000, func(line []byte) error {
			var m message
			err := json.Unmarshal(line, &m)
			lines <- m
			return err
		})
	}()
	type outcome struct {
		method, result string
		err            error
	}
	ended := make(chan outcome, 3)
	for _, method := range []string{"one", "two", "three"} {
		go func() {
			result, err := p.call(t.Context(), method, map[string]any{})
			ended <- outcome{method, string(result), err}
		}()
	}
	asked := map[string]message{}
	for range 3 {
		m := <-lines
		asked[m.Method] = m
	}
	p.answered(message{ID: json.RawMessage("99")})
	p.answered(message{ID: json.RawMessage(`"text"`)})
	p.answered(message{ID: asked["two"].ID, Result: json.RawMessage("2")})
	if got := <-ended; got != (outcome{"two", "2", nil}) {
		t.Errorf("ended %+v", got)
	}
	p.answered(message{ID: asked["two"].ID, Result: json.RawMessage("22")})
	p.answered(message{ID: asked["one"].ID, Error: &rpcError{1, "no " + strings.Repeat("x", 5000)}})
	if got := <-ended; got.method != "one" || got.err == nil || len(got.err.Error()) > 2*maxQuote {
		t.Errorf("ended %+v", got)
	}
	close(gone)
	if got := <-ended; got.method != "three" || got.err == nil || !strings.Contains(got.err.Error(), "ended") {
		t.Errorf("ended %+v", got)
	}
}

func TestARequestDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := newPeer(io.Discard, make(chan struct{}))
	if _, err := p.call(ctx, "m", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the fault is %v", err)
	}
	if len(p.due) != 0 {
		t.Errorf("%d answers are due", len(p.due))
	}
	in, out := io.Pipe()
	_ = in.Close()
	if _, err := newPeer(out, nil).call(t.Context(), "m", nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the fault is %v", err)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc…", "ab☃": "ab…", "☃☃": "☃…"} {
		if got := cut(text, 3); got != want || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	var words tail
	if words.String() != "" {
		t.Error("it says something before it was told")
	}
	for _, line := range []string{"1", "  ", "Codex could not find bubblewrap on PATH.", "2", "3", "4", "\x1b[2m5\x1b[0m \x1b[31mERROR\x1b[0m", "6", strings.Repeat("7", 1000)} {
		words.add(line)
	}
	if got, want := words.String(), "3 | 4 | 5 ERROR | 6 | "+strings.Repeat("7", tailLine)+"…"; got != want {
		t.Errorf("it says %q", got)
	}
}
