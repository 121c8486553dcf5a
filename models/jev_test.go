package models

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	usage := run.Usage{InputTokens: 318, OutputTokens: 34, Requests: 1}
	const noul = `{"a":{"type":"noul","noul":0.5}}`
	for name, test := range map[string]struct {
		body string
		want Answer
	}{
		"all types, in the order of the questions": {judgeAnswer, Answer{Text: judged, Usage: usage, ServedModel: "jev-1.14.0"}},
		"a noul":                    {judgeBody(t, noul), Answer{Text: noul, Usage: usage, ServedModel: "jev-1.14.0"}},
		"a type of a later version": {judgeBody(t, `{"a":{"type":"new"}}`), Answer{Text: `{"a":{"type":"new"}}`, Usage: usage, ServedModel: "jev-1.14.0"}},
		"no answers in the object":  {judgeBody(t, `{}`), Answer{Text: `{}`, Usage: usage, ServedModel: "jev-1.14.0"}},
		"nothing but answers":       {`{"answers":` + noul + `}`, Answer{Text: noul, Usage: run.Usage{Requests: 1}, NoUsage: true}},
		"half a usage":              {`{"answers":` + noul + `,"usage":{"input_tokens":7}}`, Answer{Text: noul, Usage: run.Usage{Requests: 1}, NoUsage: true}},
		"a usage that cannot be":    {`{"answers":` + noul + `,"usage":{"input_tokens":-7,"output_tokens":1}}`, Answer{Text: noul, Usage: run.Usage{Requests: 1}, NoUsage: true}},
		"blank lines inside":        {"\n\n{\n\n\"answers\":{\n\n}\n\n}\n\n", Answer{Text: "{\n\n}", Usage: run.Usage{Requests: 1}, NoUsage: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, answering(test.body))
			got, err := New(Options{}).Do(t.Context(), judging(p.URL), nil)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Stop = StopEnd
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestJudgeRequest reads what goes over the wire, at every way to write the address.
func TestJudgeRequest(t *testing.T) {
	t.Parallel()
	want := `{"model":"jev-latest","state":{"z":1.50,"a":"é\u00e9"},"questions":` + questions + `}`
	for suffix, path := range map[string]string{
		"": "/v1/systemone", "/": "/v1/systemone", "/v1": "/v1/systemone", "/v1/": "/v1/systemone",
		"/gateway": "/gateway/v1/systemone", "/gateway/v1": "/gateway/v1/systemone",
	} {
		for _, key := range []string{testKey, ""} {
			p := newProvider(t, answering(judgeAnswer))
			r := judging(p.URL + suffix)
			r.APIKey = key
			if _, err := New(Options{}).Do(t.Context(), r, nil); err != nil {
				t.Fatal(err)
			}
			sent := <-p.requests
			if diff := cmp.Diff(want, string(sent.body)); diff != "" {
				t.Errorf("the body (-want +got):\n%s", diff)
			}
			bearer := strings.TrimSpace("Bearer " + key)
			if key == "" {
				bearer = ""
			}
			got := []string{sent.path, sent.header.Get("Authorization"), sent.header.Get("Content-Type"), sent.header.Get("Accept")}
			if diff := cmp.Diff([]string{path, bearer, "application/json", "application/json"}, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", suffix, diff)
			}
		}
	}
}

func TestJudgeKeepsTheCallersOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"questions":{},"state":"words"}`:             `{"model":"jev-latest","questions":{},"state":"words"}`,
		`{"state":null,"questions":{"b":1,"a":2}}`:     `{"model":"jev-latest","state":null,"questions":{"b":1,"a":2}}`,
		"{\"state\" :\t[1 , 2],\n\"questions\": { } }": `{"model":"jev-latest","state":[1 , 2],"questions":{ }}`,
		`{"\u0073tate":1e400,"questions":{}}`:          `{"model":"jev-latest","state":1e400,"questions":{}}`,
	} {
		r := judging("")
		r.Messages[0].Text = text
		got, err := encodeJev(r)
		if err != nil || string(got) != want {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
}

func TestWhatAJudgeDoesNotTake(t *testing.T) {
	t.Parallel()
	saying := func(text string) func(*Request) {
		return func(r *Request) { r.Messages[0].Text = text }
	}
	for name, change := range map[string]func(*Request){
		"nothing":                func(r *Request) { r.Messages = nil },
		"two messages":           func(r *Request) { r.Messages = append(r.Messages, r.Messages[0]) },
		"an assistant's message": func(r *Request) { r.Messages[0].Role = RoleAssistant },
		"instructions":           func(r *Request) { r.Instructions = "Be fair." },
		"tools":                  func(r *Request) { r.Tools = []Tool{{Name: "read"}} },
		"a schema":               func(r *Request) { r.Output = []byte(`{}`) },
		"words":                  saying("Is it urgent?"),
		"no text":                saying(""),
		"a list":                 saying(`[{"state":1,"questions":{}}]`),
		"no state":               saying(`{"questions":{}}`),
		"no questions":           saying(`{"state":1}`),
		"questions in a list":    saying(`{"state":1,"questions":[]}`),
		"a model of its own":     saying(`{"state":1,"questions":{},"model":"other"}`),
		"a state twice":          saying(`{"state":1,"state":2,"questions":{}}`),
		"an end too early":       saying(`{"state":1,"questions":{}`),
		"more after the end":     saying(`{"state":1,"questions":{}} {}`),
		"not UTF-8":              saying("{\"state\":\"\xff\",\"questions\":{}}"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, answering(judgeAnswer))
			r := judging(p.URL)
			change(&r)
			got := failed(t, New(Options{}), r)
			if diff := cmp.Diff(&Error{Code: CodeUnsupported, Spend: SpendUnsent}, got, ignoreWords); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(p.requests) > 0 {
				t.Error("it was sent")
			}
		})
	}
}

// TestJudgeBound holds the bound against what was measured of the judge: 261 tokens a request, 8 for each question,
// option and level, and a token for each word.
func TestJudgeBound(t *testing.T) {
	t.Parallel()
	for text, measured := range map[string]int64{
		`{"state":"word","questions":{"a":{"type":"noul","instructions":"word word"}}}`:                     261 + 8 + 3,
		`{"state":"w","questions":{"a":{"type":"choice","criteria":{"a":null,"b":null,"c":null}}}}`:         261 + 8 + 1 + 3*8,
		`{"state":"w","questions":{"a":{"type":"score","criteria":["a","b","c","d","e"]}}}`:                 261 + 8 + 1 + 5*8,
		`{"state":"w","questions":{` + strings.Repeat(`"a":{"type":"noul"},`, 99) + `"z":{"type":"noul"}}}`: 261 + 100*8 + 1,
	} {
		r := judging("")
		r.Messages[0].Text = text
		if bound := InputBound(r); bound < 2*measured {
			t.Errorf("%d tokens were measured of %.80s; the bound is only %d", measured, text, bound)
		}
	}
}
