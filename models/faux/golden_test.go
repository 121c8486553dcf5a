package faux

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the gateway sends to testdata/golden instead of comparing it")

// TestBytesOnTheWire compares what goes out, byte for byte, with files that a reader can look at. A difference is a change
// of what clients see.
func TestBytesOnTheWire(t *testing.T) {
	t.Parallel()
	gateway, err := New(Script{Rules: []Rule{
		{When: When{User: "calls"}, Reply: &Reply{
			Reasoning: "Two files, then.", Text: "Writing both.", Usage: &Usage{Input: 120, Cached: 100, CacheWrite: 8, Output: 40, Reasoning: 6},
			ToolCalls: []ToolCall{
				{Name: "write", Args: []byte(`{"path":"a.txt","content":"A\n"}`)}, {Name: "write", Args: []byte(`{"path":"b.txt","content":"B\n"}`)},
			},
		}},
		{When: When{User: "refusal"}, Reply: &Reply{Refusal: "I will not.", Chunks: 2}},
		{When: When{User: "length"}, Reply: &Reply{Text: "As far as", Stop: "length"}},
		{When: When{User: "failure"}, Reply: &Reply{Text: "Hm", Fault: &Fault{Kind: FaultError, AfterEvents: new(int)}}},
		{When: When{User: "error"}, Reply: &Reply{Status: http.StatusTooManyRequests}},
	}}, fixedClock(t))
	if err != nil {
		t.Fatal(err)
	}
	paths := map[Protocol]string{Responses: "/v1/responses", Chat: "/v1/chat/completions", Messages: "/v1/messages"}
	for protocol, path := range paths {
		for _, what := range []string{"calls", "refusal", "length", "failure", "error"} {
			for _, stream := range []bool{true, false} {
				if !stream && what == "failure" {
					continue
				}
				name := string(protocol) + "-" + what
				body := `{"model":"faux-1","max_tokens":50,"thinking":{"type":"enabled"},"stream_options":{"include_usage":true}`
				if stream {
					name += "-stream"
					body += `,"stream":true`
				}
				if protocol == Responses {
					body += `,"include":["reasoning.encrypted_content"],"input":"` + what + `"}`
				} else {
					body += `,"messages":[{"role":"user","content":"` + what + `"}]}`
				}
				answer := httptest.NewRecorder()
				gateway.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
				compareGolden(t, name, answer.Body.String())
			}
		}
	}
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
