package faux

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupsOfARule(t *testing.T) {
	t.Parallel()
	made := regexps{
		user:   regexp.MustCompile(`(?P<verb>\w+) (\w+)`),
		system: regexp.MustCompile(`(?P<mood>kind|brief) (x)?`),
	}
	if diff := cmp.Diff([]string{"0", "1", "verb", "2", "mood"}, made.groups()); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if got := (&regexps{}).groups(); len(got) != 0 {
		t.Errorf("no regexps have the groups %v", got)
	}
}

// TestCatch: the numbers are the first regexp's, the names everybody's.
func TestCatch(t *testing.T) {
	t.Parallel()
	matches := map[string]string{}
	if !catch(regexp.MustCompile(`(?P<verb>\w+) (\w+)( \w+)?`), "read notes", matches) ||
		!catch(regexp.MustCompile(`(?P<mood>\w+)\.$`), "Be kind.", matches) ||
		!catch(nil, "anything", matches) || catch(regexp.MustCompile("^z"), "a", matches) {
		t.Error("a regexp matches what it should not, or does not what it should")
	}
	want := map[string]string{"0": "read notes", "1": "read", "2": "notes", "3": "", "verb": "read", "mood": "kind"}
	if diff := cmp.Diff(want, matches); diff != "" {
		t.Errorf("caught (-want +got):\n%s", diff)
	}
}

// TestGroupsFromEveryText: a reply may use what any of its rule's regexps caught.
func TestGroupsFromEveryText(t *testing.T) {
	t.Parallel()
	server := setup(t, `
rules:
  - when:
      system_matches: 'You are (?P<name>\w+)'
      first_user_matches: '^Find (?P<what>\w+)'
      body_matches: '"user":"(?P<who>\w+)"'
      tool_result: {name: find, matches: 'in (?P<where>\w+)'}
    reply: {text: "{{match.name}} tells {{match.who}}: {{match.what}} is in {{match.where}} ({{match.1}})"}
`, Options{})
	got := server.askBody(t, `{"model":"m","user":"Ada","instructions":"You are Bob.","input":[{"role":"user","content":"Find keys"},
		{"type":"function_call","call_id":"1","name":"find","arguments":"{}"},
		{"type":"function_call","call_id":"2","name":"find","arguments":"{}"},
		{"type":"function_call_output","call_id":"1","output":"nothing"},
		{"type":"function_call_output","call_id":"2","output":"in drawer"}]}`)
	if want := "Bob tells Ada: keys is in drawer (drawer)"; got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
}
