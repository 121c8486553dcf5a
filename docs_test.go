package agentrun_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// link is a Markdown link to a file of the repository.
	link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)\s]*)?\)`)
	// place is a file that a table of ARCHITECTURE.md names, and the function in it, if it names one.
	place = regexp.MustCompile("`([a-z]+/[a-z/]*[a-z_]+\\.go)`(?:, `(?:\\w+\\.)?(\\w+)`)?")
)

// TestDocumentsPointAtWhatIsThere follows every link between documents.
func TestDocumentsPointAtWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t, ".") {
		if filepath.Ext(file) != ".md" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(data), -1) {
			target := filepath.Join(filepath.Dir(file), match[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", file, match[1])
			}
		}
	}
}

// TestArchitectureNamesLinesThatExist keeps the table of deciding lines true: each file is there and has the function.
func TestArchitectureNamesLinesThatExist(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	matches := place.FindAllStringSubmatch(string(data), -1)
	if len(matches) < 10 {
		t.Fatalf("only %d places are named: has the table's form changed?", len(matches))
	}
	for _, match := range matches {
		source, err := os.ReadFile(match[1])
		if err != nil {
			t.Errorf("ARCHITECTURE.md names %s, which is not there", match[1])
			continue
		}
		if name := match[2]; name != "" && !strings.Contains(string(source), " "+name+"(") {
			t.Errorf("ARCHITECTURE.md names %s in %s, which has no such function", name, match[1])
		}
	}
}
