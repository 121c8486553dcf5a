package process_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/agentrun/agentrun/harnesses/process"
)

// look starts this test's binary behind a gate and answers what it sees, with a server of the machine's behind HOST.
func look(t *testing.T, confined bool) view {
	t.Helper()
	host := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(host.Close)
	gate := openGate(t, confined)
	if gate.Confined() != confined {
		t.Fatalf("confined: %v", gate.Confined())
	}
	p := begin(t, process.Options{
		Program: "/proc/self/exe", Marker: newMarker(t), Gate: gate,
		Env: []string{modeName + "=inside", "GATE=" + gate.URL, "HOST=" + host.Listener.Addr().String()},
	})
	server := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = server.Serve(gate.Listener()) }()
	t.Cleanup(func() { _ = server.Close() })
	var v view
	if err := json.NewDecoder(p.Stdout()).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAConfinedProgramReachesItsGateAndNothingElse(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	v := look(t, true)
	if v.Gate != "reached" {
		t.Errorf("the gate: %s", v.Gate)
	}
	if v.Interfaces != "lo " {
		t.Errorf("interfaces: %s", v.Interfaces)
	}
	for what, got := range map[string]string{"a server of this machine": v.Host, "another machine": v.Outside, "a name": v.Name} {
		if got == "reached" {
			t.Errorf("it reaches %s", what)
		}
		t.Logf("%s: %s", what, got)
	}
}

func TestAnOpenGateIsOneOfTheMachinesAddresses(t *testing.T) {
	t.Parallel()
	if v := look(t, false); v.Gate != "reached" || v.Host != "reached" {
		t.Errorf("%+v", v)
	}
}

func TestConfinedProgramsDoNotReachEachOther(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	for i := range 4 { // all of them on one port, each in a network of its own
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			gate := openGate(t, true)
			p := begin(t, process.Options{
				Program: "/proc/self/exe", Marker: newMarker(t), Gate: gate, Env: []string{modeName + "=inside", "GATE=" + gate.URL},
			})
			conn, err := gate.Listener().Accept()
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			_ = conn.Close()
			ended(t, p)
		})
	}
}

func TestAConfinedProgramHasNoCapabilityItCouldUseOutside(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	p := shell(t, `grep NoNewPrivs /proc/self/status; readlink /proc/self/ns/user; readlink /proc/self/ns/net; cat /proc/`+fmt.Sprint(os.Getpid())+`/environ >/dev/null 2>&1 && echo reads`, true)
	out, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	user, _ := os.Readlink("/proc/self/ns/user")
	network, _ := os.Readlink("/proc/self/ns/net")
	if len(lines) != 3 || lines[0] != "NoNewPrivs:\t1" || lines[1] == user || lines[2] == network {
		t.Errorf("%q", lines)
	}
}

// A confined program has no open file but its three streams: not the handover's socket, not the listener, and nothing that
// this process has from whoever started it.
func TestAConfinedProgramHasNoOpenFileOfOurs(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	inherited, err := syscall.Dup(0) // without close-on-exec, as shells leave some
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(inherited) }()
	p := shell(t, "exec ls /proc/self/fd", true)
	out, err := io.ReadAll(p.Stdout())
	if err != nil || string(out) != "0\n1\n2\n3\n" { // 3 is the folder it lists
		t.Errorf("%q, %v", out, err)
	}
}

func TestAGateIsForOneProgram(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	gate := openGate(t, true)
	begin(t, process.Options{Program: "cat", Marker: newMarker(t), Gate: gate})
	first := gate.Listener()
	if _, err := process.Start(t.Context(), process.Options{Program: "cat", Marker: newMarker(t), Gate: gate}); err == nil {
		t.Error("a second program has the gate")
	}
	if gate.Listener() != first {
		t.Error("the first program lost its gate")
	}
	if err := gate.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := process.Start(t.Context(), process.Options{Program: "cat", Marker: newMarker(t), Gate: gate}); err == nil {
		t.Error("a program is behind a closed gate")
	}
}

func TestAGateWhoseListenerIsClosedCloses(t *testing.T) {
	t.Parallel()
	gate := openGate(t, false)
	if err := gate.Listener().Close(); err != nil {
		t.Fatal(err)
	}
	if err := gate.Close(); err != nil {
		t.Error(err)
	}
}

// An ordinary user confines like root does. The test's own file is started through the kernel's link to it, as its
// folder may be closed to others.
func TestAnOrdinaryUserConfines(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	if os.Geteuid() != 0 {
		t.Skip("this test runs as an ordinary user: the others show it")
	}
	const nobody = 65534
	command := exec.Command("/proc/self/exe")
	command.Env = []string{modeName + "=confinement"}
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := command.Output()
	if err != nil || strings.TrimSpace(string(out)) != "true" {
		t.Errorf("%s, %v", out, err)
	}
}
