package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/dsl/cases"
	"github.com/agentrun/agentrun/models/faux"
)

// starterText is a file of a new workflow that is called triage.
func starterText(t *testing.T, name string) string {
	t.Helper()
	text, err := starter.ReadFile("starter/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "NAME", "triage")
}

func starterValue(t *testing.T, name string) *dsl.Object {
	t.Helper()
	value, err := dsl.Decode([]byte(starterText(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	return value.(*dsl.Object)
}

// TestTheStartersScriptGivesTheAnswersOfItsCase asks the scripted model what the case says that its nodes are asked.
func TestTheStartersScriptGivesTheAnswersOfItsCase(t *testing.T) {
	t.Parallel()
	script, err := faux.Parse([]byte(starterText(t, "faux.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	gateway, err := faux.New(script, faux.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gateway)
	defer server.Close()

	text := starterValue(t, "case.json").With("workflow", starterValue(t, "workflow.json")).Without("workflow_file")
	c, err := cases.Parse([]byte(dsl.JSON(text)), ".")
	if err != nil {
		t.Fatal(err)
	}
	for path, answers := range c.Fakes.Generate {
		user, _ := answers.List[0].Get("expect_user")
		want, _ := answers.List[0].Get("submission")
		if got := askGateway(t, server.URL, user.(string)); got != dsl.JSON(want) {
			t.Errorf("%s: the script answers %s, the case %s", path, got, dsl.JSON(want))
		}
	}
	judged := askGateway(t, server.URL, `{"state":{},"questions":{"faithful":{"type":"noul"}}}`)
	if judged != `{"faithful":{"probability_yes":0.96}}` {
		t.Errorf("the script judges %s", judged)
	}
}

// askGateway is the text that the scripted model answers.
func askGateway(t *testing.T, url, user string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"model": "faux-triage", "messages": []any{map[string]string{"role": "user", "content": user}},
	})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(body)) //nolint:noctx // a loopback server of this test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.Choices) != 1 {
		t.Fatalf("status %d, answer %+v: %v", response.StatusCode, answer, err)
	}
	value, err := dsl.Decode([]byte(answer.Choices[0].Message.Content))
	if err != nil {
		t.Fatalf("%q: %v", answer.Choices[0].Message.Content, err)
	}
	return dsl.JSON(value)
}

// TestTheStartersInputIsThatOfItsCases: what is tested is what people try.
func TestTheStartersInputIsThatOfItsCases(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"case.json", "case-escalated.json"} {
		if input, _ := starterValue(t, name).Get("input"); !dsl.Equal(input, starterValue(t, "input.json")) {
			t.Errorf("%s has another input than input.json: %s", name, dsl.JSON(input))
		}
	}
}
