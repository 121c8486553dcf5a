package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// timelinePage is a page as a caller reads it.
type timelinePage struct {
	Rows []struct {
		Seq     int64  `json:"seq"`
		At      string `json:"at"`
		Type    string `json:"type"`
		Content string `json:"content"`
	} `json:"rows"`
	NextAfter int64 `json:"next_after"`
	Final     bool  `json:"final"`
}

func (p timelinePage) seqs() []int64 {
	list := make([]int64, 0, len(p.Rows))
	for _, row := range p.Rows {
		list = append(list, row.Seq)
	}
	return list
}

func TestATimelineIsReadInPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	w := b.work(r.ID)
	for i := range 4 {
		w.write(run.RowWarning, run.Warning{Code: "c", Message: strconv.Itoa(i)})
	}
	path := "/v2/runs/" + r.ID + "/timeline"
	var page timelinePage
	b.get(path+"?limit=5").want(http.StatusOK, &page)
	if diff := cmp.Diff([]int64{1, 2, 3, 4, 5}, page.seqs()); diff != "" || page.NextAfter != 5 || page.Final {
		t.Errorf("%s %+v", diff, page)
	}
	if row := page.Rows[1]; row.Type != "user_message" || row.Content != "hi" || len(row.At) != len("2026-01-02T03:04:05.678Z") {
		t.Errorf("%+v", row)
	}
	b.get(path+"?after=5").want(http.StatusOK, &page)
	if diff := cmp.Diff([]int64{6, 7}, page.seqs()); diff != "" || page.NextAfter != 7 || page.Final {
		t.Errorf("%s %+v", diff, page)
	}
	b.get(path+"?after=7").want(http.StatusOK, &page)
	if len(page.Rows) != 0 || page.NextAfter != 7 || page.Final {
		t.Errorf("%+v", page)
	}
	w.complete()
	b.get(path+"?after=7").want(http.StatusOK, &page)
	if diff := cmp.Diff([]int64{8}, page.seqs()); diff != "" || !page.Final {
		t.Errorf("%s %+v", diff, page)
	}
	b.get(path+"?after=100").want(http.StatusOK, &page)
	if len(page.Rows) != 0 || page.NextAfter != 100 || !page.Final {
		t.Errorf("%+v", page)
	}
	for _, query := range []string{"after=-1", "after=x", "limit=0", "limit=1001", "limit=x", "from=1"} {
		b.get(path+"?"+query).problem(http.StatusBadRequest, codeParameter)
	}
	b.get("/v2/runs/run_nobody/timeline").problem(http.StatusNotFound, run.ErrNotFound)
}

func TestATimelinePageIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Limits.TimelineBytes = 2000 })
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	w := b.work(r.ID)
	for range 3 {
		w.write(run.RowWarning, run.Warning{Message: strings.Repeat("x", 900)})
	}
	w.write(run.RowWarning, run.Warning{Message: strings.Repeat("y", 5000)})
	w.complete()
	var pages [][]int64
	for after := int64(0); ; {
		var page timelinePage
		b.get(fmt.Sprintf("/v2/runs/%s/timeline?after=%d", r.ID, after)).want(http.StatusOK, &page)
		pages = append(pages, page.seqs())
		if after = page.NextAfter; page.Final {
			break
		}
	}
	if diff := cmp.Diff([][]int64{{1, 2, 3, 4}, {5, 6}, {7}, {8}}, pages); diff != "" {
		t.Error(diff)
	}
}

func TestALongTimelineIsReadInChunksWithoutAGap(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	w := b.work(r.ID)
	for range 5 {
		bodies := make([]any, 0, timelineChunk)
		for range timelineChunk {
			bodies = append(bodies, run.Warning{Code: "c"})
		}
		w.write(run.RowWarning, bodies...)
	}
	w.complete()
	var page timelinePage
	b.get("/v2/runs/"+r.ID+"/timeline?limit=1000").want(http.StatusOK, &page)
	if len(page.Rows) != 504 || !page.Final {
		t.Fatalf("%d rows, final %v", len(page.Rows), page.Final)
	}
	for i, seq := range page.seqs() {
		if seq != int64(i+1) {
			t.Fatalf("row %d has seq %d", i, seq)
		}
	}
	b.get("/v2/runs/"+r.ID+"/timeline").want(http.StatusOK, &page)
	if len(page.Rows) != 200 || page.Final {
		t.Errorf("%d rows, final %v", len(page.Rows), page.Final)
	}
}

func TestPrivatePartsNeverLeave(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	w := b.work(r.ID)
	if err := b.store.ServerAppend(t.Context(), r.ID,
		run.NewRow(run.RowWarning, "k", run.Warning{Code: "c"}, map[string]string{"native": "the secret items"})); err != nil {
		t.Fatal(err)
	}
	w.complete()
	for _, accept := range []string{"application/json", eventStream} {
		if body := string(b.get("/v2/runs/"+r.ID+"/timeline", "Accept", accept).want(http.StatusOK).body); strings.Contains(body, "secret") {
			t.Errorf("%s", body)
		}
	}
}

func TestViewRowFlattensAnyBody(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`:                  `{"seq":1,"at":"0001-01-01T00:00:00.000Z","type":"warning"}`,
		`{"a":1}`:             `{"seq":1,"at":"0001-01-01T00:00:00.000Z","type":"warning","a":1}`,
		`{"a":{"b":[1,"}"]}}`: `{"seq":1,"at":"0001-01-01T00:00:00.000Z","type":"warning","a":{"b":[1,"}"]}}`,
	} {
		got, err := viewRow(run.Row{Seq: 1, Type: run.RowWarning, Body: json.RawMessage(body)})
		if err != nil || string(got.data) != want || !json.Valid(got.data) {
			t.Errorf("%s: %s, %v", body, got.data, err)
		}
	}
}
