package codex

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

// fakePrefix begins the name under which the test binary plays a program that misbehaves.
const fakePrefix = "fake-codex-"

func TestMain(m *testing.M) {
	if mode, ok := strings.CutPrefix(filepath.Base(os.Args[0]), fakePrefix); ok {
		play(mode)
		return
	}
	os.Exit(m.Run())
}

// fake is the path of a program that misbehaves in a way.
func fake(t *testing.T, mode string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), fakePrefix+mode)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// play is the program.
func play(mode string) {
	switch mode {
	case "garbage":
		for range 3 * maxGarbage {
			fmt.Println("this is no JSON: " + os.Getenv("HOME"))
		}
		select {}
	case "exits":
		fmt.Fprintln(os.Stderr, "\x1b[31mno such thing\x1b[0m")
		os.Exit(3)
	case "hangs":
		select {}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	}
	stage := &stage{in: bufio.NewReader(os.Stdin)}
	stage.greet(mode)
	switch mode {
	case "floods":
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "chatters":
		for {
			fmt.Println(`{"method":"item/agentMessage/delta","params":{"delta":"` + strings.Repeat("x", 1<<10) + `"}}`)
		}
	case "closes":
		_ = os.Stdout.Close()
	case "asks":
		stage.ask()
	case "calls":
		for i := range 2 * maxCalls {
			fmt.Printf(`{"id":%d,"method":"item/tool/call","params":{"callId":"c%d","tool":"read","arguments":{}}}`+"\n", i, i)
		}
	case "failing":
		fmt.Println(`{"method":"error","params":{"threadId":"t1","willRetry":true,"error":{"message":"for now"}}}`)
		fmt.Println(`{"method":"turn/completed","params":{"threadId":"another","turn":{"status":"completed"}}}`)
		fmt.Println(`{"method":"turn/completed","params":{"threadId":"t1","turn":{"status":"interrupted","error":null}}}`)
	}
	select {}
}

// stage is the other end of the protocol.
type stage struct{ in *bufio.Reader }

func (s *stage) read() message {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var m message
	_ = json.Unmarshal(line, &m)
	return m
}

// greet answers up to the start of a turn, in the ways that some modes have.
func (s *stage) greet(mode string) {
	for {
		m := s.read()
		result := `{}`
		switch m.Method {
		case "initialized":
			continue
		case "thread/start":
			result = `{"thread":{"id":"t1"}}`
			if mode == "nameless" {
				result = `{"thread":{}}`
			}
		case "turn/start":
			if mode == "refuses" {
				fmt.Printf(`{"id":%s,"error":{"code":-32600,"message":"not today"}}`+"\n", m.ID)
				continue
			}
		}
		if mode == "strange" {
			fmt.Println("a word of warning")
			fmt.Println(`{"id":"text","result":{}}`)
			fmt.Println(`{"id":4711,"result":{}}`)
			fmt.Println()
		}
		fmt.Printf(`{"id":%s,"result":%s}`+"\n", m.ID, result)
		switch {
		case mode == "deaf" && m.Method == "thread/start":
			select {}
		case m.Method == "turn/start":
			return
		}
	}
}

// ask asks under ids that the host has used as well: for an approval, a tool nobody offers, and in a way nobody
// understands. It then says how it was answered.
func (s *stage) ask() {
	fmt.Println(`{"id":1,"method":"item/commandExecution/requestApproval","params":{"command":"rm"}}`)
	fmt.Println(`{"id":2,"method":"item/tool/call","params":{"callId":"c1","tool":"nothing","arguments":{"a":1}}}`)
	fmt.Println(`{"id":"3","method":"item/tool/call","params":7}`)
	var answers []string
	for range 3 {
		m := s.read()
		answer := fmt.Sprintf("%s: %s", m.ID, m.Result)
		if m.Error != nil {
			answer = fmt.Sprintf("%s: %s", m.ID, m.Error.Message)
		}
		answers = append(answers, answer)
	}
	said, _ := json.Marshal(strings.Join(answers, "; "))
	fmt.Println(`{"method":"turn/completed","params":{"threadId":"t1","turn":{"status":"failed","error":{"message":` + string(said) + `}}}}`)
}
