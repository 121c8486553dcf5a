package process

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// statOf writes /proc/PID/stat of 52 fields as far as they are looked at.
func statOf(name, state, flags, environmentEnd string) string {
	fields := strings.Fields("77 NAME STATE 1 77 77 0 -1 FLAGS" + strings.Repeat(" 1", 41) + " END 0")
	replaced := map[string]string{"NAME": "(" + name + ")", "STATE": state, "FLAGS": flags, "END": environmentEnd}
	for i, field := range fields {
		if with, ok := replaced[field]; ok {
			fields[i] = with
		}
	}
	return strings.Join(fields, " ") + "\n"
}

func TestWhatAnEmptyEnvironmentMeans(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		stat string
		want sight
	}{
		"a program that has one by now":    {statOf("cat", "R", "4194304", "140734"), with},
		"becoming another program":         {statOf("cat", "R", "4194304", "0"), unsure},
		"a name with a bracket and spaces": {statOf("a) Z 1 (b", "R", "4194304", "0"), unsure},
		"ended and not reaped":             {statOf("cat", "Z", "4194304", "0"), without},
		"ending":                           {statOf("cat", "R", "4194308", "0"), without},
		"a thread of the kernel":           {statOf("kworker/0:1", "I", "69238880", "0"), without},
		"nothing":                          {"", without},
		"cut":                              {"77 (cat) R 1", without},
		"flags that are no number":         {statOf("cat", "R", "x", "0"), without},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := lookAtStat(tc.stat); got != tc.want {
				t.Errorf("%d, want %d", got, tc.want)
			}
		})
	}
}

func TestWhatThisSystemSaysOfAProcess(t *testing.T) {
	t.Parallel()
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	if got := lookAtStat(string(stat)); got != with {
		t.Errorf("this process: %d", got)
	}
	command := exec.Command("/bin/sh", "-c", "echo ready; read line")
	command.Env = []string{} // an environment that is empty for good
	stdin, _ := command.StdinPipe()
	stdout, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if got := look(command.Process.Pid, "any"); got != without {
		t.Errorf("a process with nothing in its environment: %d", got)
	}
	_ = stdin.Close()
	_ = command.Wait()
}

// A process that becomes another program over and over is never taken for gone.
func TestAProcessIsNotLostWhileItBecomesAnother(t *testing.T) {
	t.Parallel()
	marker := newMarker()
	command := exec.Command("/bin/sh", "-c", `i=$1; [ "$i" = 0 ] && exit; exec /bin/sh -c "$0" "$0" $((i-1))`)
	command.Args = append(command.Args, command.Args[2], "400")
	command.Env = []string{MarkerName + "=" + marker}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan bool, 1)
	go func() { gone <- awaitEnd(command.Process.Pid) }()
	var seen [3]int
	lost := 0
	for since := 0; len(gone) == 0; {
		switch saw := look(command.Process.Pid, marker); saw {
		case without:
			since++ // it has ended, or else is seen again
		default:
			lost += since
			since = 0
			seen[saw]++
		}
	}
	if err := command.Wait(); err != nil || !<-gone {
		t.Error(err)
	}
	t.Logf("with its marker %d times, unsure %d times", seen[with], seen[unsure])
	if lost > 0 {
		t.Errorf("taken for gone %d times", lost)
	}
}
