package agentrun_test

import (
	"bytes"
	"os"
	"regexp"
	"testing"
	"unicode/utf8"
)

// unwanted are things that mean something only where a file was written: another machine has other paths, another
// reader has other registries, and nobody needs to know how a sentence came about.
var unwanted = map[string]*regexp.Regexp{
	"a path of one machine":     regexp.MustCompile(`(?m)(^|[\s"'` + "`" + `(=:,])/((work|home/\w+|tmp/plan|usr/local/go)/|root/(\.|go/))`),
	"the host of a registry":    regexp.MustCompile(`\b(proxy|sum|registry|deb|files)\.[a-z0-9-]+\.(org|com|net)\b`),
	"how it was written":        regexp.MustCompile(`(?i)\b(as an ai\b|(ai|llm|machine)-(generated|written)|written by (an ai|claude|gpt)|co-authored-by: (claude|codex)|generated with (claude|codex|cursor)|the (brief|lead) (says|asks|wants)|helper sessions?\b|session'?s? brief)`),
	"something left to be done": regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`),
}

// TestFilesSpeakToEveryReader reads every text file of the repository for what is unwanted. This file, which must name
// it, is the one exception.
func TestFilesSpeakToEveryReader(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t, ".") {
		if file == "words_test.go" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			continue
		}
		for what, pattern := range unwanted {
			if at := pattern.FindIndex(data); at != nil {
				t.Errorf("%s:%d has %s: %q", file, 1+bytes.Count(data[:at[0]], []byte("\n")), what, data[at[0]:at[1]])
			}
		}
	}
}

func TestWhatIsUnwanted(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text string
		what string
	}{
		"a home folder":           {"see /home/ana/notes", "a path of one machine"},
		"root's home folder":      {"see /root/.cache and /root/go/pkg", "a path of one machine"},
		"an execution path":       {"/root/steps/1/items/0/body", ""},
		"a run's own folder":      {"DIR/runs/<id>/work/inputs", ""},
		"a box's workspace":       {"mounted at /workspace", ""},
		"a registry":              {"GOPROXY=https://proxy.example.org", "the host of a registry"},
		"a module of Go's own":    {"golang.org/x/term", ""},
		"a test's helper":         {"t.Helper() // a helper of the tests", ""},
		"an agent's session":      {"the session of a workflow's node", ""},
		"a signature":             {"Generated with Claude", "how it was written"},
		"a harness that is named": {"claude-agent runs the real CLI", ""},
		"a note to oneself":       {"// TODO: later", "something left to be done"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			for what, pattern := range unwanted {
				if pattern.MatchString(tc.text) {
					got = what
				}
			}
			if got != tc.what {
				t.Errorf("found %q, want %q", got, tc.what)
			}
		})
	}
}
