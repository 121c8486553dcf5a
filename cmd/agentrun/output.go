package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/agentrun/agentrun/run"
)

// json writes a value as indented JSON.
func (t *terminal) json(v any) error {
	encoder := json.NewEncoder(t.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// jsonLine writes a value as one line of JSON.
func (t *terminal) jsonLine(v any) error {
	encoder := json.NewEncoder(t.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// table writes rows of cells in columns.
func (t *terminal) table(header []string, rows [][]string) error {
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, oneLine(cell, 60))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// more says how to read on where a list has another page.
func (t *terminal) more(next *string) {
	if next != nil && *next != "" {
		t.errorf("there are more: --cursor %s", *next)
	}
}

// stamp is a time as a table shows it, to the second in UTC.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05") }

// spent is a run's money as a person reads it.
func spent(cost run.Cost) string {
	if cost.USD != nil {
		return "$" + cost.USD.String()
	}
	return "at least $" + cost.KnownUSD.String()
}
