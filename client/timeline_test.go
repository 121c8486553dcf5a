package client

import (
	"net/http"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
)

func TestTimelineRowsDecodeIntoTheirBodies(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"rows":[
			{"seq":4,"at":"2026-03-01T00:00:00.250Z","type":"tool_use","call_id":"c1","name":"write","args":{"path":"a"},"replay":"never"},
			{"seq":5,"at":"2026-03-01T00:00:01Z","type":"usage","request":"r1","model":"faux/m","input_tokens":7,"cost_usd":0.0004}],
			"next_after":5,"final":true}`)
	})
	page, err := c.Timeline(t.Context(), "run_1", 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !page.Final || page.NextAfter != 5 || len(page.Rows) != 2 {
		t.Fatalf("page %+v", page)
	}
	var use run.ToolUse
	if err := page.Rows[0].Decode(&use); err != nil || use.Name != "write" || string(use.Args) != `{"path":"a"}` {
		t.Errorf("tool use %+v, %v", use, err)
	}
	if at := page.Rows[0].At; !at.Equal(time.Date(2026, 3, 1, 0, 0, 0, 250e6, time.UTC)) {
		t.Errorf("at %v", at)
	}
	var usage run.UsageRow
	if err := page.Rows[1].Decode(&usage); err != nil || usage.InputTokens != 7 || usage.CostUSD.String() != "0.0004" {
		t.Errorf("usage %+v, %v", usage, err)
	}
	if got := (*requests)[0]; got.Path != "/v2/runs/run_1/timeline" || got.Query != "after=3&limit=2" {
		t.Errorf("sent %s?%s", got.Path, got.Query)
	}
}

func TestARowThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]string{
		"no object": `7`, "no seq": `{"type":"answer"}`, "no type": `{"seq":1}`, "a seq below 1": `{"seq":0,"type":"answer"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"rows":[`+row+`]}`) })
			if page, err := c.Timeline(t.Context(), "run_1", 0, 0); err == nil {
				t.Errorf("page %+v", page)
			}
		})
	}
}
