package claudeagent

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLinesOfTheProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output string
		want         []string
		fault        string
	}{
		{"nothing", "", nil, ""},
		{"lines", "{\"a\":1}\n\n  {\"b\":2} \r\n{\"c\":3}", []string{`{"a":1}`, `{"b":2}`, `{"c":3}`}, ""},
		{"garbage between", "hello\n{\"a\":1}\n[]\nnull\n\x00\xff\n", []string{`{"a":1}`}, ""},
		{"only garbage", strings.Repeat("no\n", 30), nil, `it wrote 21 lines that are no JSON objects, the last one "no"`},
		{"a long line", "{\"a\":\"" + strings.Repeat("x", maxLine) + "\"}\n", nil, "it wrote a line of more than 8 MiB"},
		{"a line as long as may be", "{\"a\":\"" + strings.Repeat("x", maxLine-9) + "\"}\n", []string{"long"}, ""},
	} {
		var got []string
		err := readLines(iotest.HalfReader(strings.NewReader(c.output)), func(line []byte) error {
			if len(line) > 100 {
				line = []byte("long")
			}
			got = append(got, string(line))
			return nil
		})
		if said := ""; !slices.Equal(got, c.want) || (err != nil || c.fault != "") && (err == nil || err.Error() != c.fault) {
			t.Errorf("%s%s: %q, %v", c.name, said, got, err)
		}
	}
	stop := errors.New("enough")
	if err := readLines(strings.NewReader("{}\n{}\n"), func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("told to stop, it says %v", err)
	}
	if err := readLines(iotest.ErrReader(stop), nil); !errors.Is(err, stop) {
		t.Errorf("a stream that fails reads as %v", err)
	}
}

// TestAFloodTakesNoMemory reads lines without end.
func TestAFloodTakesNoMemory(t *testing.T) {
	t.Parallel()
	endless := io.LimitReader(endlessly("{\"type\":\"x\"} "), 64<<20)
	if err := readLines(endless, nil); !errors.Is(err, errLongLine) {
		t.Errorf("a line without end reads as %v", err)
	}
}

type endlessly string

func (e endlessly) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

func FuzzReadLines(f *testing.F) {
	f.Add([]byte("{\"type\":\"control_request\"}\nx\n{\"type\":1}\n"))
	f.Add([]byte("{}{}\n\n\r\n{\"a\":{\"b\":[]}}"))
	f.Fuzz(func(t *testing.T, output []byte) {
		taken := 0
		err := readLines(bytes.NewReader(output), func(line []byte) error {
			taken += len(line)
			return nil
		})
		if taken > len(output) {
			t.Errorf("of %d bytes %d were taken (%v)", len(output), taken, err)
		}
	})
}

func TestFaultsOfTurns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		line line
		want string
	}{
		{"it came to an end", line{Subtype: "success", Result: "Done."}, ""},
		{"an API failure that calls itself success", line{Subtype: "success", IsError: true, Result: "API Error: 402"}, "API Error: 402"},
		{"errors in a list", line{Subtype: "error_during_execution", Errors: []string{"", "it broke"}}, "it broke"},
		{"no words", line{Subtype: "error_max_turns"}, "the program gave up (error_max_turns) and does not say why"},
		{"many words", line{IsError: true, Result: strings.Repeat("x", 5000)}, strings.Repeat("x", maxFault) + "…"},
	} {
		if got := c.line.fault(); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestTheEndOfTheStandardError(t *testing.T) {
	t.Parallel()
	said := &tail{secret: "s3cret"}
	if got := said.quote(); got != "" {
		t.Errorf("nothing is quoted as %q", got)
	}
	for range 30 {
		said.take("early")
	}
	for range tailLines - 1 {
		said.take("[claude-code:unrecognized_model] {}")
		said.take("late s3cret " + strings.Repeat("y", 10_000))
	}
	got := said.quote()
	if strings.Contains(got, "s3cret") || strings.Count(got, "late [secret]") != tailLines-1 || strings.Count(got, "early") != 1 ||
		len(got) > tailLines*(tailBytes+10) {
		t.Errorf("it is quoted as %q", got)
	}
}
