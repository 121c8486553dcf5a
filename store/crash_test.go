package store

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// crashDir is the environment variable that makes the test binary the child of TestCrash.
const crashDir = "AGENTRUN_STORE_CRASH_DIR"

// TestCrash kills a process that appends as fast as it can: every row it said was acknowledged is there, the journals
// are dense, and the folds agree with the rows.
func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acknowledged := map[string]int64{}
	for round := range 3 {
		maps.Copy(acknowledged, killed(t, dir, 300*(round+1)))
		checkAfterCrash(t, dir, acknowledged)
	}
}

// killed starts the child, reads so many acknowledgements, kills it, and returns the last acknowledged seq of each run.
func killed(t *testing.T, dir string, after int) map[string]int64 {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	last := map[string]int64{}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == after {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		// The last line may have been cut by the kill.
		var id string
		var seq int64
		if _, err := fmt.Sscanf(lines.Text(), "%s %d .", &id, &seq); err == nil && strings.HasSuffix(lines.Text(), ".") {
			last[id] = max(last[id], seq)
		}
	}
	_ = child.Wait()
	if len(last) == 0 {
		t.Fatal("the child acknowledged nothing")
	}
	return last
}

func checkAfterCrash(t *testing.T, dir string, acknowledged map[string]int64) {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for id, seq := range acknowledged {
		rows := allRows(t, s, id)
		if int64(len(rows)) < seq {
			t.Errorf("run %s has %d rows, and row %d was acknowledged", id, len(rows), seq)
		}
		checkFold(t, s, id, rows)
	}
	var verdict string
	if err := s.read.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s (%v)", verdict, err)
	}
}

// appendUntilKilled is the child: eight writers on runs of their own.
func appendUntilKilled(dir string) {
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	if _, err := s.CreateAgent(ctx, definition("writer"), nil); err != nil && run.CodeOf(err) != run.ErrAgentExists {
		panic(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			made, _, err := s.CreateRun(ctx, newRun())
			if err != nil {
				panic(err)
			}
			opened, err := s.ClaimRun(ctx, journal.Open{RunID: made.ID, Holder: run.Holder{Worker: "w1"}})
			if err != nil {
				panic(err)
			}
			for n := 0; ; n++ {
				done, err := s.Append(ctx, journal.Append{Claim: opened.Claim, Rows: []run.Row{text(strconv.Itoa(n))}, After: 1 << 20})
				if err != nil {
					panic(err)
				}
				fmt.Printf("%s %d .\n", made.ID, done.Seqs[0])
			}
		})
	}
	all.Wait()
}
