package main

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets scripts run this test binary as the command agentrun.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"agentrun": main})
}

// TestScripts runs each script of testdata/script against a server of its own.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			server := httptest.NewServer(newFake())
			env.Defer(server.Close)
			env.Setenv("AGENTRUN_BASE_URL", server.URL)
			env.Setenv("AGENTRUN_TOKEN", fakeToken)
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func TestEveryCommandShowsAnExample(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, &terminal{})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range parser.Model.Leaves(true) {
		shown := slices.ContainsFunc(strings.Split(leaf.Detail, "\n"), func(line string) bool {
			return strings.HasPrefix(line, "  ") && strings.Contains(line, "agentrun "+leaf.Path())
		})
		if !shown {
			t.Errorf("%s --help has no example of it: %q", leaf.Path(), leaf.Detail)
		}
	}
}

func TestTheGrammarTakesWhatTheDocsSay(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"run greeter hi --file a --file b --follow --json --max-cost 0.25 --effort low",
		"run greeter - --label team=docs --label k=a=b;c",
		"agents list --archived --limit 5",
		"runs list --status working,input_required --label k=v --since 24h",
		"runs raise run_1 0.5",
		"runs get-file run_1 inputs/a.txt -o b.txt",
	} {
		parser, err := newParser(&cli{}, &terminal{})
		if err != nil {
			t.Fatal(err)
		}
		args := append(strings.Fields(line), "--base-url", "http://127.0.0.1:1")
		if _, err := parser.Parse(args); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestTheGrammarRefusesMoneyThatIsNone(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, &terminal{})
	if err != nil {
		t.Fatal(err)
	}
	var fault *kong.ParseError
	_, err = parser.Parse([]string{"runs", "raise", "run_1", "much", "--base-url", "http://127.0.0.1:1"})
	if err == nil || !strings.Contains(err.Error(), "not an amount in USD") {
		t.Errorf("error %v (%T)", err, fault)
	}
}
