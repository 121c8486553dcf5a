package process_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/process"
)

// modeName is the environment variable that makes this test's own binary one of the programs under test.
const modeName = "AGENTRUN_TEST_MODE"

func TestMain(m *testing.M) {
	modes := map[string]func(){
		"parent":      parent,
		"inside":      inside,
		"confinement": confinement,
	}
	if mode := modes[os.Getenv(modeName)]; mode != nil {
		mode()
		return
	}
	os.Exit(m.Run())
}

// parent starts a program under the marker it was given, says its process id and does nothing more.
func parent() {
	gate, err := process.OpenGate(os.Getenv("CONFINE") == "true")
	var p *process.Process
	if err == nil {
		p, err = process.Start(context.Background(), process.Options{
			Program: "/bin/sh", Args: []string{"-c", "echo ready; exec sleep 1000"}, Env: []string{"PATH=/usr/bin:/bin"},
			Marker: os.Getenv("MARKER"), Gate: gate,
		})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.PID())
	select {}
}

// view is what a program sees of the networks.
type view struct{ Gate, Host, Outside, Name, Interfaces string }

// inside says what a program reaches.
func inside() {
	said := func(err error) string {
		if err != nil {
			return err.Error()
		}
		return "reached"
	}
	dial := func(address string) string {
		conn, err := net.DialTimeout("tcp", address, 2*time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return said(err)
	}
	var v view
	response, err := http.Get(os.Getenv("GATE"))
	if err == nil {
		_ = response.Body.Close()
	}
	v.Gate = said(err)
	v.Host = dial(os.Getenv("HOST"))
	v.Outside = dial("192.0.2.1:443")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err = net.DefaultResolver.LookupHost(ctx, "host.example.org")
	v.Name = said(err)
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		v.Interfaces += i.Name + " "
	}
	_ = json.NewEncoder(os.Stdout).Encode(v)
}

// confinement says whether the user it runs as can confine.
func confinement() { fmt.Println(process.Confinement()) }

// newMarker is a marker for one test; what has it at the test's end fails the test.
func newMarker(t *testing.T) string {
	t.Helper()
	marker := "test-" + rand.Text()
	t.Cleanup(func() {
		if left := having(t, marker); len(left) > 0 {
			t.Errorf("left behind: processes %v", left)
			_ = process.Sweep(marker)
		}
	})
	return marker
}

// having lists the processes with a marker, without the help of the code under test.
func having(t *testing.T, marker string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, file := range files {
		environ, _ := os.ReadFile(file)
		if bytes.Contains(append(environ, 0), []byte("AGENTRUN_HARNESS="+marker+"\x00")) {
			pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
			found = append(found, pid)
		}
	}
	return found
}

// gates runs a test with and without confinement.
func gates(t *testing.T, test func(t *testing.T, confined bool)) {
	t.Helper()
	t.Run("open", func(t *testing.T) {
		t.Parallel()
		test(t, false)
	})
	for _, name := range []string{"confined", "ready"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needConfinement(t)
			test(t, true)
		})
	}
}

func needConfinement(t *testing.T) {
	t.Helper()
	if ok, reason := process.Confinement(); !ok {
		t.Skip(reason)
	}
}

func openGate(t *testing.T, confined bool) *process.Gate {
	t.Helper()
	gates := &process.Gates{}
	if strings.HasSuffix(t.Name(), "/ready") {
		gates.Prepare()
	}
	gate, err := gates.Open(confined)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(gate.Close(), gates.Close()); err != nil {
			t.Error(err)
		}
	})
	return gate
}

// shell starts a script, which is stopped at the test's end.
func shell(t *testing.T, script string, confined bool) *process.Process {
	t.Helper()
	return begin(t, process.Options{
		Program: "sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"},
		Marker: newMarker(t), Gate: openGate(t, confined),
	})
}

func begin(t *testing.T, o process.Options) *process.Process {
	t.Helper()
	p, err := process.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ended waits for a program's end.
func ended(t *testing.T, p *process.Process) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the program has not ended")
	}
}

// eventually waits for what only the system can bring about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so: %s", what)
		}
	}
}
