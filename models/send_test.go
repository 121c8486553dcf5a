package models

import (
	"testing"
)

// TestEnvironmentIsNotAsked sets what the official clients read by themselves; none of it may change a request.
func TestEnvironmentIsNotAsked(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_API_KEY": "sk-of-the-environment", "OPENAI_ORG_ID": "org-env",
		"OPENAI_PROJECT_ID": "proj-env", "OPENAI_ADMIN_KEY": "sk-admin-env", "OPENAI_CUSTOM_HEADERS": "X-Env: openai",
		"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_API_KEY": "sk-of-the-environment",
		"ANTHROPIC_AUTH_TOKEN": "token-env", "ANTHROPIC_PROFILE": "nobody", "ANTHROPIC_CUSTOM_HEADERS": "X-Env: anthropic",
	} {
		t.Setenv(name, value)
	}
	for api, want := range map[string]struct{ path, stream string }{
		APIResponses: {"/v1/responses", responsesAnswer(t)},
		APIMessages:  {"/v1/messages", messagesAnswer(t)},
		APIChat:      {"/v1/chat/completions", chatAnswer(t)},
	} {
		p := newProvider(t, streaming(want.stream))
		for _, key := range []string{testKey, ""} {
			r := p.asking(api)
			r.APIKey = key
			if _, err := New(Options{}).Do(t.Context(), r, nil); err != nil {
				t.Fatalf("%s: %v", api, err)
			}
			got := <-p.requests
			if got.path != want.path {
				t.Errorf("%s: path %s, want %s", api, got.path, want.path)
			}
			bearer, apiKey := key, ""
			if key != "" {
				bearer = "Bearer " + key
			}
			if api == APIMessages {
				bearer, apiKey = "", key
			}
			if got.header.Get("Authorization") != bearer || got.header.Get("X-Api-Key") != apiKey {
				t.Errorf("%s: sent credentials %q, %q", api, got.header.Get("Authorization"), got.header.Get("X-Api-Key"))
			}
			for _, name := range []string{"Openai-Organization", "Openai-Project", "X-Env", "Traceparent"} {
				if value := got.header.Get(name); value != "" {
					t.Errorf("%s: sent %s: %s", api, name, value)
				}
			}
		}
	}
}

// TestMessagesAddress: the version belongs to the path, whether or not the address has it.
func TestMessagesAddress(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "/", "/v1", "/v1/", "/anthropic", "/anthropic/v1"} {
		p := newProvider(t, streaming(messagesAnswer(t)))
		r := p.asking(APIMessages)
		r.BaseURL = p.URL + suffix
		if _, err := New(Options{}).Do(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		want := "/v1/messages"
		if len(suffix) > len("/v1/") {
			want = "/anthropic/v1/messages"
		}
		if got := <-p.requests; got.path != want {
			t.Errorf("%q: path %s, want %s", suffix, got.path, want)
		}
	}
}
