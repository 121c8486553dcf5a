package run_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestCheckLabels(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range run.MaxLabels + 1 {
		many[fmt.Sprint("k", i)] = ""
	}
	for name, test := range map[string]struct {
		labels map[string]string
		want   []string
	}{
		"none":              {nil, nil},
		"plain":             {map[string]string{"team": "docs", "a.b/c_d-e": "", "0": "ü ✓ a:b=c"}, nil},
		"no key":            {map[string]string{"": "x"}, []string{"labels. invalid_format"}},
		"key with a colon":  {map[string]string{"a:b": "x"}, []string{"labels.a:b invalid_format"}},
		"key with equals":   {map[string]string{"a=b": "x"}, []string{"labels.a=b invalid_format"}},
		"key with a dash":   {map[string]string{"-a": "x"}, []string{"labels.-a invalid_format"}},
		"key too long":      {map[string]string{strings.Repeat("k", 65): "x"}, []string{"labels." + strings.Repeat("k", 65) + " invalid_format"}},
		"value too long":    {map[string]string{"a": strings.Repeat("é", run.MaxLabelValue+1)}, []string{"labels.a too_long"}},
		"value at its most": {map[string]string{"a": strings.Repeat("é", run.MaxLabelValue)}, nil},
		"value of lines":    {map[string]string{"a": "x\ny"}, []string{"labels.a invalid_text"}},
		"two faults":        {map[string]string{"b": "\x00", "a:": "x"}, []string{"labels.a: invalid_format", "labels.b invalid_text"}},
		"too many":          {many, []string{"labels too_long"}},
	} {
		if diff := cmp.Diff(append([]string{}, test.want...), faults(run.CheckLabels("labels", test.labels))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReadAmount(t *testing.T) {
	t.Parallel()
	for text, test := range map[string]struct {
		want run.USD
		code string
	}{
		"0": {}, "-0": {}, "1": {want: run.Dollar}, "0.0000000001": {want: 100}, "1e-10": {want: 100}, "1E2": {want: 100 * run.Dollar},
		"9223372": {want: 9223372 * run.Dollar},
		"":        {code: "wrong_type"}, "null": {code: "wrong_type"}, `"1"`: {code: "wrong_type"}, "[1]": {code: "wrong_type"},
		"1e-11": {code: "invalid_format"}, "0.00000000015": {code: "invalid_format"}, "9223373": {code: "invalid_format"},
		"1e999999999": {code: "invalid_format"}, "1.": {want: run.Dollar}, "--1": {code: "invalid_format"},
		"-0.5": {code: "out_of_range"},
	} {
		got, issue := run.ReadAmount("max", []byte(text))
		code := ""
		if issue != nil {
			code = issue.Code
			if issue.Path != "max" {
				t.Errorf("%q: path %q", text, issue.Path)
			}
		}
		if got != test.want || code != test.code {
			t.Errorf("%q: %d %q, want %d %q", text, got, code, test.want, test.code)
		}
	}
}

func TestSlugs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"a": true, "0": true, "notes-writer": true, strings.Repeat("a", 64): true, "a-": true,
		"": false, "-a": false, "A": false, "a_b": false, "a b": false, "ä": false, strings.Repeat("a", 65): false, "a\n": false,
	} {
		if got := run.ValidSlug(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}
