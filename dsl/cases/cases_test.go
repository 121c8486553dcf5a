package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOwnCases(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, ".workflow.json") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			c, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if problems := Run(t.Context(), c); len(problems) > 0 {
				t.Errorf("it does not come out as expected:\n%s", Report(problems))
			}
		})
	}
}

const greet = `"workflow_file":"greet.workflow.json","input":{"name":"Ada"},
	"fakes":{"gen":{"/root":{"submission":{"text":"Hello, Ada."}}}}`

// TestProblems breaks an expectation of each kind, and reads what is said of it.
func TestProblems(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{
			"another output", `{` + greet + `,"expect":{"outcome":"complete","output":{"text":"Hi.","more":1}}}`,
			"  - output/text\n    want \"Hi.\"\n    got  \"Hello, Ada.\"\n  - output/more\n    want 1\n    got  nothing\n",
		},
		{
			"more in the output", `{` + greet + `,"expect":{"outcome":"complete","output":{}}}`,
			"  - output/text\n    want nothing\n    got  \"Hello, Ada.\"\n",
		},
		{
			"another outcome", `{` + greet + `,"expect":{"outcome":"escalated"}}`,
			"  - outcome\n    want escalated\n    got  complete\n",
		},
		{
			"a failure", `{"workflow_file":"greet.workflow.json","input":{"name":"Ada"},"expect":{"outcome":"complete"}}`,
			"  - outcome\n    want complete\n    got  failed: the case has no answer for gen at /root\n",
		},
		{
			"another prompt", `{"workflow_file":"greet.workflow.json","input":{"name":"Ada"},
			"fakes":{"gen":{"/root":{"expect_user":{"name":"Bob"},"expect_tools":[],"submission":{"text":"x"}}}},"expect":{"outcome":"complete"}}`,
			"  - expect_user at /root\n    want {\"name\":\"Bob\"}\n    got  {\"name\":\"Ada\"}\n  - expect_tools at /root\n    want []\n    got  null\n",
		},
		{
			"another error", `{"workflow_file":"greet.workflow.json","input":{"name":""},"expect":{"outcome":"failed","error_code":"output_invalid"}}`,
			"  - error_code\n    want \"output_invalid\"\n    got  \"input_invalid\", of: input: input_invalid: the input does not fit its schema; /schemas/Input/properties/name/minLength: must have at least 1 characters\n",
		},
		{
			"an issue that is not there", `{` + greet + `,"validate_with":"none","expect":{"issue_codes":["version"]}}`,
			"  - issue_codes\n    want version\n    got  []\n",
		},
		{"valid after all", `{` + greet + `,"expect":{"valid":false}}`, "  - valid\n    want false\n    got  valid\n"},
		{
			"an event that did not happen", `{` + greet + `,"expect":{"outcome":"complete","events":{"/root":["node.end:greet:failed"]}}}`,
			"  - events at /root\n    want node.end:greet:failed\n    got  node.start:greet, node.end:greet:ok\n",
		},
		{
			"another count", `{` + greet + `,"expect":{"outcome":"complete","calls":{"gen":2,"judge":0}}}`,
			"  - calls/gen\n    want 2\n    got  1\n",
		},
		{
			"a state", `{` + greet + `,"expect":{"outcome":"complete","state_has":{"name":"Bob","gone":1}}}`,
			"  - state/name\n    want \"Bob\"\n    got  \"Ada\"\n  - state/gone\n    want 1\n    got  nothing\n",
		},
		{
			"node starts", `{` + greet + `,"expect":{"outcome":"complete","node_starts":["greet","other"]}}`,
			"  - node_starts\n    want [\"greet\",\"other\"]\n    got  [\"greet\"]\n",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			parsed, err := Parse([]byte(c.text), "testdata")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, Report(Run(t.Context(), parsed))); diff != "" {
				t.Errorf("what is said (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCasesThatAreRefused(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"no JSON", `{"name":`, "it is no case"},
		{"an unknown field", `{"workflow":{},"expct":{}}`, `a field "expct" that is not known`},
		{"an unknown expectation", `{"workflow":{},"expect":{"outputs":1}}`, `expect has a field "outputs"`},
		{"an unknown kind of fake", `{"workflow":{},"expect":{},"fakes":{"model":{}}}`, `fakes has a field "model"`},
		{"an unknown field of a fake", `{"workflow":{},"expect":{},"fakes":{"gen":{"/root":{"answer":1}}}}`, `gen at /root has a field "answer"`},
		{"an unknown setting", `{"workflow":{},"expect":{},"deps":{"seed":1}}`, `deps has a field "seed"`},
		{"an unknown outcome", `{"workflow":{},"expect":{"outcome":"done"}}`, "none of complete, escalated and failed"},
		{"no expectations", `{"workflow":{}}`, "no expect"},
		{"no document", `{"expect":{}}`, "no workflow"},
		{"two documents", `{"workflow":{},"workflow_file":"greet.workflow.json","expect":{}}`, "both"},
		{"a document that is not there", `{"workflow_file":"gone.json","expect":{}}`, "gone.json"},
		{"a key twice", `{"workflow":{},"expect":{},"expect":{}}`, "expect"},
		{"a validation that is not known", `{"workflow":{},"expect":{},"validate_with":"all"}`, "can only be none"},
		{"a text as a list", `{"workflow":{},"expect":{"issue_codes":"version"}}`, "issue_codes must be a list"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(c.text), "testdata")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s is refused with %v, want %q in it", c.text, err, c.want)
			}
		})
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(path, []byte(`{"workflow":{},"wat":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "broken.json") {
		t.Errorf("the error %v does not name the file", err)
	}
	if _, err := Load(path + ".gone"); err == nil {
		t.Error("a file that is not there loads")
	}
}
