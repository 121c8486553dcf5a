// Command bench measures the product's speed beside its baselines, in one run on one machine, and prints a table. What
// the figures mean is in docs/benchmarks.md. It starts real servers on the loopback address with the scripted model.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bench is one run of the program: where it works and what it found.
type bench struct {
	dir     string
	binary  string
	figures []figure
	known   map[string]float64
}

// figure is one line of the table.
type figure struct{ name, value, target string }

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parts are what can be measured, in order; a later part may use an earlier one's figures.
var parts = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"fsync", (*bench).fsync},
	{"baseline", (*bench).baseline},
	{"steps", (*bench).steps},
	{"documents", (*bench).documents},
	{"slow-model", (*bench).slowModel},
	{"recovery", (*bench).recovery},
	{"appends", (*bench).appends},
	{"waiting", (*bench).waiting},
	{"reads", (*bench).reads},
	{"start", (*bench).startup},
	{"harness", (*bench).harness},
}

func measure() error {
	names := make([]string, 0, len(parts))
	for _, part := range parts {
		names = append(names, part.name)
	}
	only := flag.String("only", strings.Join(names, ","), "parts to measure")
	dir := flag.String("dir", "", "where to work (default: a temporary directory; its disk is what is measured)")
	flag.Parse()
	b := &bench{dir: *dir, known: map[string]float64{}}
	if b.dir == "" {
		temporary, err := os.MkdirTemp("", "agentrun-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(temporary) }()
		b.dir = temporary
	}
	b.binary = filepath.Join(b.dir, "agentrun")
	ctx := context.Background()
	build := exec.CommandContext(ctx, "go", "build", "-o", b.binary, "./cmd/agentrun")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, output)
	}
	defer b.print() // what was measured before a failure too
	for _, part := range parts {
		if !slices.Contains(strings.Split(*only, ","), part.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format(time.TimeOnly), part.name)
		if err := part.run(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// add notes a figure with its target ("" for none).
func (b *bench) add(name, target, format string, args ...any) {
	b.figures = append(b.figures, figure{name, fmt.Sprintf(format, args...), target})
}

func (b *bench) print() {
	fmt.Printf("| what | measured | target |\n| --- | --- | --- |\n")
	for _, f := range b.figures {
		fmt.Printf("| %s | %s | %s |\n", f.name, f.value, f.target)
	}
}

// quantile is a sorted quantile of durations.
func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
