package engine

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecordIsReplacedWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if diff := cmp.Diff(record{}, readRecord(dir)); diff != "" {
		t.Errorf("a record that is not there (-want +got):\n%s", diff)
	}
	want := record{Version: "one", ClusterID: "id", Addresses: map[string]string{"frontend": "127.0.0.1:1"}}
	for _, want.Version = range []string{"one", "a longer one", "two"} {
		if err := want.write(dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, readRecord(dir)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
		t.Errorf("files %v, want the record only", files)
	}
	if err := want.write(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a record was written into a folder that is not there")
	}
}

func TestRecordAddresses(t *testing.T) {
	t.Parallel()
	db := &database{dir: t.TempDir(), record: record{Version: "v", ClusterID: "c"}}
	if err := db.recordAddresses(ports{frontend: 7233, history: 7234}); err != nil {
		t.Fatal(err)
	}
	got := readRecord(db.dir)
	if got.PID == 0 || got.StartedAt == nil || got.Version != "v" {
		t.Errorf("recorded %+v", got)
	}
	want := map[string]string{"frontend": "127.0.0.1:7233", "history": "127.0.0.1:7234"}
	if diff := cmp.Diff(want, got.Addresses); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}
