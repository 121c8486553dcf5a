package claudeagent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	// maxLine is the longest line the program may write (bytes).
	maxLine = 8 << 20
	// maxGarbage is how many lines may be no JSON objects: a library of the program's may write one by mistake.
	maxGarbage = 20
	// quoted is how much of such a line is shown (bytes).
	quoted = 200
)

// errLongLine ends a session.
var errLongLine = fmt.Errorf("it wrote a line of more than %d MiB", maxLine>>20)

// readLines gives every line of the program's that is a JSON object to take, until the stream ends or cannot be read on. A
// nil error is the end of the stream.
func readLines(from io.Reader, take func(line []byte) error) error {
	reader := bufio.NewReaderSize(from, 64<<10)
	garbage := 0
	for {
		line, err := readLine(reader)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var object map[string]json.RawMessage
			if json.Unmarshal(line, &object) != nil || object == nil {
				if garbage++; garbage > maxGarbage {
					return fmt.Errorf("it wrote %d lines that are no JSON objects, the last one %q",
						garbage, bounded(string(line), quoted))
				}
			} else if err := take(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line without holding more of it than the bound.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errLongLine
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
