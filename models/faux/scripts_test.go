package faux

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// play runs a conversation to its final answer, running read, write and edit on files that are kept in a map, and returns
// the answer and the requests it took.
func play(t *testing.T, server *testServer, content string, files map[string]string) (answer string, requests int) {
	t.Helper()
	message, err := json.Marshal(map[string]string{"role": "user", "content": content})
	if err != nil {
		t.Fatal(err)
	}
	items := []string{string(message)}
	for requests = 1; requests < 30; requests++ {
		status, body := server.post(t, "/v1/responses", `{"model":"m","input":[`+strings.Join(items, ",")+`]}`)
		if status != 200 {
			t.Fatalf("request %d gives %d %s", requests, status, body)
		}
		var response struct {
			Output []outputItem `json:"output"`
		}
		var raw struct {
			Output []json.RawMessage `json:"output"`
		}
		if err := json.Unmarshal([]byte(body), &response); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(body), &raw); err != nil {
			t.Fatal(err)
		}
		var results []string
		for i, item := range response.Output {
			items = append(items, string(raw.Output[i]))
			switch item.Type {
			case "message":
				answer = item.Content[0].Text
			case "function_call":
				result := act(t, item.Name, item.Arguments, files)
				results = append(results, fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`,
					item.CallID, appendString(nil, result)))
			}
		}
		if len(results) == 0 {
			return answer, requests
		}
		items = append(items, results...)
	}
	t.Fatal("the conversation does not end")
	return "", 0
}

// act runs one call as the product's tools do.
func act(t *testing.T, name, arguments string, files map[string]string) string {
	t.Helper()
	var args struct {
		Path    string `json:"path"`
		Content string `json:"content"`
		Edits   []struct {
			OldText string `json:"oldText"`
			NewText string `json:"newText"`
		} `json:"edits"`
	}
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		t.Fatalf("the arguments %s: %v", arguments, err)
	}
	switch name {
	case "write":
		files[args.Path] = args.Content
	case "read":
		return files[args.Path]
	case "edit":
		for _, edit := range args.Edits {
			if strings.Count(files[args.Path], edit.OldText) != 1 {
				t.Fatalf("%q is not once in %q", edit.OldText, files[args.Path])
			}
			files[args.Path] = strings.Replace(files[args.Path], edit.OldText, edit.NewText, 1)
		}
	default:
		t.Fatalf("a call of %s", name)
	}
	return "done"
}

func TestDefaultScript(t *testing.T) {
	t.Parallel()
	server := setupScript(t, Default(), Options{})
	type end struct {
		Answer   string
		Requests int
		Files    map[string]string
	}
	for content, want := range map[string]end{
		"What is six times seven?": {"The answer is 42.", 1, nil},
		"Write two files.": {
			"I wrote one.txt and two.txt.", 2,
			map[string]string{"one.txt": "This is the first file.\n", "two.txt": "This is the second file.\n"},
		},
		`Write "some "quoted" text" to notes/a.md.`: {"I wrote notes/a.md.", 2, map[string]string{"notes/a.md": `some "quoted" text`}},
		"Keep notes in notes.md.":                   {"notes.md is final.", 5, map[string]string{"notes.md": "# Notes\n\nstatus: final\n"}},
		"Read given.txt.":                           {"What was given.", 2, nil},
		"Summarize the attached file.\n\nFiles for this run: \"inputs/notes.txt\" (9 B).": {"The notes.", 2, nil},
	} {
		files := map[string]string{"given.txt": "What was given.", "inputs/notes.txt": "The notes."}
		answer, requests := play(t, server, content, files)
		delete(files, "given.txt")
		delete(files, "inputs/notes.txt")
		if len(files) == 0 {
			files = nil
		}
		if diff := cmp.Diff(want, end{answer, requests, files}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", content, diff)
		}
	}
	if got := server.Repeats(); len(got) != 0 {
		t.Errorf("repeated: %+v", got)
	}
}

func TestFollowUpToTakeYourTime(t *testing.T) {
	t.Parallel()
	server := setupScript(t, Default(), Options{})
	held := server.begin(t, "Take your time.")
	server.await(t, open(1))
	held.leave()
	_ = held.wait(t)
	const begun = `{"role":"user","content":"Take your time."},`
	for _, input := range []string{
		begun + `{"role":"user","content":"go on"}`,
		begun + `{"role":"assistant","content":"I took my time."},{"role":"user","content":"go on"}`,
	} {
		if got := server.askBody(t, `{"model":"m","input":[`+input+`]}`); got != "On go on: done." {
			t.Errorf("the follow-up is answered %q", got)
		}
	}
	if got := server.ask(t, "go on"); got != "no_rule_matches" {
		t.Errorf("the same message in another conversation is answered %q", got)
	}
}

func TestTenSteps(t *testing.T) {
	t.Parallel()
	script, err := Load("ten-steps")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	answer, requests := play(t, setupScript(t, script, Options{}), "anything", files)
	if answer != "Ten notes are written." || requests != 11 || len(files) != 10 {
		t.Errorf("%q after %d requests with %d files", answer, requests, len(files))
	}
	for name, content := range files {
		if len(content) != 1024 {
			t.Errorf("%s has %d bytes, want 1024", name, len(content))
		}
	}
}

func TestReadyScriptsLoadAndDoNotExtendInCircles(t *testing.T) {
	t.Parallel()
	for _, name := range Builtins() {
		script, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if script.Extends != "" && script.Extends != "default" {
			t.Errorf("%s extends %s", name, script.Extends)
		}
		if len(script.Models) == 0 {
			t.Errorf("%s has no models", name)
		}
		text, err := BuiltinText(name)
		if err != nil || !strings.HasPrefix(string(text), "# The ready script \""+name+"\"") {
			t.Errorf("%s does not say what it is: %v", name, err)
		}
	}
	if Default().Extends != "" {
		t.Error("the default script extends another")
	}
}
