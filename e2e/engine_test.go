package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	sdk "go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/agentrun/agentrun/engine"
	"github.com/agentrun/agentrun/run"
)

// browser signs in as a person does and keeps the cookies.
func (s *server) browser() *http.Client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	response, err := browser.Get(s.base + "/?token=" + url.QueryEscape(s.token))
	if err != nil {
		s.t.Fatal(err)
	}
	_ = response.Body.Close()
	if strings.Contains(response.Request.URL.String(), "token=") {
		s.t.Errorf("the token stays in the address: %s", response.Request.URL.Path)
	}
	return browser
}

// temporal calls the Temporal API through the UI, signed in.
func (s *server) temporal(browser *http.Client, method, path string, body any) (int, map[string]any) {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	request, err := http.NewRequest(method, s.base+"/temporal/api/v1/namespaces/agentrun"+path, bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	base, err := url.Parse(s.base + "/temporal/")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, cookie := range browser.Jar.Cookies(base) {
		if cookie.Name == "_csrf" {
			request.Header.Set("X-CSRF-Token", cookie.Value)
		}
	}
	response, err := browser.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var object map[string]any
	_ = json.NewDecoder(response.Body).Decode(&object)
	return response.StatusCode, object
}

func TestTheTemporalUIShowsARunToItsOwnerOnly(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "default"}})
	s.agent("a", nil)
	id := s.ask("a", "Write two files.", "")
	s.completes(id)
	for _, path := range []string{"/temporal/", "/temporal/api/v1/namespaces/agentrun/workflows"} {
		s.call("GET", path, nil, "Authorization", "").want(t, 401)
	}
	browser := s.browser()
	response, err := browser.Get(s.base + "/temporal/")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != 200 || response.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("the UI answers %d, policy %q", response.StatusCode, response.Header.Get("Content-Security-Policy"))
	}
	status, history := s.temporal(browser, "GET", "/workflows/"+id+"/history", nil)
	text := fmt.Sprint(history)
	if status != 200 || !strings.Contains(text, "Completed") {
		t.Fatalf("history: %d %s", status, text)
	}
	if strings.Contains(text, "first file") {
		t.Error("the history holds what the model said")
	}
	eventually(t, 10*time.Second, func() string { return "the search attributes" }, func() bool {
		query := url.QueryEscape(`AgentRunAgent = "a" AND AgentRunHarness = "pi"`)
		_, listed := s.temporal(browser, "GET", "/workflows?query="+query, nil)
		return strings.Contains(fmt.Sprint(listed), id)
	})
}

func TestTheEnginesPortRefusesARawCall(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "default"}})
	data, err := os.ReadFile(filepath.Join(s.setup.dir, "data", "engine", "engine.json"))
	if err != nil {
		t.Fatal(err)
	}
	ports := 0
	for _, word := range strings.FieldsFunc(string(data), func(r rune) bool { return r < '0' || r > '9' }) {
		if len(word) < 4 || len(word) > 5 {
			continue
		}
		ports++
		conn, err := grpc.NewClient("127.0.0.1:"+word, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err = workflowservice.NewWorkflowServiceClient(conn).ListNamespaces(ctx, &workflowservice.ListNamespacesRequest{})
		cancel()
		_ = conn.Close()
		if err == nil {
			t.Errorf("port %s answers anybody", word)
		}
	}
	if ports == 0 {
		t.Fatalf("no port is recorded: %s", data)
	}
}

// engine reaches the server's embedded engine as Temporal's own tools do, with the token of this start.
func (s *server) engine() sdk.Client {
	s.t.Helper()
	connection, err := engine.Dial(s.t.Context(), engine.Connection{
		Address: s.engineAddress(), Namespace: "agentrun", Token: s.engineToken(),
	}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(connection.Close)
	return connection
}

func (s *server) engineAddress() string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.setup.dir, "data", "engine", "engine.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var recorded struct {
		Addresses map[string]string `json:"addresses"`
	}
	if err := json.Unmarshal(data, &recorded); err != nil || recorded.Addresses["frontend"] == "" {
		s.t.Fatalf("no address in %s", data)
	}
	return recorded.Addresses["frontend"]
}

func (s *server) engineToken() string {
	s.t.Helper()
	token, err := os.ReadFile(filepath.Join(s.setup.dir, "engine-token"))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(token))
}

// TestTheEngineIsExpendable terminates a run's workflow through Temporal's API again and again, and then deletes the
// engine's database between two starts.
func TestTheEngineIsExpendable(t *testing.T) {
	t.Parallel()
	g := newGateway(t, sixSteps)
	dir := t.TempDir()
	s := start(t, setup{dir: dir, env: g.env(), flags: []string{"--engine-token-file", filepath.Join(dir, "engine-token")}})
	s.price()
	s = s.restarted()
	s.agent("a", nil)
	temporal := s.engine()
	for range 4 {
		id := s.ask("a", "Go.", "1")
		for answers := range 3 {
			s.until(id, "the next answer", func(r run.Run) bool {
				return r.Status.Terminal() || r.Usage.Requests > int64(answers)
			})
			var gone *serviceerror.NotFound
			if err := temporal.TerminateWorkflow(t.Context(), id, "", "test"); err != nil && !errors.As(err, &gone) {
				t.Fatal(err)
			}
		}
		s.checkSixSteps(g, s.completes(id), false)
	}
	held := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules: [{when: {user: Go.}, reply: {hold_until_file: `+filepath.Join(s.setup.dir, "go")+`, text: Now.}}]
`)
	s.stop()
	s.setup.env = held.env()
	s = s.again()
	id := s.ask("a", "Go.", "")
	s.requestUnderWay(id)
	s.kill()
	if err := os.RemoveAll(filepath.Join(s.setup.dir, "data", "engine")); err != nil {
		t.Fatal(err)
	}
	s = s.again()
	if err := os.WriteFile(filepath.Join(s.setup.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.completes(id); r.Result.FinalAnswer != "Now." {
		t.Errorf("the answer: %+v", r.Result)
	}
}

// checkHistories: no execution of a run has a long history.
func (s *server) checkHistories(id string) {
	s.t.Helper()
	list, err := s.engine().ListWorkflow(s.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: "agentrun", Query: "WorkflowId = '" + id + "'",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, execution := range list.GetExecutions() {
		if execution.GetHistoryLength() > 10_000 {
			s.t.Errorf("run %s has a history of %d events", id, execution.GetHistoryLength())
		}
	}
}
