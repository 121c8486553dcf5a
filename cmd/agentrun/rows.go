package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// rowLimit is how much of a long text a row's line shows, in characters; answers are shown whole.
const rowLimit = 160

// rowText is a timeline row for a person: seq, time, what happened. A row of a type this build does not know shows its
// type alone.
func rowText(row run.Row) string {
	return strings.TrimRight(fmt.Sprintf("%4d  %s  %-16s %s",
		row.Seq, row.At.UTC().Format("15:04:05"), row.Type, rowDetail(row)), " ")
}

func rowDetail(row run.Row) string {
	switch row.Type {
	case run.RowStatus:
		return detail(row, statusDetail)
	case run.RowUserMessage:
		return detail(row, func(m run.UserMessage) string { return oneLine(m.Content, rowLimit) })
	case run.RowAnswer:
		return detail(row, answerDetail)
	case run.RowToolUse:
		return detail(row, func(u run.ToolUse) string { return u.Name + " " + oneLine(string(u.Args), rowLimit) })
	case run.RowToolResult:
		return detail(row, resultDetail)
	case run.RowUsage:
		return detail(row, usageDetail)
	case run.RowRequestStarted:
		return detail(row, startedDetail)
	case run.RowRequestEnded:
		return detail(row, endedDetail)
	case run.RowSpendCap:
		return detail(row, func(s run.SpendCap) string {
			return fmt.Sprintf("the cap is $%s, $%s is spent, the next request needs $%s", s.CapUSD, s.SpentUSD, s.NeedsUSD)
		})
	case run.RowCapChanged:
		return detail(row, func(c run.CapChange) string {
			if c.CapUSD == nil {
				return "no cap"
			}
			return "$" + c.CapUSD.String()
		})
	case run.RowWarning:
		return detail(row, func(w run.Warning) string { return oneLine(w.Message, rowLimit) + " (" + w.Code + ")" })
	case run.RowHarnessStarted:
		return detail(row, harnessDetail)
	case run.RowHarnessContinued:
		return detail(row, func(h run.HarnessContinued) string { return h.Harness + " goes on: " + oneLine(h.Words, rowLimit) })
	case run.RowHarnessFailed:
		return detail(row, func(h run.HarnessFailed) string { return oneLine(h.Message, rowLimit) + " (" + h.Code + ")" })
	case run.RowNodeStarted, run.RowNodeEnded, run.RowRouteChosen, run.RowJudgeAnswered, run.RowLoopExited,
		run.RowVerifyAnswered, run.RowNodeNote:
		return detail(row, nodeDetail)
	case run.RowEscalation:
		return detail(row, func(e struct{ Kind, Stage, Summary string }) string {
			return fmt.Sprintf("%s at %s: %s", e.Kind, e.Stage, oneLine(e.Summary, rowLimit))
		})
	case run.RowReviewed:
		return detail(row, func(r run.Reviewed) string {
			return fmt.Sprintf("%s: review %d sent it back: %s", r.Node, r.Drive, oneLine(r.Feedback, rowLimit))
		})
	case run.RowWaitStarted:
		return detail(row, func(w run.WaitStarted) string {
			return fmt.Sprintf("%s: until %s (%s)", w.Node, w.Until.UTC().Format("15:04:05"), w.Reason)
		})
	default:
		return ""
	}
}

// harnessDetail says which session of which program was opened, and on what.
func harnessDetail(h run.HarnessStarted) string {
	text := fmt.Sprintf("%s, session %d", h.Harness, h.Session)
	switch {
	case h.Fresh:
		text += ", told the conversation in words"
	case h.Messages > 0:
		text += fmt.Sprintf(", on a conversation of %d messages", h.Messages)
	}
	if h.Reason != "" {
		text += ": " + oneLine(h.Reason, rowLimit)
	}
	return text
}

// nodeDetail names the node, its place and what the event says of it.
func nodeDetail(event run.NodeEvent) string {
	text := fmt.Sprintf("%s %q %s", event.Kind, oneLine(event.Label, rowLimit), event.Node)
	var said struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	switch event.Event {
	case "node.start":
		return text
	case "node.end":
		if json.Unmarshal(event.Detail, &said) == nil && said.Status != "ok" {
			text += " " + said.Status + ": " + oneLine(said.Error, rowLimit)
		}
		return text
	}
	return text + " " + event.Event + " " + oneLine(string(event.Detail), rowLimit)
}

// detail decodes a row's body for one of the functions below; a body of another shape shows nothing.
func detail[B any](row run.Row, text func(B) string) string {
	var body B
	if row.Decode(&body) != nil {
		return ""
	}
	return text(body)
}

func statusDetail(s run.StatusChange) string {
	text := string(s.Status)
	if saysMore(s.Status, s.State) {
		text += ", " + string(s.State)
	}
	if s.Reason != "" {
		text += ": " + oneLine(s.Reason, rowLimit)
	}
	if s.Error != nil {
		text += ": " + oneLine(s.Error.Message, rowLimit) + " (" + s.Error.Code + ")"
	}
	return text
}

func answerDetail(a run.Answer) string {
	text := printable(a.Text)
	if a.Refusal != "" {
		text = "refused: " + printable(a.Refusal)
	}
	if a.Truncated {
		text += " … (cut at the output limit)"
	}
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", 33))
}

func resultDetail(r run.ToolResult) string {
	switch {
	case r.Interrupted:
		return r.Name + " was interrupted"
	case !r.OK:
		return r.Name + " failed: " + oneLine(r.Content, rowLimit)
	case r.File != nil:
		return fmt.Sprintf("%s: %s, %d B", r.Name, oneLine(r.File.Path, rowLimit), r.File.Size)
	default:
		return r.Name + ": " + oneLine(r.Content, rowLimit)
	}
}

func usageDetail(u run.UsageRow) string {
	price := "no price"
	if u.CostUSD != nil {
		price = "$" + u.CostUSD.String()
	}
	return fmt.Sprintf("%s: %d in (%d cached), %d out, %s", u.Model, u.InputTokens, u.CachedInputTokens, u.OutputTokens, price)
}

func startedDetail(s run.RequestStarted) string {
	text := fmt.Sprintf("%s, attempt %d, holds $%s", s.Model, s.Attempt, s.HeldUSD)
	if s.CapRefused {
		text = s.Model + ", not sent: the cap does not buy it"
	}
	return text
}

func endedDetail(e run.RequestEnded) string {
	var parts []string
	if e.Error != nil {
		parts = append(parts, oneLine(e.Error.Message, rowLimit)+" ("+e.Error.Code+")")
	}
	if e.Unsent {
		parts = append(parts, "not sent")
	}
	if e.UnknownSpend {
		parts = append(parts, "its cost is not known, $"+e.HeldUSD.String()+" goes on counting")
	}
	if e.DurationMS > 0 {
		parts = append(parts, fmt.Sprintf("%.1f s", float64(e.DurationMS)/1000))
	}
	return strings.Join(parts, ", ")
}
