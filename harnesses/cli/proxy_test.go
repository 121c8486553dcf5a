package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// plain is a protocol of one word: the body is the question, "stream:" before it asks for a stream.
type plain struct{}

func (plain) Path() string { return "/v1/ask" }

func (plain) Read(body []byte, header http.Header) (Ask, bool, error) {
	words, stream := strings.CutPrefix(string(body), "stream:")
	switch words {
	case "garbage":
		return Ask{}, false, errors.New("this is garbage")
	case "panic":
		panic(header.Get("X-Secret-Note"))
	}
	return Ask{Words: words}, stream, nil
}

func (plain) Answer(a Answer, stream bool) []byte {
	return fmt.Appendf(nil, "answer %s stream %v\n", a.ID, stream)
}

func (plain) Refusal(r *Refused) (int, http.Header, []byte) {
	return http.StatusPaymentRequired, http.Header{"X-Should-Retry": {"false"}}, fmt.Appendf(nil, "refused %s: %s", r.Code, r.Message)
}

func (plain) StreamError(message string) []byte { return []byte("error " + message + "\n") }

func (plain) Beat() []byte { return []byte("beat\n") }

func (plain) Other(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != "/v1/count" {
		return false
	}
	_, _ = io.WriteString(w, "counted "+r.URL.RawQuery)
	return true
}

// askHost answers every request with a function of the test's.
type askHost struct {
	Host
	ask func(ctx context.Context, words string) (Answer, error)
}

func (h askHost) Ask(ctx context.Context, ask Ask) (Answer, error) { return h.ask(ctx, ask.Words) }

func echo(_ context.Context, words string) (Answer, error) { return Answer{ID: words}, nil }

// bundle is a proxy on loopback with what it logs.
type bundle struct {
	*Proxy
	address, base string
	logged        *syncBuffer
}

type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func setup(t *testing.T, ask func(ctx context.Context, words string) (Answer, error), l limits) *bundle {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	logged := &syncBuffer{}
	log := slog.New(slog.NewJSONHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	secret := NewSecret()
	p := serve(listener, secret, plain{}, askHost{ask: ask}, log, l)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if strings.Contains(logged.String(), secret) {
			t.Error("the log has the secret")
		}
	})
	address := listener.Addr().String()
	return &bundle{Proxy: p, address: address, base: "http://" + address + "/" + secret, logged: logged}
}

// usual are the limits of a proxy whose streams are never late.
var usual = limits{headers: HeadersAfter, beat: BeatEvery, close: closeWait, body: 1 << 20}

type response struct {
	*http.Response
	text string
}

func request(t *testing.T, method, url, body string, header ...string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{got, string(text)}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWhatTheProxyAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t, func(ctx context.Context, words string) (Answer, error) {
		switch words {
		case "expensive":
			return Answer{}, fmt.Errorf("the gate: %w", &Refused{"budget", "the cap is reached"})
		case "broken":
			return Answer{}, errors.New("the record is away")
		case "panics":
			panic("words of the conversation")
		}
		return echo(ctx, words)
	}, usual)
	cases := map[string]struct {
		method, path, body string
		header             []string
		status             int
		text, kind         string
	}{
		"an answer":              {"POST", "/v1/ask", "one", nil, 200, "answer one stream false\n", "application/json"},
		"a stream":               {"POST", "/v1/ask", "stream:one", nil, 200, "answer one stream true\n", "text/event-stream"},
		"with a query":           {"POST", "/v1/ask?beta=true", "one", nil, 200, "answer one stream false\n", "application/json"},
		"an empty body":          {"POST", "/v1/ask", "", nil, 200, "answer  stream false\n", "application/json"},
		"gzip":                   {"POST", "/v1/ask", packed(t, "small"), []string{"Content-Encoding", "gzip"}, 200, "answer small stream false\n", "application/json"},
		"gzip that is none":      {"POST", "/v1/ask", "plain", []string{"Content-Encoding", "gzip"}, 400, "refused invalid_request: the request's body could not be read", ""},
		"gzip that is cut":       {"POST", "/v1/ask", packed(t, "small")[:20], []string{"Content-Encoding", "gzip"}, 400, "refused invalid_request: the request's body could not be read", ""},
		"zstd":                   {"POST", "/v1/ask", "one", []string{"Content-Encoding", "zstd"}, 415, "refused unsupported_encoding: a request's body must not be compressed but with gzip", ""},
		"garbage":                {"POST", "/v1/ask", "garbage", nil, 400, "refused invalid_request: this is garbage", ""},
		"a refusal":              {"POST", "/v1/ask", "expensive", nil, 402, "refused budget: the cap is reached", ""},
		"a refusal of a stream":  {"POST", "/v1/ask", "stream:expensive", nil, 402, "refused budget: the cap is reached", ""},
		"a host that fails":      {"POST", "/v1/ask", "broken", nil, 503, "refused unavailable: the request could not be answered", ""},
		"another path":           {"POST", "/v1/count?x=1", "", nil, 200, "counted x=1", ""},
		"a path that is nowhere": {"POST", "/v1/files", "", nil, 404, `{"error":{"type":"not_found_error","message":"not found"}}`, "application/json"},
		"no path":                {"HEAD", "", "", nil, 404, "", "application/json"},
		"another method":         {"GET", "/v1/ask", "", nil, 404, `{"error":{"type":"not_found_error","message":"not found"}}`, "application/json"},
		"a path that goes up":    {"POST", "/v1/../v1/ask", "one", nil, 404, `{"error":{"type":"not_found_error","message":"not found"}}`, "application/json"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := request(t, tc.method, b.base+tc.path, tc.body, tc.header...)
			if got.StatusCode != tc.status || got.text != tc.text {
				t.Errorf("status %d, %q", got.StatusCode, got.text)
			}
			if tc.kind != "" && got.Header.Get("Content-Type") != tc.kind {
				t.Errorf("type %q", got.Header.Get("Content-Type"))
			}
			if tc.status != 404 && tc.method == "POST" && got.ContentLength != int64(len(tc.text)) {
				t.Errorf("length %d: it is not written whole", got.ContentLength)
			}
			if refused := strings.HasPrefix(tc.text, "refused"); refused != (got.Header.Get("X-Should-Retry") == "false") {
				t.Errorf("headers %v", got.Header)
			}
		})
	}
}

