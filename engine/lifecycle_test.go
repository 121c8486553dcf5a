package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHistorySurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "100% of ?#& odd paths")
	first := play(t, "write", dir)
	second := play(t, "reread", dir)

	const eventsOfTwoSteps = 17
	if second.Events != eventsOfTwoSteps {
		t.Errorf("after a restart the history has %d events, want %d", second.Events, eventsOfTwoSteps)
	}
	if diff := cmp.Diff([]string{"Running"}, second.Open); diff != "" {
		t.Errorf("open workflow (-want +got):\n%s", diff)
	}
	if first.Connection.Token == second.Connection.Token {
		t.Error("two starts have the same token")
	}
	if first.ClusterID == "" || first.ClusterID != second.ClusterID {
		t.Errorf("the cluster id changed from %q to %q", first.ClusterID, second.ClusterID)
	}
	for name, r := range map[string]report{"new": first, "existing": second} {
		t.Logf("%s database: started in %s, stopped in %s", name, r.Start, r.Stop)
		if r.Stop > stopTimeout+time.Second {
			t.Errorf("%s database: Stop took %s", name, r.Stop)
		}
	}
}

func TestStopDoesNotWaitForClients(t *testing.T) {
	t.Parallel()
	r := play(t, "abandon", t.TempDir())
	t.Logf("stopped in %s", r.Stop)
	if r.Stop > stopTimeout+time.Second {
		t.Errorf("Stop took %s", r.Stop)
	}
}

func TestADatabaseOfAnotherVersionIsSetAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := play(t, "write", dir)
	before := readRecord(dir)
	before.Version = "temporal 1.31.0"
	if err := before.write(dir); err != nil {
		t.Fatal(err)
	}

	second := play(t, "idle", dir)
	if second.ClusterID != first.ClusterID {
		t.Error("the cluster id is the folder's and outlives the database")
	}
	if got := readRecord(dir).Version; got != version {
		t.Errorf("recorded version %q, want %q", got, version)
	}
	if _, err := os.Stat(filepath.Join(dir, databaseName+asideSuffix)); err != nil {
		t.Errorf("the old database is not kept: %v", err)
	}
	play(t, "write", dir) // the ids are free again: the database is a new one
}

func TestTheRecordHoldsNoSecretAndTheFolderIsPrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "engine")
	r := play(t, "idle", dir)
	text, err := os.ReadFile(filepath.Join(dir, recordName))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), r.Connection.Token) {
		t.Error("engine.json holds the token")
	}
	if !strings.Contains(string(text), r.Connection.Address) {
		t.Errorf("engine.json lacks the address %s", r.Connection.Address)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, recordName: 0o600, databaseName: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %q is %o, want %o", name, got, want)
		}
	}
}

func TestCheckTellsALivingEngine(t *testing.T) {
	t.Parallel()
	if err := shared.Check(within(t)); err != nil {
		t.Error(err)
	}
	select {
	case err := <-shared.Failed():
		t.Errorf("a sound engine reports %v", err)
	default:
	}
}
