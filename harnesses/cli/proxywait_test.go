package cli

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// patient answers each question when the test says so.
type patient struct {
	asked  chan string
	ended  chan error
	answer chan error
}

func newPatient() *patient {
	return &patient{asked: make(chan string, 8), ended: make(chan error, 8), answer: make(chan error, 8)}
}

func (p *patient) ask(ctx context.Context, words string) (Answer, error) {
	p.asked <- words
	select {
	case err := <-p.answer:
		return Answer{ID: words}, err
	case <-ctx.Done():
		p.ended <- ctx.Err()
		return Answer{}, ctx.Err()
	}
}

// soon takes from a channel what must come.
func soon[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("it does not come: " + what)
		panic("unreachable")
	}
}

// post sends a question in the background and hands its response out.
func post(ctx context.Context, b *bundle, body string) <-chan error {
	done := make(chan error, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+"/v1/ask", strings.NewReader(body))
		if err == nil {
			var got *http.Response
			if got, err = http.DefaultClient.Do(r); err == nil {
				_, err = io.Copy(io.Discard, got.Body)
				_ = got.Body.Close()
			}
		}
		done <- err
	}()
	return done
}

func TestAClientThatGoesAwayEndsItsQuestion(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"one", "stream:one"} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			p := newPatient()
			b := setup(t, p.ask, usual)
			ctx, leave := context.WithCancel(t.Context())
			done := post(ctx, b, body)
			soon(t, "the question", p.asked)
			leave()
			if err := soon(t, "the end of the question", p.ended); !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
			if err := soon(t, "the end of the request", done); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			if text := b.logged.String(); text != "" {
				t.Errorf("logged: %s", text)
			}
		})
	}
}

func TestTwoQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	both := make(chan struct{})
	var group sync.WaitGroup
	group.Add(2)
	go func() {
		group.Wait()
		close(both)
	}()
	b := setup(t, func(ctx context.Context, words string) (Answer, error) {
		group.Done()
		select {
		case <-both: // neither is answered before both are asked
			return echo(ctx, words)
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}, usual)
	first := post(t.Context(), b, "stream:one")
	if got := request(t, "POST", b.base+"/v1/ask", "two"); got.text != "answer two stream false\n" {
		t.Errorf("%q", got.text)
	}
	if err := soon(t, "the first answer", first); err != nil {
		t.Error(err)
	}
}

func TestAStreamThatWaitsGetsHeadersAndBeats(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"and its answer":  {nil, "answer slow stream true\n"},
		"and a refusal":   {&Refused{"budget", "the cap is reached"}, "error the cap is reached\n"},
		"and a host gone": {errors.New("the record is away"), "error the request could not be answered\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPatient()
			b := setup(t, p.ask, limits{headers: time.Millisecond, beat: time.Millisecond, close: closeWait, body: 100})
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/v1/ask", strings.NewReader("stream:slow"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := http.DefaultClient.Do(r) // it returns with the headers, long before the answer
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = got.Body.Close() }()
			if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/event-stream" || got.ContentLength >= 0 {
				t.Errorf("status %d, %v", got.StatusCode, got.Header)
			}
			body := bufio.NewReader(got.Body)
			for range 3 {
				if line, err := body.ReadString('\n'); err != nil || line != "beat\n" {
					t.Fatalf("%q, %v", line, err)
				}
			}
			p.answer <- tc.err
			rest, err := io.ReadAll(body)
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.TrimLeft(strings.ReplaceAll(string(rest), "beat\n", ""), "\n"); text != tc.want || !strings.HasSuffix(string(rest), tc.want) {
				t.Errorf("%q", rest)
			}
		})
	}
}

func TestAnAnswerThatIsNoStreamHasNoBeats(t *testing.T) {
	t.Parallel()
	p := newPatient()
	b := setup(t, p.ask, limits{headers: time.Nanosecond, beat: time.Nanosecond, close: closeWait, body: 100})
	go func() {
		<-p.asked
		p.answer <- nil
	}()
	if got := request(t, "POST", b.base+"/v1/ask", "one"); got.text != "answer one stream false\n" {
		t.Errorf("%q", got.text)
	}
}

func TestAClientThatLeavesBetweenBeatsEndsItsQuestion(t *testing.T) {
	t.Parallel()
	p := newPatient()
	b := setup(t, p.ask, limits{headers: time.Millisecond, beat: time.Hour, close: closeWait, body: 100})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+"/v1/ask", strings.NewReader("stream:slow"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	leave()
	soon(t, "the end of the question", p.ended)
}

func TestCloseEndsWhatWaits(t *testing.T) {
	t.Parallel()
	p := newPatient()
	b := setup(t, p.ask, usual)
	one, two := post(t.Context(), b, "one"), post(t.Context(), b, "stream:two")
	soon(t, "a question", p.asked)
	soon(t, "a question", p.asked)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case <-p.ended:
		default:
			t.Error("the proxy is closed and a question waits")
		}
	}
	for _, done := range []<-chan error{one, two} {
		if err := soon(t, "the end of a request", done); err == nil {
			t.Error("a request of a closed proxy is answered")
		}
	}
	if conn, err := net.Dial("tcp", b.address); err == nil {
		_ = conn.Close()
		t.Error("it still listens")
	}
	if err := b.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

func TestCloseSaysThatAHandlerDoesNotEnd(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	b := setup(t, func(ctx context.Context, words string) (Answer, error) {
		close(asked)
		<-answer // it does not look at its context
		return echo(ctx, words)
	}, limits{headers: HeadersAfter, beat: BeatEvery, close: 10 * time.Millisecond, body: 100})
	done := post(t.Context(), b, "one")
	soon(t, "the question", asked)
	if err := b.Close(); err == nil || !strings.Contains(err.Error(), "still under way") {
		t.Errorf("closed: %v", err)
	}
	close(answer)
	if err := soon(t, "the end of the request", done); err == nil {
		t.Error("answered")
	}
	<-idle(b.Proxy)
}

// idle closes once no handler runs.
func idle(p *Proxy) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		p.running.Wait()
		close(done)
	}()
	return done
}

func TestABodyIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, func(context.Context, string) (Answer, error) {
		t.Error("it is asked")
		return Answer{}, nil
	}, usual)
	piped, pipe := io.Pipe()
	go func() {
		w := gzip.NewWriter(pipe)
		zeros := make([]byte, 1<<20)
		for range 2 {
			_, _ = w.Write(zeros)
		}
		_ = pipe.CloseWithError(w.Close())
	}()
	for name, tc := range map[string]struct {
		body     io.Reader
		length   int64
		encoding string
	}{
		"its length is told":      {io.LimitReader(endless{}, 1<<20+1), maxBody + 1, ""},
		"its length is not told":  {io.LimitReader(endless{}, 1<<20+1), -1, ""},
		"it is small when packed": {piped, -1, "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/v1/ask", tc.body)
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = tc.length
			r.Header.Set("Expect", "100-continue")
			if tc.encoding != "" {
				r.Header.Set("Content-Encoding", tc.encoding)
			}
			client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
			defer client.CloseIdleConnections()
			got, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = got.Body.Close() }()
			if text, _ := io.ReadAll(got.Body); got.StatusCode != http.StatusRequestEntityTooLarge || !strings.HasPrefix(string(text), "refused request_too_large") {
				t.Errorf("status %d, %q", got.StatusCode, text)
			}
		})
	}
}

// endless is a body without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
