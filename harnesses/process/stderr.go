package process

import (
	"bufio"
	"strings"
)

// longestLine is where a line of the standard error is cut (bytes).
const longestLine = 8 << 10

// tell passes the lines of the standard error on until it ends.
func (p *Process) tell(to func(line string)) {
	defer close(p.told)
	if p.stderr == nil {
		return
	}
	reader := bufio.NewReaderSize(p.stderr, longestLine)
	for rest := false; ; {
		part, more, err := reader.ReadLine()
		if err != nil {
			return
		}
		if !rest {
			to(strings.ToValidUTF8(string(part), "\uFFFD"))
		}
		rest = more
	}
}
