package faux

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheUsersPage: every script on the page is a script, and every field of the schema is named there.
func TestTheUsersPage(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/faux.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) < 4 {
		t.Fatalf("the page has %d scripts", len(blocks))
	}
	for _, block := range blocks {
		if _, err := Parse([]byte(block[1])); err != nil {
			t.Errorf("%v in\n%s", err, block[1])
		}
	}
	for _, name := range Builtins() {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not name the ready script %s", name)
		}
	}
	for _, name := range placeholders {
		if !strings.Contains(page, "{{"+name+"}}") {
			t.Errorf("the page does not name the placeholder %s", name)
		}
	}
	for _, match := range regexp.MustCompile(`json:"(\w+),`).FindAllStringSubmatch(fieldsOf(t, "script.go", "reply.go"), -1) {
		if !strings.Contains(page, match[1]) {
			t.Errorf("the page does not name the field %s", match[1])
		}
	}
}

func fieldsOf(t *testing.T, files ...string) string {
	t.Helper()
	var text strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	return text.String()
}
