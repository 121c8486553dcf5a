package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/harnesses/process/confine"
	"github.com/agentrun/agentrun/run"
)

// traced is a program that does what another one does, and writes each address that it connects or sends to into a file of
// its own; a ring in which it could do so unseen is written down as well.
const traced = `#!/bin/sh
exec %s -f -qq --seccomp-bpf -s 256 -e trace=connect,sendto,sendmsg,sendmmsg,io_uring_setup -o '%s/'"$1.$(/bin/date +%%s%%N)" '%s' "$@"
`

// TestAHarnessReachesNothingButTheServer traces the real programs through a look, a probe and a run: what they connect to
// is the server's proxy. They are confined, where this machine can do that, which the trace does not change; what they
// would reach if they were not is seen all the same, since an attempt is what is traced.
func TestAHarnessReachesNothingButTheServer(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace: apt-get install strace")
	}
	if out, err := exec.Command(strace, "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect", "-o", "/dev/null", "/bin/true").CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v: %s", err, out)
	}
	onEach(t, func(t *testing.T, c commandLine) {
		dir := t.TempDir()
		seen := filepath.Join(dir, "seen")
		if err := os.Mkdir(seen, 0o700); err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(dir, "program")
		if err := os.WriteFile(program, fmt.Appendf(nil, traced, strace, seen, c.program(t)), 0o700); err != nil {
			t.Fatal(err)
		}
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, program)
		probe := s.call("POST", "/v2/harnesses/"+c.harness+"/test", map[string]string{"probe": "quick", "model": c.model}).want(t, http.StatusOK)
		if status := probe.object(t)["status"]; status != "pass" {
			t.Errorf("the probe says %s", probe.body)
		}
		r := s.completes(s.ask("a", "Go traced", "1"))
		if total, most := g.askedOf("Go traced"); total != 4 || most != 1 {
			t.Errorf("%d requests, one %d times", total, most)
		}
		s.checkFiles(r.ID)
		s.checkOrder(r.ID, 5)
		s.noneLeft(r.ID)
		confined := s.rows(r.ID, run.RowHarnessStarted)[0]["confined"] == true

		versions, sessions := 0, 0
		for name, targets := range targetsIn(t, seen) {
			t.Logf("%s connects to %v", name, targets)
			if strings.HasPrefix(name, "--version.") {
				versions++
				if len(targets) > 0 {
					t.Errorf("to say its version, the program connects to %v", targets)
				}
				continue
			}
			sessions++
			gate := "127.0.0.1:"
			if confined {
				gate += strconv.Itoa(confine.Port)
			}
			if len(targets) != 1 || !strings.HasPrefix(targets[0], gate) {
				t.Errorf("a session connects to %v; its proxy is at %s", targets, gate)
			}
		}
		if versions == 0 || sessions < 2 {
			t.Errorf("traced %d questions for a version and %d sessions", versions, sessions)
		}
	})
}

var (
	ring    = []byte("io_uring_setup(")
	address = regexp.MustCompile(`\{sa_family=(AF_\w+)[^{}]*\}`)
	port4   = regexp.MustCompile(`sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]*)"\)`)
	path    = regexp.MustCompile(`sun_path=(@?"[^"]*")`)
)

// targetsIn are the addresses in each trace, each once. The kernel itself (AF_NETLINK) and no address at all (AF_UNSPEC) are
// nobody's.
func targetsIn(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		targets := []string{}
		if bytes.Contains(data, ring) {
			targets = append(targets, "a ring")
		}
		for _, match := range address.FindAllSubmatch(data, -1) {
			target := string(match[0])
			switch string(match[1]) {
			case "AF_NETLINK", "AF_UNSPEC":
				continue
			case "AF_INET":
				if parts := port4.FindStringSubmatch(target); parts != nil {
					target = parts[2] + ":" + parts[1]
				}
			case "AF_UNIX":
				if parts := path.FindStringSubmatch(target); parts != nil {
					target = strings.Trim(parts[1], `"`)
				}
			}
			if !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
		found[file.Name()] = targets
	}
	return found
}
