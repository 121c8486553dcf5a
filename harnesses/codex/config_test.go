package codex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/harnesses/cli"
)

func TestConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := home{dir}
	spec := cli.Spec{Dir: dir, Model: testModel}
	spec.Model.Name = `gpt "5"`
	if err := at.write(spec, "http://127.0.0.1:4780/secret/v1"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"config.toml", "models.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v, %v", name, info.Mode(), err)
		}
		if name == "models.json" {
			data = indented(t, data)
		}
		golden(t, name, []byte(strings.ReplaceAll(string(data), dir, "DIR")))
	}
	if err := at.write(spec, "http://127.0.0.1:4780/secret/v1"); err == nil {
		t.Error("a folder that is not empty is written to")
	}
}

func TestTheDefaultEffortIsOneTheModelHas(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reasons bool
		efforts []string
		want    any
	}{
		"medium where there is such": {true, []string{"low", "medium", "high"}, "medium"},
		"less where there is not":    {true, []string{"none", "low", "high"}, "low"},
		"more where there is but":    {true, []string{"high"}, "high"},
		"none for one that does not": {false, []string{"low", "medium"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := cli.Spec{Model: testModel}
			spec.Model.Reasoning, spec.Model.Efforts = tc.reasons, tc.efforts
			data, err := catalogueOf(spec)
			if err != nil {
				t.Fatal(err)
			}
			var catalogue struct {
				Models []struct {
					Level any `json:"default_reasoning_level"`
				} `json:"models"`
			}
			if err := json.Unmarshal(data, &catalogue); err != nil {
				t.Fatal(err)
			}
			if got := catalogue.Models[0].Level; got != tc.want {
				t.Errorf("it is %v", got)
			}
		})
	}
}

func TestEnvironmentIsWholeAndInsideTheFolder(t *testing.T) {
	t.Parallel()
	for _, variable := range (home{"/d"}).environment() {
		name, value, _ := strings.Cut(variable, "=")
		if name != "RUST_LOG" && value != "/d" && !strings.HasPrefix(value, "/d/") {
			t.Errorf("%s points to %s", name, value)
		}
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		`plain`:        `"plain"`,
		"a\"b\\c\n":    `"a\"b\\c\n"`,
		"\x01\x7fü":    "\"\\u0001\\u007fü\"",
		"<b>&":         "\"\\u003cb\\u003e\\u0026\"",
		"line\u2028":   `"line\u2028"`,
		"/a dir/#[x]=": `"/a dir/#[x]="`,
	}
	for text, want := range cases {
		if got := quoted(text); got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
}
