// Command reference writes the generated part of docs/workflows.md: the fields of a document, its nodes and conditions,
// and every code with its rule, its hint and an example. It takes them from the tables that the validator itself reads,
// and owns none of their words.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

//go:generate go run .

// page is where the reference stands, from this folder.
const page = "../../docs/workflows.md"

// The markers between which the page is generated.
const (
	begin = "<!-- The reference begins: made by go generate ./dsl/reference. -->\n"
	end   = "<!-- The reference ends. -->\n"
)

var errMarkers = errors.New("the page has not both markers of the reference")

func main() {
	if err := update(page); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func update(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	renewed, err := renew(text)
	if err != nil || bytes.Equal(text, renewed) {
		return err
	}
	temporary := file + ".new"
	if err := os.WriteFile(temporary, renewed, 0o644); err != nil { //nolint:gosec // a page for everyone
		return err
	}
	return os.Rename(temporary, file)
}

// renew puts the reference between the markers of a page.
func renew(text []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, also := bytes.Cut(rest, []byte(end))
	if !ok || !also {
		return nil, errMarkers
	}
	return bytes.Join([][]byte{before, []byte(begin), []byte(markdown()), []byte(end), after}, nil), nil
}
