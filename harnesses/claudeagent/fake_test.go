package claudeagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fakeMode is the variable that makes the test's own program a fake of the real one.
const fakeMode = "AGENTRUN_FAKE_CLAUDE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		fake(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeProgram is a program that behaves as a mode says.
func fakeProgram(t *testing.T, mode string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "claude")
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s \"$@\"\n", fakeMode, mode, self)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	return path
}

// fake is a program that speaks the protocol badly.
func fake(mode string) {
	stdin := bufio.NewScanner(os.Stdin)
	stdin.Buffer(nil, 64<<20)
	switch mode {
	case "version":
		fmt.Println("9.8.7-rc.1 (Claude Code)")
		return
	case "exits":
		fmt.Fprintln(os.Stderr, "[claude-code:unrecognized_model] {}\nno such luck with "+os.Getenv("ANTHROPIC_API_KEY"))
		os.Exit(3)
	case "hangs":
		for stdin.Scan() {
		}
		return
	case "garbage":
		for i := range 100 {
			fmt.Printf("warning %d: %s\n", i, strings.Repeat("no JSON ", 1000))
		}
		for stdin.Scan() {
		}
		return
	case "refuses":
		stdin.Scan()
		say(refused(initializeID, "the key is bad"))
		for stdin.Scan() {
		}
		return
	}
	stdin.Scan()
	say(controlled(initializeID, map[string]any{}))
	rpcFake(stdin, "initialize", nil)
	fmt.Println("a library greets you")
	rpcFake(stdin, "tools/list", nil)
	stdin.Scan() // the prompt
	afterPrompt(mode, stdin)
	for stdin.Scan() {
	}
}

// afterPrompt is what the fake does once it was told something.
func afterPrompt(mode string, stdin *bufio.Scanner) {
	switch mode {
	case "floods":
		for {
			fmt.Println(`{"type":"stream_event","event":"` + strings.Repeat("x", 4000) + `"}`)
		}
	case "garbage later":
		for {
			fmt.Println("garbage")
		}
	case "long line":
		fmt.Println(`{"type":"` + strings.Repeat("x", 9<<20) + `"}`)
	case "deaf":
		for i := range 10_000 {
			say(request3(fmt.Sprint(i), "ping", strings.Repeat("y", 4000)))
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		say(map[string]any{"type": "result", "subtype": "success", "result": "ready"})
		select {}
	default: // the name of a tool
		answer := rpcFake(stdin, "tools/call", map[string]any{
			"name": mode, "arguments": map[string]string{"path": "a"}, "_meta": map[string]string{"claudecode/toolUseId": "c1"},
		})
		say(map[string]any{"type": "result", "subtype": "success", "is_error": true, "result": answer})
	}
}

func say(line any) { fmt.Println(string(encoded(line))) }

// rpcFake makes a request of the host's MCP server and is its answer.
func rpcFake(stdin *bufio.Scanner, method string, params any) string {
	say(request3(method, method, params))
	for stdin.Scan() {
		var answer struct {
			Response struct {
				RequestID string `json:"request_id"`
				Response  struct {
					Answer json.RawMessage `json:"mcp_response"`
				}
			}
		}
		if json.Unmarshal(stdin.Bytes(), &answer) == nil && answer.Response.RequestID == method {
			return string(answer.Response.Response.Answer)
		}
	}
	return ""
}

func request3(id, method string, params any) any {
	return map[string]any{
		"type": "control_request", "request_id": id, "request": map[string]any{
			"subtype": "mcp_message", "server_name": serverName,
			"message": map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
		},
	}
}
