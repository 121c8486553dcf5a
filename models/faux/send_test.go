package faux

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// faultScript breaks an answer of seven events (Messages) or of 17 bytes of text.
func faultScript(fault string) string {
	return "rules: [{reply: {text: The answer is 42., fault: " + fault + "}}]"
}

const streamedQuestion = `{"model":"m","stream":true,"messages":[{"role":"user","content":"a"}]}`

// receive posts a body and reads as much as comes.
func receive(t *testing.T, url, body string) (status int, got string, err error) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}

func TestFaultsOfAStream(t *testing.T) {
	t.Parallel()
	_, whole, err := receive(t, setup(t, `rules: [{reply: {text: The answer is 42.}}]`, Options{}).url+"/v1/messages", streamedQuestion)
	if err != nil {
		t.Fatal(err)
	}
	events := strings.SplitAfter(strings.TrimSuffix(whole, "\n\n"), "\n\n")
	if len(events) != 7 {
		t.Fatalf("the whole stream has %d events:\n%s", len(events), whole)
	}
	first := func(n int) string { return strings.Join(events[:n], "") }
	for name, test := range map[string]struct {
		fault, want string
		broken      bool
	}{
		"cut after events":    {`{kind: cut, after_events: 3}`, first(3), true},
		"cut before anything": {`{kind: cut, after_bytes: 0}`, "", true},
		"cut after bytes":     {`{kind: cut, after_bytes: 20}`, whole[:20], true},
		"cut in an event":     {`{kind: cut, after_events: 3, mid_event: true}`, first(3) + events[3][:len(events[3])/2], true},
		"cut in the middle":   {`{kind: cut}`, whole[:len(whole)/2], true},
		"cut after the end":   {`{kind: cut, after_events: 99}`, whole, true},
		"end after events":    {`{kind: end, after_events: 5}`, first(5), false},
		"end after all bytes": {`{kind: end, after_bytes: 99999}`, whole, false},
		"garbage, then more":  {`{kind: garbage, after_events: 2}`, first(2) + garbage + whole[len(first(2)):], false},
		"garbage half way":    {`{kind: garbage}`, first(3) + garbage + whole[len(first(3)):], false},
		"an error event": {
			`{kind: error, after_events: 2}`,
			first(2) + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := setup(t, faultScript(test.fault), Options{})
			_, got, err := receive(t, server.url+"/v1/messages", streamedQuestion)
			if (err != nil) != test.broken {
				t.Errorf("the stream ends with %v", err)
			}
			if name == "an error event" {
				got = got[:min(len(got), len(test.want))]
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("received (-want +got):\n%s", diff)
			}
			if got := server.await(t, ended(1))[0]; got.Outcome != Cut || got.Usage == nil {
				t.Errorf("the record is %+v", got)
			}
		})
	}
}

func TestFaultsOfAWholeAnswer(t *testing.T) {
	t.Parallel()
	const question = `{"model":"m","messages":[{"role":"user","content":"a"}]}`
	server := setup(t, faultScript(`{kind: end}`), Options{})
	status, got, err := receive(t, server.url+"/v1/chat/completions", question)
	if status != http.StatusOK || err != nil || !strings.HasPrefix(got, `{"id":"chatcmpl-`) || strings.HasSuffix(got, "}") {
		t.Errorf("half an answer is %d %q, %v", status, got, err)
	}
	server = setup(t, faultScript(`{kind: error}`), Options{})
	if _, got, _ := receive(t, server.url+"/v1/chat/completions", question); got != "" {
		t.Errorf("an error has no event to come in, but there is %q", got)
	}
}

func TestStalledStreamEndsWithItsClient(t *testing.T) {
	t.Parallel()
	server := setup(t, faultScript(`{kind: stall, after_events: 2}`), Options{})
	response, err := http.Post(server.url+"/v1/messages", "application/json", strings.NewReader(streamedQuestion))
	if err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(response.Body)
	for range 6 { // the lines of two events: they arrive though nothing follows
		if _, err := reader.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if got := server.Requests()[0].Outcome; got != Open {
		t.Errorf("the outcome is %s before the client leaves", got)
	}
	_ = response.Body.Close()
	if got := server.await(t, ended(1))[0].Outcome; got != Cut {
		t.Errorf("the outcome is %s", got)
	}
}

func TestPiecesArriveOneByOne(t *testing.T) {
	t.Parallel()
	server := setup(t, `rules: [{reply: {text: abcdef, chunks: 3, chunk_delay: 30ms}}]`, Options{})
	started := time.Now()
	response, err := http.Post(server.url+"/v1/responses", "application/json", strings.NewReader(`{"model":"m","stream":true,"input":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var arrived []time.Duration
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: response.output_text.delta") {
			arrived = append(arrived, time.Since(started))
		}
	}
	if len(arrived) != 3 || arrived[2]-arrived[0] < 30*time.Millisecond {
		t.Errorf("the pieces arrived at %v", arrived)
	}
	if got := server.await(t, ended(1))[0]; got.Outcome != Completed || got.DurationMS < 60 {
		t.Errorf("the record is %+v", got)
	}
}

func TestScriptedRefusals(t *testing.T) {
	t.Parallel()
	server := setup(t, `
rules:
  - {when: {user: page}, reply: {status: 502, headers: {content-type: text/html}, body: <h1>Bad Gateway</h1>}}
  - {when: {user: plain}, reply: {status: 500, body: oops}}
  - {when: {user: quota}, reply: {status: 429, error: {type: insufficient_quota, code: insufficient_quota}}}
  - {when: {user: odd}, reply: {status: 418}}
  - {when: {user: odder}, reply: {status: 599}}
`, Options{})
	for text, want := range map[string]struct {
		status     int
		kind, body string
	}{
		"page":  {502, "text/html", "<h1>Bad Gateway</h1>"},
		"plain": {500, "text/plain; charset=utf-8", "oops"},
		"quota": {429, "application/json", `{"error":{"message":"The rate limit is reached.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`},
		"odd":   {418, "application/json", `{"error":{"message":"The request is invalid.","type":"invalid_request_error","param":null,"code":null}}`},
		"odder": {599, "application/json", `{"error":{"message":"The server had an error.","type":"server_error","param":null,"code":"server_error"}}`},
	} {
		response, err := http.Post(server.url+"/v1/responses", "", strings.NewReader(`{"model":"m","input":"`+text+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != want.status || response.Header.Get("Content-Type") != want.kind || string(body) != want.body {
			t.Errorf("%s: %d %s %s", text, response.StatusCode, response.Header.Get("Content-Type"), body)
		}
	}
	for _, record := range server.await(t, ended(5)) {
		if record.Outcome != Refused || record.Rule == "" || record.Usage != nil {
			t.Errorf("the record is %+v", record)
		}
	}
}

func TestHeadersOfAReply(t *testing.T) {
	t.Parallel()
	server := setup(t, `rules: [{reply: {text: a, headers: {x-ratelimit-remaining-requests: "3"}}}]`, Options{})
	response, err := http.Post(server.url+"/v1/responses", "", strings.NewReader(`{"model":"m","input":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.Header.Get("X-Ratelimit-Remaining-Requests") != "3" {
		t.Errorf("headers are %v", response.Header)
	}
}
