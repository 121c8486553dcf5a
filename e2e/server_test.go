package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// setup is how a test wants its server.
type setup struct {
	tags  string
	flags []string
	env   []string
	dir   string
}

// server is one `agentrun serve` process.
type server struct {
	t       *testing.T
	setup   setup
	command *exec.Cmd
	base    string
	token   string
	log     *logBuffer
	client  *client.Client
	exited  chan struct{}
	opened  time.Duration
	// owner is the whole test, where t is the part of it under way.
	owner *testing.T
}

// logBuffer keeps what a process says.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start starts a server on a data directory of its own and waits for its Open line.
func start(t *testing.T, s setup) *server {
	t.Helper()
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	server := launch(t, s)
	server.owner = t
	t.Cleanup(func() {
		server.kill()
		if t.Failed() {
			t.Logf("the server's log:\n%s", tail(server.log.String()))
		}
	})
	return server
}

func tail(text string) string {
	const keep = 8000
	if len(text) > keep {
		return "…" + text[len(text)-keep:]
	}
	return text
}

// launch starts the process; again starts it once more on the same directory.
func launch(t *testing.T, s setup) *server {
	t.Helper()
	args := append([]string{"serve", "--data", filepath.Join(s.dir, "data"), "--port", "0"}, s.flags...)
	command := exec.Command(binary(t, s.tags), args...)
	command.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir,
	}, s.env...)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	server := &server{t: t, setup: s, command: command, log: &logBuffer{}, exited: make(chan struct{})}
	command.Stderr = server.log
	began := time.Now()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	opened := make(chan struct{})
	read := make(chan struct{})
	go server.banner(out, opened, read)
	go func() {
		<-read
		_ = command.Wait()
		close(server.exited)
	}()
	select {
	case <-opened:
	case <-server.exited:
		t.Fatalf("the server ended before it opened:\n%s", server.log)
	case <-time.After(60 * time.Second):
		_ = command.Process.Kill()
		t.Fatalf("the server did not open:\n%s", server.log)
	}
	server.opened = time.Since(began)
	token, err := os.ReadFile(filepath.Join(s.dir, "data", ".token"))
	if err != nil {
		t.Fatal(err)
	}
	server.token = strings.TrimSpace(string(token))
	server.client, err = client.New(client.Options{BaseURL: server.base, Token: server.token})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func (s *server) banner(out io.Reader, opened, read chan struct{}) {
	defer close(read)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		line := lines.Text()
		if base, ok := strings.CutPrefix(line, "AGENTRUN_BASE_URL="); ok {
			s.base = base
		}
		if strings.HasPrefix(line, "Open ") {
			close(opened)
		}
	}
}

// again starts the server once more on its directory, with the same settings.
func (s *server) again() *server {
	s.t.Helper()
	next := launch(s.t, s.setup)
	next.owner = s.owner
	s.t.Cleanup(func() {
		next.kill()
		if s.t.Failed() {
			s.t.Logf("the next server's log:\n%s", tail(next.log.String()))
		}
	})
	return next
}

func (s *server) kill() {
	_ = s.command.Process.Kill()
	<-s.exited
}

// stop sends SIGTERM and answers how long the process took to end.
func (s *server) stop() time.Duration {
	s.t.Helper()
	began := time.Now()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.exited:
	case <-time.After(60 * time.Second):
		s.t.Fatal("the server does not stop")
	}
	return time.Since(began)
}

// answer is one HTTP answer, read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call makes one request with the owner's token; body is JSON, or nil.
func (s *server) call(method, path string, body any, header ...string) answer {
	s.t.Helper()
	var reader io.Reader
	if body != nil {
		data, ok := body.([]byte)
		if !ok {
			var err error
			if data, err = json.Marshal(body); err != nil {
				s.t.Fatal(err)
			}
		}
		reader = bytes.NewReader(data)
	}
	request, err := http.NewRequest(method, s.base+path, reader)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			request.Host = header[i+1]
		}
		request.Header.Set(header[i], header[i+1])
		if header[i+1] == "" {
			request.Header.Del(header[i])
		}
	}
	response, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}).Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, data}
}

// want fails the test where the answer has another status.
func (a answer) want(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// object reads the body as a JSON object.
func (a answer) object(t *testing.T) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(a.body, &object); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return object
}

// agent makes an agent; change may adjust its definition.
func (s *server) agent(id string, change map[string]any) {
	s.t.Helper()
	definition := map[string]any{
		"id": id, "name": id, "instructions": "You are a test.", "tools": []string{"read", "write", "edit"},
	}
	maps.Copy(definition, change)
	if _, err := s.client.CreateAgent(s.t.Context(), definition); err != nil {
		s.t.Fatal(err)
	}
}

// ask starts a run and gives its id.
func (s *server) ask(agent, content string, limit string) string {
	s.t.Helper()
	ask := client.NewRun{Content: content}
	if limit != "" {
		amount, err := run.ParseUSD(limit)
		if err != nil {
			s.t.Fatal(err)
		}
		ask.MaxCostUSD = &amount
	}
	created, err := s.client.CreateRun(s.t.Context(), agent, ask)
	if err != nil {
		s.t.Fatal(err)
	}
	return created.ID
}

func (s *server) run(id string) run.Run {
	s.t.Helper()
	r, err := s.client.Run(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// until polls a run until it is as wanted.
func (s *server) until(id, what string, holds func(run.Run) bool) run.Run {
	s.t.Helper()
	var r run.Run
	eventually(s.t, 60*time.Second, func() string { return fmt.Sprintf("%s: %+v", what, r) }, func() bool {
		r = s.run(id)
		return holds(r)
	})
	return r
}

// rests waits until a run has ended or waits for a person.
func (s *server) rests(id string) run.Run {
	s.t.Helper()
	return s.until(id, "the run rests", func(r run.Run) bool {
		return r.Status.Terminal() || r.Status == run.InputRequired
	})
}

// completes waits for a run to complete.
func (s *server) completes(id string) run.Run {
	s.t.Helper()
	r := s.rests(id)
	if r.Status != run.Completed {
		s.t.Fatalf("run %s is %s: error %+v, pending %+v", id, r.Status, r.Error, r.Pending)
	}
	return r
}

// rows are a run's timeline rows of a kind ("" is all).
func (s *server) rows(id string, kind run.RowType) []map[string]any {
	s.t.Helper()
	var rows []map[string]any
	for after := int64(0); ; {
		var page struct {
			Rows      []map[string]any `json:"rows"`
			NextAfter int64            `json:"next_after"`
		}
		body := s.call("GET", fmt.Sprintf("/v2/runs/%s/timeline?after=%d&limit=500", id, after), nil).want(s.t, 200).body
		if err := json.Unmarshal(body, &page); err != nil {
			s.t.Fatal(err)
		}
		for _, row := range page.Rows {
			if kind == "" || row["type"] == string(kind) {
				rows = append(rows, row)
			}
		}
		if len(page.Rows) == 0 {
			return rows
		}
		after = page.NextAfter
	}
}

// eventually polls a condition.
func eventually(t *testing.T, within time.Duration, what func() string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("not seen within %s: %s", within, what())
		case <-tick.C:
		}
	}
}
