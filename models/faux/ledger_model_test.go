package faux

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// reference counts requests as a ledger should, in the plainest way.
type reference struct {
	digests, talks map[string]int64
	requests       int64
	outcomes       []Outcome
}

func newReference() *reference {
	return &reference{digests: map[string]int64{}, talks: map[string]int64{}}
}

func (r *reference) begin(digest, talk string) counts {
	r.requests++
	r.digests[digest]++
	r.talks[talk]++
	r.outcomes = append(r.outcomes, Open)
	return counts{request: r.requests, conversation: r.talks[talk], attempt: r.digests[digest]}
}

// TestLedgerAgainstReference: whatever is begun, ended and reset, and whenever the process is killed, a gateway on the
// same ledger counts like one that was never stopped.
func TestLedgerAgainstReference(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tries := 0
	rapid.Check(t, func(t *rapid.T) {
		tries++
		path := filepath.Join(dir, strconv.Itoa(tries))
		want := newReference()
		var gateway *Gateway
		var underWay []*exchange
		start := func() {
			made, err := New(Script{Rules: []Rule{{Reply: &Reply{Text: "a"}}}}, Options{Ledger: path})
			if err != nil {
				t.Fatal(err)
			}
			gateway, underWay = made, nil
			for i, outcome := range want.outcomes {
				if outcome == Open {
					want.outcomes[i] = Stopped
				}
			}
		}
		kill := func(halfLine bool) {
			if err := gateway.Close(); err != nil {
				t.Fatal(err)
			}
			if halfLine {
				file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := file.WriteString(`{"event":"begin","n":99,"dig`); err != nil {
					t.Fatal(err)
				}
				if err := file.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
		start()
		names := rapid.SampledFrom([]string{"a", "b", "c"})
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(t *rapid.T) {
				digest, talk := names.Draw(t, "digest"), names.Draw(t, "conversation")
				x := &exchange{gateway: gateway, record: &Record{At: time.Now().UTC(), Digest: digest, Conversation: talk, Outcome: Open}}
				got := gateway.book.begin(x.record)
				if expected := want.begin(digest, talk); got != expected {
					t.Fatalf("counted %+v, want %+v", got, expected)
				}
				if !x.begin("rule 1") {
					t.Fatal(x.failed)
				}
				underWay = append(underWay, x)
			},
			"end": func(t *rapid.T) {
				if len(underWay) == 0 {
					t.Skip("nothing is under way")
				}
				i := rapid.IntRange(0, len(underWay)-1).Draw(t, "which")
				outcome := rapid.SampledFrom([]Outcome{Completed, Cut, ClientGone, Refused}).Draw(t, "outcome")
				x := underWay[i]
				underWay = append(underWay[:i:i], underWay[i+1:]...)
				x.end(outcome, 200)
				want.outcomes[x.record.N-1] = outcome
			},
			"reset": func(t *rapid.T) {
				if err := gateway.Reset(); err != nil {
					t.Fatal(err)
				}
				*want = *newReference()
				underWay = nil
			},
			"kill": func(t *rapid.T) {
				kill(rapid.Bool().Draw(t, "half a line"))
				start()
			},
			"": func(t *rapid.T) {
				records := gateway.Requests()
				if len(records) != len(want.outcomes) {
					t.Fatalf("%d requests, want %d", len(records), len(want.outcomes))
				}
				for i, record := range records {
					if record.N != int64(i+1) || record.Outcome != want.outcomes[i] {
						t.Fatalf("request %d is number %d, %s; want %s", i+1, record.N, record.Outcome, want.outcomes[i])
					}
				}
			},
		})
		kill(false)
	})
}
