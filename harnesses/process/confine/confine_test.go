package confine_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agentrun/agentrun/harnesses/process/confine"
)

// start starts this test's own file under a name, with a file as its file descriptor confine.Socket.
func start(t *testing.T, name string, socket *os.File, args ...string) error {
	t.Helper()
	command := &exec.Cmd{
		Path: "/proc/self/exe", Args: append([]string{name}, args...), Env: []string{"PATH=/usr/bin:/bin"},
		ExtraFiles: []*os.File{socket}, Dir: t.TempDir(),
	}
	return command.Run()
}

// Whoever starts it by hand has no socket to hand the listener to: no program is started then, confined or not.
func TestWithoutASocketItBecomesNothing(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	proof := filepath.Join(t.TempDir(), "proof")
	err = start(t, confine.Name, null, "/usr/bin/touch", proof)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 125 {
		t.Errorf("it ends with %v", err)
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("it became the program")
	}
}

// Under any other name the package does nothing: the file is the program it always was.
func TestUnderAnotherNameItIsItself(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"agentrun", confine.Name + "d", "/usr/bin/" + confine.Name, ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			null, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = null.Close() }()
			if err := start(t, name, null, "-test.run=^TestNothingOfThisName$"); err != nil {
				t.Error(err)
			}
		})
	}
}

// What it says before it listens is a message without a listener.
func TestAFailureIsSaidOnTheSocket(t *testing.T) {
	t.Parallel()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "socket")
	if err := start(t, confine.Name, theirs, "/no/such/program"); err == nil {
		t.Error("it succeeded")
	}
	_ = theirs.Close()
	var said []string
	for {
		text, control := make([]byte, 4096), make([]byte, 64)
		n, _, _, _, err := syscall.Recvmsg(pair[0], text, control, 0)
		if err != nil || n == 0 {
			break
		}
		said = append(said, string(text[:n]))
	}
	_ = syscall.Close(pair[0])
	if len(said) == 0 || said[len(said)-1] == "listening" {
		t.Errorf("it said %q", said)
	}
}
