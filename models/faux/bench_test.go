//go:build unix

package faux

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

// conversationBody is a Responses request after so many turns that each wrote a file of 1 KB.
func conversationBody(turns int) string {
	content := strings.Repeat("A line of a note.\\n", 56)
	var body strings.Builder
	body.WriteString(`{"model":"faux-1","stream":true,"store":false,"prompt_cache_key":"k","include":["reasoning.encrypted_content"],"instructions":"You write notes.","tools":[{"type":"function","name":"write","parameters":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}}}}],"input":[{"type":"message","role":"user","content":"Write ten notes."}`)
	for i := range turns {
		fmt.Fprintf(&body, `,{"type":"function_call","id":"fc_%d","call_id":"c%d","name":"write","arguments":"{\"path\":\"n%d.txt\",\"content\":\"%s\"}"}`, i, i, i, content)
		fmt.Fprintf(&body, `,{"type":"function_call_output","call_id":"c%d","output":"Wrote n%d.txt."}`, i, i)
	}
	body.WriteString(`]}`)
	return body.String()
}

// discard is a ResponseWriter that keeps nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header            { return d.header }
func (d *discard) Write(data []byte) (int, error) { return len(data), nil }
func (d *discard) WriteHeader(int)                {}

// reportCPU reports the CPU time of the whole process for one operation, which says more than the wall time on a busy
// machine.
func reportCPU(b *testing.B, started time.Duration) {
	b.Helper()
	b.ReportMetric(float64((cpuTime(b)-started).Microseconds())/float64(b.N), "cpu-µs/op")
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkHandler is what the gateway itself spends on one streamed answer, without HTTP.
func BenchmarkHandler(b *testing.B) {
	for _, bench := range []struct {
		name, script, path, body string
	}{
		{"responses/short", "default", "/v1/responses", `{"model":"faux-1","stream":true,"input":"What is six times seven?"}`},
		{"chat/short", "default", "/v1/chat/completions", `{"model":"faux-1","stream":true,"messages":[{"role":"user","content":"What is six times seven?"}]}`},
		{"messages/short", "default", "/v1/messages", `{"model":"faux-1","stream":true,"messages":[{"role":"user","content":"What is six times seven?"}]}`},
		{"responses/turn-5", "ten-steps", "/v1/responses", conversationBody(5)},
		{"responses/turn-10", "ten-steps", "/v1/responses", conversationBody(10)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			gateway := benchGateway(b, bench.script)
			b.SetBytes(int64(len(bench.body)))
			b.ReportAllocs()
			started := cpuTime(b)
			for b.Loop() {
				request := httptest.NewRequest(http.MethodPost, bench.path, strings.NewReader(bench.body))
				gateway.ServeHTTP(&discard{header: http.Header{}}, request)
			}
			reportCPU(b, started)
		})
	}
}

// BenchmarkHTTP is one exchange over a kept connection, by a client that does nothing with the answer but read it: what
// both ends spend together.
func BenchmarkHTTP(b *testing.B) {
	server := httptest.NewServer(benchGateway(b, "default"))
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer connection.Close()
	const body = `{"model":"faux-1","stream":true,"input":"What is six times seven?"}`
	request := fmt.Appendf(nil, "POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	reader := bufio.NewReader(connection)
	b.ReportAllocs()
	started := cpuTime(b)
	for b.Loop() {
		if _, err := connection.Write(request); err != nil {
			b.Fatal(err)
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
			b.Fatalf("status %d, %v", response.StatusCode, err)
		}
		_ = response.Body.Close()
	}
	reportCPU(b, started)
}

func benchGateway(b *testing.B, name string) *Gateway {
	b.Helper()
	script, err := Load(name)
	if err != nil {
		b.Fatal(err)
	}
	gateway, err := New(script, Options{Keep: 1000})
	if err != nil {
		b.Fatal(err)
	}
	return gateway
}
