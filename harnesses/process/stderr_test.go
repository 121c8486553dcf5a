package process_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses/process"
)

func TestTheLinesOfTheStandardError(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 8<<10)
	cases := map[string]struct {
		script string
		want   []string
	}{
		"none":                   {"echo out", nil},
		"lines":                  {"echo one >&2; echo two >&2", []string{"one", "two"}},
		"an empty one":           {"echo >&2; echo two >&2", []string{"", "two"}},
		"a last one without end": {"printf 'one\ntwo' >&2", []string{"one", "two"}},
		"carriage returns":       {`printf 'one\r\ntwo\r\n' >&2`, []string{"one", "two"}},
		"a long one":             {"head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; echo short >&2", []string{long, "short"}},
		"bytes that are no text": {`printf 'a\377b\n' >&2`, []string{"a\uFFFDb"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gates(t, func(t *testing.T, confined bool) {
				var mu sync.Mutex
				var lines []string
				p := begin(t, process.Options{
					Program: "sh", Args: []string{"-c", tc.script}, Env: []string{"PATH=/usr/bin:/bin"},
					Marker: newMarker(t), Gate: openGate(t, confined),
					Stderr: func(line string) {
						mu.Lock()
						defer mu.Unlock()
						lines = append(lines, line)
					},
				})
				ended(t, p) // the lines are told before
				mu.Lock()
				defer mu.Unlock()
				if diff := cmp.Diff(tc.want, slices.Clone(lines)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestAListenerOfTheStandardErrorThatHangsHoldsNothingUp(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	p := begin(t, process.Options{
		Program: "sh", Args: []string{"-c", "yes >&2 & yes >&2 & wait"}, Env: []string{"PATH=/usr/bin:/bin"}, Marker: newMarker(t),
		Stderr: func(string) { <-hang },
	})
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	ended(t, p)
}
