package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/agentrun/agentrun/places"
)

// page is a stretch of a file's lines that fits a result.
type page struct {
	// first is the number, from 1, of the first line wanted; lines and bytes are the most of each to keep.
	first, lines, bytes int

	kept []byte
	// next is the first line after first that is not kept (first itself: none is), known when full.
	next int
	full bool
	// cut is set where even the first line is longer than a result.
	cut bool
	// total counts the file's lines; where the scan stopped before the end they are those seen.
	total   int
	stopped bool
}

// fill reads the file from its start, keeps the page and counts the lines, looking at scan bytes at most. Memory does
// not grow with the file or its lines.
func (p *page) fill(ctx context.Context, file io.Reader, scan int64) error {
	const buffer = 64 << 10
	reader := bufio.NewReaderSize(file, buffer)
	p.next = p.first
	start := 0      // where in kept the present line starts
	between := true // no byte of the present line was read yet
	number := 0     // of the present line
	for seen := int64(0); ; {
		chunk, err := reader.ReadSlice('\n')
		if len(chunk) > 0 {
			if between {
				number, start = number+1, len(p.kept)
			}
			p.keep(chunk, number, start)
			between = chunk[len(chunk)-1] == '\n'
		}
		p.total = number
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
		if seen += int64(len(chunk)); seen >= scan {
			_, err := reader.Peek(1)
			if p.stopped = !errors.Is(err, io.EOF); p.stopped && !p.full {
				p.kept, p.next = p.kept[:wholeRunes(p.kept)], number+1
			}
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// keep takes a piece of a line, if the line is wanted and fits; a line that does not fit is given back whole, unless it
// is the first.
func (p *page) keep(chunk []byte, number, start int) {
	switch {
	case p.full || number < p.first:
		return
	case number >= p.first+p.lines:
		p.full, p.next = true, number
		return
	case len(p.kept)+len(chunk) <= p.bytes:
		p.kept = append(p.kept, chunk...)
		return
	case number > p.first:
		p.kept, p.full, p.next = p.kept[:start], true, number
		return
	}
	p.kept = append(p.kept, chunk[:p.bytes-len(p.kept)]...)
	p.kept = p.kept[:wholeRunes(p.kept)]
	p.cut, p.full, p.next = true, true, number+1
}

// wholeRunes is the length of the text without a rune that was cut at its end.
func wholeRunes(text []byte) int {
	for back := 1; back <= min(utf8.UTFMax, len(text)); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if utf8.FullRune(text[at:]) {
				break
			}
			return at
		}
	}
	return len(text)
}

// words is the result: the lines kept, and in brackets what is left and how to have it.
func (p *page) words(name string) (string, error) {
	switch {
	case p.total == 0:
		return "[" + name + " is empty.]", nil
	case p.first > p.total && p.stopped:
		return "", refusal("line %d of %q is beyond the part of a file that can be read", p.first, name)
	case p.first > p.total:
		return "", refusal("offset %d is beyond the end of %q, which has %s", p.first, name, lines(p.total))
	case bytes.IndexByte(p.kept, 0) >= 0 || !utf8.Valid(p.kept):
		return "", refusal("%q is not UTF-8 text", name)
	case !p.full && !p.stopped:
		return string(p.kept), nil
	}
	return string(bytes.TrimSuffix(p.kept, []byte("\n"))) + "\n\n[" + p.note() + "]", nil
}

// note says which lines of how many are shown, and how to have the next.
func (p *page) note() string {
	total := fmt.Sprint(p.total)
	if p.stopped {
		total = "more than " + total
	}
	shown := fmt.Sprintf("Lines %d to %d of %s are shown.", p.first, p.next-1, total)
	if p.cut {
		shown = fmt.Sprintf("Line %d of %s is longer than %s; only its head is shown.",
			p.first, total, places.HumanSize(int64(p.bytes)))
	}
	if p.next > p.total {
		return shown
	}
	return shown + fmt.Sprintf(" Use offset=%d to continue.", p.next)
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
