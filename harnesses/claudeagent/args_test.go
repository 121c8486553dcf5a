package claudeagent

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/clitest"
	"github.com/agentrun/agentrun/run"
)

func TestEffortsOfTheFlag(t *testing.T) {
	t.Parallel()
	all := []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	for effort, want := range map[string]string{
		"": "", "none": "", "minimal": "low", "low": "low", "high": "high", "xhigh": "xhigh", "max": "max",
	} {
		spec := cli.Spec{Effort: effort, Model: run.Model{Reasoning: true, Efforts: all}}
		if got := flagEffort(spec); got != want {
			t.Errorf("%q is %q, want %q", effort, got, want)
		}
		args := arguments(spec, folders{"/s"}, uuid.Nil, true)
		if slices.Contains(args, "--effort") != (want != "") {
			t.Errorf("%q starts the program with %q", effort, args)
		}
		if slices.Contains(environment(spec, folders{"/s"}, "u", "s"), "MAX_THINKING_TOKENS=0") != (effort == "none") {
			t.Errorf("%q: thinking is not turned off, or is", effort)
		}
	}
}

func TestEnvironmentOfAModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		model  run.Model
		want   string
		absent string
	}{
		{"nothing known", run.Model{Name: "m"}, "MAX_THINKING_TOKENS=0", "CLAUDE_CODE_MAX_OUTPUT_TOKENS="},
		{"a low ceiling", run.Model{MaxOutput: 4096}, "CLAUDE_CODE_MAX_OUTPUT_TOKENS=4096", "CLAUDE_CODE_MAX_CONTEXT_TOKENS="},
		{"a high ceiling", run.Model{MaxOutput: 64000, ContextWindow: 99}, "CLAUDE_CODE_MAX_CONTEXT_TOKENS=99", "CLAUDE_CODE_MAX_OUTPUT_TOKENS="},
		{"its slots", run.Model{Name: "m", Reasoning: true}, "CLAUDE_CODE_SUBAGENT_MODEL=m", "MAX_THINKING_TOKENS="},
	} {
		env := environment(cli.Spec{Model: c.model}, folders{"/s"}, "http://x", "key")
		if !slices.Contains(env, c.want) {
			t.Errorf("%s: it lacks %s", c.name, c.want)
		}
		for _, variable := range env {
			if strings.HasPrefix(variable, c.absent) {
				t.Errorf("%s: it has %s", c.name, variable)
			}
		}
	}
}

// TestTheProgramKnowsItsSwitches looks for every flag and variable in the real program: one that it does not know any more
// would be ignored in silence.
func TestTheProgramKnowsItsSwitches(t *testing.T) {
	t.Parallel()
	program := clitest.Claude(t)
	spec := thinker()
	spec.Effort, spec.Model.MaxOutput, spec.Model.ContextWindow = "none", 1000, 1000
	wanted := map[string]bool{
		"anthropic/maxResultSizeChars": true, "claudecode/toolUseId": true, "disableAutoBackground": true,
		standInAnswer: true, "--session-id": true, "--resume": true,
	}
	for _, arg := range arguments(spec, folders{"/s"}, uuid.Nil, false) {
		if strings.HasPrefix(arg, "--") {
			wanted[arg] = true
		}
	}
	standard := []string{"PATH", "LANG", "HOME", "TMPDIR"}
	for _, variable := range environment(spec, folders{"/s"}, "u", "s") {
		if name, _, _ := strings.Cut(variable, "="); !slices.Contains(standard, name) {
			wanted[name] = true
		}
	}
	file, err := os.Open(filepath.Clean(program))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const piece, overlap = 8 << 20, 128
	buffer, kept := make([]byte, piece+overlap), 0
	for len(wanted) > 0 {
		n, err := io.ReadFull(file, buffer[kept:])
		for word := range wanted {
			if bytes.Contains(buffer[:kept+n], []byte(word)) {
				delete(wanted, word)
			}
		}
		if err != nil {
			break
		}
		kept = copy(buffer, buffer[len(buffer)-overlap:])
	}
	for word := range wanted {
		t.Errorf("the program does not know %s", word)
	}
}
