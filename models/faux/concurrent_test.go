package faux

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManyConversationsAtOnce: under load every conversation gets its own answers, every request is counted once, and a
// rule is used exactly as often as it may be.
func TestManyConversationsAtOnce(t *testing.T) {
	t.Parallel()
	const conversations, turns, limited = 40, 5, 25
	path := filepath.Join(t.TempDir(), "ledger")
	server := setup(t, fmt.Sprintf(`
rules:
  - {name: limited, times: %d, when: {user_matches: '^c'}, reply: {text: "limited {{conversation}}/{{user}}"}}
  - {name: rest, reply: {text: "rest {{conversation}}/{{user}}"}}
`, limited), Options{Ledger: path})

	type answered struct{ conversation, text string }
	answers := make(chan answered, conversations*turns)
	var all sync.WaitGroup
	for c := range conversations {
		all.Go(func() {
			key := fmt.Sprintf("c%d", c)
			for turn := range turns {
				body := fmt.Sprintf(`{"model":"m","prompt_cache_key":%q,"input":"c%d.%d"}`, key, c, turn)
				response, err := http.Post(server.url+"/v1/responses", "application/json", strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				data, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if err != nil {
					t.Error(err)
					return
				}
				answers <- answered{key, string(data)}
			}
		})
	}
	all.Wait()
	close(answers)
	for answer := range answers {
		if !strings.Contains(answer.text, answer.conversation+"/"+answer.conversation+".") {
			t.Fatalf("conversation %s got %s", answer.conversation, answer.text)
		}
	}

	records := server.await(t, ended(conversations*turns))
	byRule, numbers, perTalk := map[string]int{}, map[int64]bool{}, map[string][]int64{}
	for _, record := range records {
		byRule[record.Rule]++
		numbers[record.N] = true
		perTalk[record.Conversation] = append(perTalk[record.Conversation], record.ConversationRequest)
		if record.Attempt != 1 || record.Outcome != Completed {
			t.Errorf("the record is %+v", record)
		}
	}
	if diff := cmp.Diff(map[string]int{"limited": limited, "rest": conversations*turns - limited}, byRule); diff != "" {
		t.Errorf("uses of rules (-want +got):\n%s", diff)
	}
	if len(numbers) != conversations*turns || len(perTalk) != conversations {
		t.Errorf("%d numbers of %d conversations", len(numbers), len(perTalk))
	}
	for key, counted := range perTalk {
		slices.Sort(counted)
		if diff := cmp.Diff([]int64{1, 2, 3, 4, 5}, counted); diff != "" {
			t.Errorf("requests of %s (-want +got):\n%s", key, diff)
		}
	}

	// The ledger tells the next gateway the same, though its lines were written by many at once.
	next := setup(t, `rules: [{name: limited, times: 1, reply: {text: a}}, {name: rest, reply: {text: b}}]`, Options{Ledger: path})
	again := next.Requests()
	slices.SortFunc(again, func(a, b Record) int { return int(a.N - b.N) })
	if len(again) != len(records) || len(ledgerLines(t, path)) != 2*len(records) {
		t.Errorf("the ledger has %d requests in %d lines", len(again), len(ledgerLines(t, path)))
	}
	if got := next.ask(t, "one more"); got != "b" {
		t.Errorf("a rule that the ledger has used up answers %q", got)
	}
	if got := next.await(t, ended(len(records)+1)); got[len(got)-1].N != int64(len(records))+1 {
		t.Errorf("the next request is number %d", got[len(got)-1].N)
	}
}

// TestResetWhileRequestsAreUnderWay: a request that outlives a reset ends without a trace in the new book.
func TestResetWhileRequestsAreUnderWay(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	server := setup(t, `rules: [{when: {user: held}, reply: {hang: true}}, {reply: {text: a}}]`, Options{Ledger: path})
	held := server.begin(t, "held")
	server.await(t, open(1))
	if err := server.Reset(); err != nil {
		t.Fatal(err)
	}
	held.leave()
	_ = held.wait(t)
	server.ask(t, "new")
	records := server.await(t, ended(1))
	if len(records) != 1 || records[0].N != 1 || records[0].User != "new" {
		t.Errorf("the records are %+v", records)
	}
	again := setup(t, `rules: [{reply: {text: a}}]`, Options{Ledger: path}).Requests()
	if len(again) != 1 || again[0].User != "new" || again[0].Outcome != Completed {
		t.Errorf("the ledger has %+v", again)
	}
}
