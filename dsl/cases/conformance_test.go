package cases

import (
	"os"
	"path/filepath"
	"testing"
)

// conformance is the folder of the shared cases.
func conformance(t *testing.T) []string {
	t.Helper()
	folder := os.Getenv("AGENTRUN_CONFORMANCE")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "conformance")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("there are no conformance cases here: name their folder in AGENTRUN_CONFORMANCE")
	}
	return paths
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, path := range conformance(t) {
		c, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			problems := Run(t.Context(), c)
			if reason, differs := c.Differs(); differs {
				if len(problems) == 0 {
					t.Errorf("it comes out as expected, and is listed as a difference: %s", reason)
				}
				return
			}
			if len(problems) > 0 {
				t.Errorf("it does not come out as expected:\n%s", Report(problems))
			}
		})
	}
}
