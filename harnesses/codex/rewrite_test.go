package codex

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/harnesses/cli"
)

func wireBody(t *testing.T, r *request, spec cli.Spec, ceiling int64) []byte {
	t.Helper()
	wire, err := r.wire(spec)
	if err != nil {
		t.Fatal(err)
	}
	body, err := wire.Body(ceiling)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(body)) > wire.Size {
		t.Errorf("%d bytes are more than %d", len(body), wire.Size)
	}
	return body
}

func TestWhatIsSentOn(t *testing.T) {
	t.Parallel()
	spec := cli.Spec{Model: testModel, Tools: testTools, Marker: "run_1/node/3"}
	spec.Model.Name = "gpt"
	golden(t, "wire.json", indented(t, wireBody(t, example(t), spec, 1234)))
}

func TestCeilings(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		ceiling, max int64
		free         bool
		want         any
	}{
		"the request's":        {1234, 9999, false, 1234.0},
		"the model's":          {0, 9999, false, 9999.0},
		"none":                 {0, 0, false, nil},
		"none can be asked":    {1234, 9999, true, nil},
		"as large as they get": {1<<63 - 1, 0, false, float64(1<<63 - 1)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := cli.Spec{Model: testModel}
			spec.Model.MaxOutput, spec.Model.NoOutputLimit = tc.max, tc.free
			var sent map[string]any
			if err := json.Unmarshal(wireBody(t, example(t), spec, tc.ceiling), &sent); err != nil {
				t.Fatal(err)
			}
			if sent["max_output_tokens"] != tc.want {
				t.Errorf("the ceiling is %v", sent["max_output_tokens"])
			}
		})
	}
}

func TestABodyIsWrittenAgainTheSame(t *testing.T) {
	t.Parallel()
	spec := cli.Spec{Model: testModel, Tools: testTools, Marker: "run_1/x"}
	wire, err := example(t).wire(spec)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := wire.Body(10)
	second, _ := wire.Body(20_000)
	third, _ := wire.Body(10)
	if string(first) != string(third) || string(first) == string(second) {
		t.Errorf("bodies:\n%s\n%s\n%s", first, second, third)
	}
	spec.Marker = "run_1/another session"
	if again := wireBody(t, example(t), spec, 10); string(again) != string(first) {
		t.Errorf("another session sends\n%s\nnot\n%s", again, first)
	}
}

func TestFieldsThatGo(t *testing.T) {
	t.Parallel()
	silent := `{"type":"message","role":"assistant","content":[{"type":"output_text","text":""}]}`
	cases := map[string]struct {
		reasons bool
		tools   bool
		items   []string
		has     []string
		hasNot  []string
	}{
		"a model that thinks":      {true, true, nil, []string{`"include"`, `"reasoning"`, `"tools"`, `"tool_choice"`}, []string{"request_user_input", "client_metadata", `"id"`}},
		"one that does not":        {false, true, nil, nil, []string{`"include"`, `"reasoning"`}},
		"no tools of ours":         {true, false, nil, nil, []string{`"tools"`, `"tool_choice"`, `"parallel_tool_calls"`}},
		"an answer of silence":     {true, true, []string{asks, silent, asks}, nil, []string{`"assistant"`}},
		"silence behind a thought": {true, true, []string{asks, thinks, silent, asks}, []string{`"reasoning"`, `"assistant"`}, nil},
		"markup is left alone":     {true, true, []string{strings.Replace(says, `"a"`, `"<a&b>"`, 1)}, []string{`<a&b>`}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := cli.Spec{Model: testModel}
			spec.Model.Reasoning = tc.reasons
			if tc.tools {
				spec.Tools = testTools
			}
			r := example(t)
			if tc.items != nil {
				r = requestOf(t, tc.items...)
			}
			body := string(wireBody(t, r, spec, 0))
			for _, want := range tc.has {
				if !strings.Contains(body, want) {
					t.Errorf("it has no %s: %s", want, body)
				}
			}
			for _, not := range tc.hasNot {
				if strings.Contains(body, not) {
					t.Errorf("it has %s: %s", not, body)
				}
			}
		})
	}
}

func TestCacheKey(t *testing.T) {
	t.Parallel()
	for marker, want := range map[string]string{"run_1/a/b": "run_1", "run_1": "run_1", "": "", "/x": ""} {
		if got := cacheKey(marker); got != want {
			t.Errorf("%q has the key %q", marker, got)
		}
	}
}
