package process

import (
	"bufio"
	"os/exec"
	"syscall"
	"testing"
)

// A number that was listed with the marker may be another process's by the time it is signalled.
func TestANumberThatHasBecomeAnothersIsNotKilled(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		environment string
		killed      bool
	}{
		"the same process":   {MarkerName + "=mine", true},
		"another marker":     {MarkerName + "=theirs", false},
		"no marker":          {"HOME=/", false},
		"a marker in a word": {"NOTE=" + MarkerName + "=mine", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := exec.Command("/bin/sh", "-c", "echo ready; read line")
			command.Env = []string{tc.environment}
			stdin, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if err := kill(command.Process.Pid, "mine"); err != nil {
				t.Error(err)
			}
			_ = stdin.Close() // it ends by itself, if it still can
			_ = command.Wait()
			status, ok := command.ProcessState.Sys().(syscall.WaitStatus)
			if killed := ok && status.Signaled(); killed != tc.killed {
				t.Errorf("killed: %v", killed)
			}
		})
	}
}

func TestANumberThatIsNobodysIsNoError(t *testing.T) {
	t.Parallel()
	command := exec.Command("/bin/true")
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	if err := kill(command.Process.Pid, "mine"); err != nil {
		t.Error(err)
	}
}
