package process

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helper is the other side of a handover, played by the test.
func helper(t *testing.T) (*handover, *Gate, int) {
	t.Helper()
	gate, command := confinedGate(), &exec.Cmd{SysProcAttr: &syscall.SysProcAttr{}}
	h, err := gate.confine(command, "/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := syscall.Dup(int(h.theirs.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	_ = h.theirs.Close()
	t.Cleanup(func() {
		h.close()
		_ = gate.Close()
	})
	return h, gate, theirs
}

// listening is an open listener's descriptor as the helper would send it.
func listening(t *testing.T) []byte {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = file.Close()
		_ = listener.Close()
	})
	return syscall.UnixRights(int(file.Fd()))
}

func TestWhatAHelperMayDo(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		plays func(t *testing.T, socket int)
		says  string
	}{
		"hand over and become the program": {func(t *testing.T, socket int) {
			_ = syscall.Sendmsg(socket, []byte("listening"), listening(t), nil, 0)
		}, ""},
		"end before it listens": {func(*testing.T, int) {}, "it ended before it listened"},
		"say why it cannot listen": {func(_ *testing.T, socket int) {
			_ = syscall.Sendmsg(socket, []byte("bring the loopback interface up: operation not permitted"), nil, nil, 0)
		}, "bring the loopback interface up: operation not permitted"},
		"say why it cannot become the program": {func(t *testing.T, socket int) {
			_ = syscall.Sendmsg(socket, []byte("listening"), listening(t), nil, 0)
			_ = syscall.Sendmsg(socket, []byte("exec /bin/true: exec format error"), nil, nil, 0)
		}, "exec /bin/true: exec format error"},
		"hand over something else": {func(t *testing.T, socket int) {
			_ = syscall.Sendmsg(socket, []byte("listening"), syscall.UnixRights(socket), nil, 0)
		}, "it handed over something else than its listener"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, gate, socket := helper(t)
			tc.plays(t, socket)
			_ = syscall.Close(socket)
			err := h.finish(t.Context(), gate)
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("says %v", err)
			}
			if (gate.Listener() != nil) != (tc.says == "") {
				t.Errorf("the gate's listener: %v", gate.Listener())
			}
		})
	}
}

func TestAHelperThatHangsIsWaitedForAsLongAsTheContext(t *testing.T) {
	t.Parallel()
	for name, plays := range map[string]func(t *testing.T, socket int){
		"before it listens": func(*testing.T, int) {},
		"before it becomes the program": func(t *testing.T, socket int) {
			_ = syscall.Sendmsg(socket, []byte("listening"), listening(t), nil, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, gate, socket := helper(t)
			plays(t, socket)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if err := h.finish(ctx, gate); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("says %v", err)
			}
			_ = syscall.Close(socket)
			if gate.Listener() != nil {
				t.Error("the gate has the listener of a program that never was")
			}
		})
	}
}

// A system that does not come back from starting a program cannot be waited for: what may be left is said.
func TestAStartThatTheSystemDoesNotFinish(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &Process{name: "slow", marker: newMarker()}
	err := p.launched(ctx, make(chan error))
	left, ok := errors.AsType[*LeftError](err)
	if !ok || !errors.Is(err, context.Canceled) || !strings.Contains(left.Error(), "slow (the system has not started it yet)") {
		t.Errorf("says %v", err)
	}
	if !p.unwanted {
		t.Error("it would be kept when it does start")
	}
}

// Where the program starts after all, it is ended at once.
func TestAStartThatIsNotWantedAnyMore(t *testing.T) {
	t.Parallel()
	p := &Process{name: "sleep", marker: newMarker(), unwanted: true, told: make(chan struct{}), done: make(chan struct{})}
	command := &exec.Cmd{
		Path: "/bin/sleep", Args: []string{"sleep", "1000"}, Env: []string{MarkerName + "=" + p.marker},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	theirs, err := p.pipes(command, false)
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan error, 1)
	close(p.told)
	p.live(command, theirs, started)
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	if p.Exit() != "killed" {
		t.Errorf("it ended as %q", p.Exit())
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}
