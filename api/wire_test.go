package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestTimesAreWrittenInUTCWithMilliseconds(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]time.Time{
		`"2026-01-02T03:04:05.000Z"`: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		`"2026-01-02T03:04:05.120Z"`: time.Date(2026, 1, 2, 3, 4, 5, 120e6, time.UTC),
		`"2026-01-02T03:04:05.999Z"`: time.Date(2026, 1, 2, 3, 4, 5, 999_999_999, time.UTC),
		`"2026-01-02T01:04:05.000Z"`: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("east", 2*60*60)),
	} {
		got, err := json.Marshal(timestamp(at))
		if err != nil || string(got) != want {
			t.Errorf("%v: %s, %v, want %s", at, got, err, want)
		}
	}
	if got, err := json.Marshal(timeOrNull(nil)); err != nil || string(got) != "null" {
		t.Errorf("no time is %s, %v", got, err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if got, err := json.Marshal(timeOrNull(&at)); err != nil || string(got) != `"2026-01-02T03:04:05.000Z"` {
		t.Errorf("a time is %s, %v", got, err)
	}
}

func TestAnAmountInABodyIsReadExactly(t *testing.T) {
	t.Parallel()
	usd := func(n run.USD) *run.USD { return &n }
	for text, test := range map[string]struct {
		given bool
		want  *run.USD
		code  string
	}{
		`{}`:                            {},
		`{"max":null}`:                  {given: true},
		`{"max":0}`:                     {given: true, want: usd(0)},
		`{"max":0.1}`:                   {given: true, want: usd(run.Dollar / 10)},
		`{"max":1e-10}`:                 {given: true, want: usd(100)},
		`{"max":0.30000000000000004}`:   {given: true, code: "invalid_format"},
		`{"max":1e7}`:                   {given: true, code: "invalid_format"},
		`{"max":-0.01}`:                 {given: true, code: "out_of_range"},
		`{"max":"1"}`:                   {given: true, code: "wrong_type"},
		`{"max":true}`:                  {given: true, code: "wrong_type"},
		`{"max":{"usd":1}}`:             {given: true, code: "wrong_type"},
		`{"max":9007199254.7409930001}`: {given: true, code: "invalid_format"},
	} {
		var body struct {
			Max amount `json:"max"`
		}
		if err := json.Unmarshal([]byte(text), &body); err != nil {
			t.Fatal(err)
		}
		got, issue := body.Max.read("max")
		code := ""
		if issue != nil {
			code = issue.Code
		}
		if diff := cmp.Diff(test.want, got); diff != "" || code != test.code || body.Max.given() != test.given {
			t.Errorf("%s: given %v, code %q %s", text, body.Max.given(), code, diff)
		}
	}
}

func TestWhatIsMissingInARunIsNull(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(viewRun(run.Run{}))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"result": "null", "error": "null", "pending": "null", "max_cost_usd": "null", "started_at": "null", "labels": "{}",
		"claim": `{"epoch":0,"holder":null}`, "cost": `{"usd":null,"known_usd":0,"held_usd":0}`,
	} {
		if got := string(fields[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestWhatARunHasIsShown(t *testing.T) {
	t.Parallel()
	needs, spent := run.Dollar, run.Dollar/4
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := json.Marshal(viewRun(run.Run{
		Result: &run.Result{FinalAnswer: "42", Output: json.RawMessage(`{"n":42}`)},
		Error:  &run.Failure{Code: run.CodeTimeout, Message: "late"}, Pending: &run.Pending{Kind: run.PendingBudget, NeedsUSD: &needs},
		Cost: run.Cost{USD: &spent, KnownUSD: spent}, MaxCostUSD: &needs, EndedAt: &at,
		Claim: run.Claim{Epoch: 3, Holder: &run.Holder{Host: "h", PID: 7, Worker: "w"}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"result": `{"final_answer":"42","output":{"n":42}}`, "error": `{"code":"timeout","message":"late"}`,
		"pending": `{"kind":"budget","needs_usd":1}`, "cost": `{"usd":0.25,"known_usd":0.25,"held_usd":0}`, "max_cost_usd": "1",
		"claim": `{"epoch":3,"holder":{"host":"h","pid":7,"worker":"w"}}`, "ended_at": `"2026-01-02T03:04:05.000Z"`,
	} {
		if got := string(fields[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
