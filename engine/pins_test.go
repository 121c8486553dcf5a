package engine

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The Temporal modules move together. Server v1.32.0 is the newest that builds on Go 1.26.8. It implements the services
// of api v1.63.5 exactly: sdk v1.51.0 asks for a later api, whose services have methods the server lacks, and the server
// then fails to compile ("missing method DescribeNamespaceRestore"). A raise of one of these is a decision: raise this
// test with it, run it, and raise contentRevision if the schema changed.
func TestTemporalModulesArePinned(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"go.temporal.io/server": "v1.32.0",
		"go.temporal.io/sdk":    "v1.50.0",
		"go.temporal.io/api":    "v1.63.5",
		// The UI is put together from this module's parts, and its page is rewritten (uipages.go).
		"github.com/temporalio/ui-server/v2": "v2.54.1",
	}
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^\s*(\S+) (v\S+)`).FindAllStringSubmatch(string(text), -1) {
		if _, pinned := want[line[1]]; pinned {
			got[line[1]] = line[2]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go.mod (-want +got):\n%s", diff)
	}
}
