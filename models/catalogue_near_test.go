package models

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
)

func TestNear(t *testing.T) {
	t.Parallel()
	c := &Catalogue{models: map[string]run.Model{}}
	for _, id := range []string{
		"openai/gpt-5.6-luna", "openai/gpt-5.6-terra", "openai/gpt-4o", "anthropic/claude-sonnet-5", "anthropic/claude-opus-5",
	} {
		c.models[id] = run.Model{ID: id}
	}
	for id, want := range map[string]string{
		strings.Repeat("gpt", 1e6): "; a model is named provider/name",
		"gpt-5.6-luna":             "; near: openai/gpt-5.6-luna, openai/gpt-5.6-terra",
		"openai/gpt-5.6-lunna":     "; near: openai/gpt-5.6-luna",
		"claude/claude-sonnet-5":   "; near: anthropic/claude-sonnet-5",
		"nobody/zzz":               "; a model is named provider/name, and models.json names more",
		"openai/":                  "; a model is named provider/name, and models.json names more",
	} {
		if got := c.near(id); !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"luna", "luna", 0}, {"luna", "lunna", 1}, {"kitten", "sitting", 3}, {"abc", "cba", 2}} {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("%q to %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab]{0,8}`)
		a, b, c := text.Draw(t, "a"), text.Draw(t, "b"), text.Draw(t, "c")
		ab := editDistance(a, b)
		if ab != editDistance(b, a) || (ab == 0) != (a == b) || ab > editDistance(a, c)+editDistance(c, b) {
			t.Fatalf("no distance: %q, %q, %q", a, b, c)
		}
	})
}
