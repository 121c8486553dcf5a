package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
)

// together makes so many requests at once.
func (b *bench) together(n int, ask func(i int) reply) []reply {
	b.Helper()
	replies := make([]reply, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { replies[i] = ask(i) })
	}
	all.Wait()
	return replies
}

func TestOfManyEditsOfOneRevisionOneWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	home := b.agent(helper).HomeETag
	won := 0
	for _, got := range b.together(12, func(i int) reply {
		definition := fmt.Sprintf(`{"definition":{"id":"helper","name":"Editor %d","instructions":"x"}}`, i)
		return b.send(http.MethodPut, "/v2/agents/helper/definition", definition, "If-Match", home)
	}) {
		switch got.status {
		case http.StatusOK:
			won++
		default:
			got.problem(http.StatusPreconditionFailed, run.ErrRevisionStale)
		}
	}
	var agent run.Agent
	b.get("/v2/agents/helper").want(http.StatusOK, &agent)
	if won != 1 || agent.Revision != 2 {
		t.Errorf("%d edits won, revision %d", won, agent.Revision)
	}
}

func TestOfManyRequestsWithOneKeyOneMakesTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	ids := map[string]bool{}
	first := 0
	for _, got := range b.together(12, func(int) reply {
		return b.send(http.MethodPost, "/v2/agents/helper/runs",
			`{"input":{"content":"x","files":[{"path":"a","content_base64":"aGk="}]}}`, "Idempotency-Key", "k")
	}) {
		var r run.Run
		got.want(http.StatusCreated, &r)
		ids[r.ID] = true
		if got.header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	if len(ids) != 1 || first != 1 || len(b.ids("/v2/runs")) != 1 {
		t.Errorf("%d ids, %d firsts, %v", len(ids), first, b.ids("/v2/runs"))
	}
	for id := range ids {
		b.get("/v2/runs/" + id + "/files/inputs/a").want(http.StatusOK)
	}
}

func TestOfManyAgentsOfOneIDOneIsMade(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := 0
	for _, got := range b.together(12, func(int) reply {
		return b.send(http.MethodPost, "/v2/agents", `{"definition":`+helper+`}`)
	}) {
		if got.status == http.StatusCreated {
			made++
			continue
		}
		got.problem(http.StatusConflict, run.ErrAgentExists)
	}
	if made != 1 {
		t.Errorf("%d were made", made)
	}
}

// However a reader's connections are cut, it is sent every row once and in order.
func TestReadersMissNothingHoweverTheyAreCut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	rapid.Check(t, func(rt *rapid.T) {
		id := b.start("helper", `{"input":{"content":"hi"}}`).ID
		w := b.work(id)
		steps := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 6).Draw(rt, "rows written before each cut")
		total, last := 3, 0
		for _, rows := range steps {
			for range rows {
				w.write(run.RowWarning, run.Warning{Code: "c"})
			}
			total += rows
			s := b.stream(id, "Last-Event-ID", strconv.Itoa(last))
			take := rapid.IntRange(0, total-last).Draw(rt, "rows read")
			for _, seq := range s.seqs(take) {
				if last++; seq != strconv.Itoa(last) {
					rt.Fatalf("row %s came where %d was due", seq, last)
				}
			}
			s.cancel()
		}
		w.complete()
		total++
		s := b.stream(id + "?after=" + strconv.Itoa(last))
		if rest := s.seqs(total - last); len(rest) > 0 && rest[len(rest)-1] != strconv.Itoa(total) {
			rt.Fatalf("ended with %v, want %d", rest, total)
		}
		s.ends(fmt.Sprintf(`{"next_after":%d}`, total))
	})
}

// A timeline read page by page is the one read at once, whatever the size of the pages.
func TestPagesAddUpToTheTimeline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	w := b.work(id)
	for i := range 30 {
		w.write(run.RowWarning, run.Warning{Message: strings.Repeat("x", i*20)})
	}
	w.complete()
	whole, err := b.server.readTimeline(t.Context(), id, 0, 1000)
	if err != nil || len(whole.Rows) != 34 || !whole.Final {
		t.Fatalf("%d rows, %v", len(whole.Rows), err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		server := *b.server
		server.limits.TimelineBytes = int64(rapid.IntRange(1, 4000).Draw(rt, "bytes"))
		var rows []timelineRow
		for after, final := int64(0), false; !final; {
			limit := rapid.IntRange(1, 120).Draw(rt, "limit")
			page, err := server.readTimeline(t.Context(), id, after, limit)
			if err != nil {
				rt.Fatal(err)
			}
			if len(page.Rows) == 0 || len(page.Rows) > limit {
				rt.Fatalf("a page of %d rows after %d", len(page.Rows), after)
			}
			rows = append(rows, page.Rows...)
			after, final = page.NextAfter, page.Final
		}
		want, _ := json.Marshal(whole.Rows)
		if got, _ := json.Marshal(rows); string(got) != string(want) {
			rt.Fatalf("pages give %s, want %s", got, want)
		}
	})
}
