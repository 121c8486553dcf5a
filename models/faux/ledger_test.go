package faux

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ledgerLines reads a ledger as "event n outcome".
func ledgerLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range bytes.Lines(data) {
		var read struct {
			Event   string      `json:"event"`
			N       json.Number `json:"n"`
			Outcome string      `json:"outcome"`
		}
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatalf("line %s: %v", line, err)
		}
		lines = append(lines, strings.TrimSpace(read.Event+" "+read.N.String()+" "+read.Outcome))
	}
	return lines
}

const ledgerScript = `
rules:
  - {name: once, when: {user: a}, times: 1, reply: {text: once}}
  - {name: later, when: {user: a}, reply: {text: "attempt of request {{request}}"}}
  - {name: held, when: {user: held}, reply: {hang: true}}
  - {name: cut, when: {user: cut}, reply: {text: a, fault: {kind: cut}}}
`

func TestLedgerHasALineBeforeAndAfterEachAnswer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	server := setup(t, ledgerScript, Options{Ledger: path})
	server.ask(t, "a")
	held := server.begin(t, "held")
	server.await(t, open(1))
	if diff := cmp.Diff([]string{"begin 1 open", "end 1 completed", "begin 2 open"}, ledgerLines(t, path)); diff != "" {
		t.Errorf("while the second is held (-want +got):\n%s", diff)
	}
	held.leave()
	server.await(t, ended(2))
	server.ask(t, "nobody knows")
	if _, _, err := receive(t, server.url+"/v1/responses", `{"model":"m","input":"cut"}`); err == nil {
		t.Error("the answer was not cut")
	}
	server.await(t, ended(4))
	want := []string{
		"begin 1 open", "end 1 completed", "begin 2 open", "end 2 client_gone",
		"begin 3 open", "end 3 error", "begin 4 open", "end 4 cut",
	}
	if diff := cmp.Diff(want, ledgerLines(t, path)); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
}

func TestLedgerIsContinuedByTheNextGateway(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	first := setup(t, ledgerScript, Options{Ledger: path})
	if got := first.ask(t, "a"); got != "once" {
		t.Fatalf("the first answer is %q", got)
	}
	first.begin(t, "held")
	first.await(t, open(1))

	// What a kill leaves behind: no end of the second request, and half a line.
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(t.TempDir(), "killed")
	if err := os.WriteFile(killed, append(data, `{"event":"end","n":2,"outc`...), 0o600); err != nil {
		t.Fatal(err)
	}
	second := setup(t, ledgerScript, Options{Ledger: killed})
	if diff := cmp.Diff([]Outcome{Completed, Stopped}, outcomes(second.Requests())); diff != "" {
		t.Errorf("what the ledger holds (-want +got):\n%s", diff)
	}
	if got := second.ask(t, "a"); got != "attempt of request 3" {
		t.Errorf("the rule that was used up answers %q", got)
	}
	records := second.await(t, ended(3))
	if records[2].Attempt != 2 || records[2].N != 3 || len(second.Repeats()) != 1 {
		t.Errorf("the records are %+v", records)
	}
	if err := second.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := second.ask(t, "a"); got != "once" {
		t.Errorf("after a reset the answer is %q", got)
	}
	second.await(t, ended(1))
	third := setup(t, ledgerScript, Options{Ledger: killed})
	if got := third.Requests(); len(got) != 1 || got[0].N != 1 || got[0].Outcome != Completed {
		t.Errorf("after a reset the ledger holds %+v", got)
	}
}

func TestLedgerThatCannotBeWrittenRefusesRequests(t *testing.T) {
	t.Parallel()
	if _, err := New(Default(), Options{Ledger: t.TempDir()}); err == nil {
		t.Error("a directory was opened as a ledger")
	}
	var log bytes.Buffer
	gateway, err := New(Default(), Options{Ledger: filepath.Join(t.TempDir(), "ledger"), Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Close(); err != nil {
		t.Fatal(err)
	}
	server := &testServer{Gateway: gateway}
	server.url = serveHandler(t, gateway)
	if got := server.ask(t, "What is six times seven?"); got != "server_error" {
		t.Errorf("the answer is %q", got)
	}
	server.await(t, ended(1))
	if !strings.Contains(log.String(), "ledger") {
		t.Errorf("the log says %q", log.String())
	}
}
