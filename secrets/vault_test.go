package secrets_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/secrets"
)

func TestTakeLeavesNothingInTheEnvironment(t *testing.T) {
	t.Setenv("AGENTRUN_TEST_KEY", "sk-0123456789")
	t.Setenv("AGENTRUN_TEST_EMPTY", "")
	vault, err := secrets.Take("AGENTRUN_TEST_KEY", "AGENTRUN_TEST_EMPTY", "AGENTRUN_TEST_ABSENT")
	if err != nil {
		t.Fatal(err)
	}
	if _, set := os.LookupEnv("AGENTRUN_TEST_KEY"); set {
		t.Error("the key is still in the environment")
	}
	if value, err := vault.Reveal("AGENTRUN_TEST_KEY"); err != nil || value != "sk-0123456789" {
		t.Errorf("Reveal = %q, %v", value, err)
	}
	for _, name := range []string{"AGENTRUN_TEST_EMPTY", "AGENTRUN_TEST_ABSENT", "OTHER"} {
		if _, err := vault.Reveal(name); vault.Has(name) || run.CodeOf(err) != run.ErrNotFound {
			t.Errorf("%s: Has = %v, Reveal error = %v", name, vault.Has(name), err)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	vault := secrets.New(map[string]string{
		"KEY": "sk-0123456789", "LONGER": "sk-0123456789-abc", "ODD": "pass\"word\\<&>", "SHORT": "abc",
	})
	for name, c := range map[string]struct{ in, want string }{
		"plain":               {"key sk-0123456789!", "key [redacted KEY]!"},
		"longest first":       {"sk-0123456789-abc", "[redacted LONGER]"},
		"twice":               {"sk-0123456789 sk-0123456789", "[redacted KEY] [redacted KEY]"},
		"too short to redact": {"abcdef", "abcdef"},
		"nothing":             {"hello", "hello"},
	} {
		if got := string(vault.Redact([]byte(c.in))); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	escaped, err := json.Marshal(map[string]string{"text": "it is pass\"word\\<&>"})
	if err != nil {
		t.Fatal(err)
	}
	redacted := vault.Redact(escaped)
	if !json.Valid(redacted) || strings.Contains(string(redacted), "word") {
		t.Errorf("a value escaped in JSON became %s", redacted)
	}
}