func TestTheSameAnswerIsTheSameBytes(t *testing.T) {
	t.Parallel()
	b := setup(t, echo, usual)
	first, second := request(t, "POST", b.base+"/v1/ask", "stream:one"), request(t, "POST", b.base+"/v1/ask", "stream:one")
	if first.text != second.text {
		t.Errorf("%q and %q", first.text, second.text)
	}
}

func TestOnlyTheSecretIsServed(t *testing.T) {
	t.Parallel()
	b := setup(t, echo, usual)
	root, secret := "http://"+b.address, strings.TrimPrefix(b.base, "http://"+b.address+"/")
	for name, url := range map[string]string{
		"no path": root, "the root": root + "/", "the path alone": root + "/v1/ask", "another secret": root + "/" + NewSecret() + "/v1/ask",
		"its beginning": root + "/" + secret[:20] + "/v1/ask", "it with more": root + "/" + secret + "x/v1/ask",
		"it behind another": root + "/x/" + secret + "/v1/ask", "it as a query": root + "/v1/ask?" + secret, "it twice slashed": root + "//" + secret + "/v1/ask",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := request(t, "POST", url, "one")
			if got.StatusCode != http.StatusNotFound || got.text != "" || got.Header.Get("Content-Type") != "" {
				t.Errorf("status %d, %q, %v", got.StatusCode, got.text, got.Header)
			}
		})
	}
}

func TestASecretIsNeverTheSame(t *testing.T) {
	t.Parallel()
	one, two := NewSecret(), NewSecret()
	if one == two || len(one) != 43 || strings.Trim(one, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		t.Errorf("%q, %q", one, two)
	}
}

func TestAPanicSaysNothingOfTheRequest(t *testing.T) {
	t.Parallel()
	b := setup(t, func(context.Context, string) (Answer, error) { panic("words of the conversation") }, usual)
	for _, body := range []string{"panic", "stream:anything"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/v1/ask", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Secret-Note", "words of the conversation")
		got, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = got.Body.Close()
			t.Errorf("status %d", got.StatusCode)
		}
	}
	if text := b.logged.String(); strings.Contains(text, "words of the conversation") || !strings.Contains(text, `"kind":"string"`) {
		t.Errorf("logged: %s", text)
	}
}

func TestWhatIsNoHTTPIsHungUpOn(t *testing.T) {
	t.Parallel()
	b := setup(t, echo, usual)
	for name, text := range map[string]string{
		"nothing like it": "\x16\x03\x01\x00\xa5\x01garbage\r\n\r\n",
		"a wrong length":  "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
		"two lengths":     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"a star":          "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"a tunnel":        "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nConnection: close\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", b.address)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			_, _ = io.WriteString(conn, text)
			got, err := io.ReadAll(conn)
			if err != nil || strings.Contains(string(got), " 500 ") || strings.HasPrefix(string(got), "HTTP/1.1 2") && name != "a star" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if got := request(t, "POST", b.base+"/v1/ask", "one"); got.StatusCode != http.StatusOK {
		t.Errorf("status %d", got.StatusCode)
	}
}
