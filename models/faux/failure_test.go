package faux

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestErrorShapes: each protocol tells an error in its own shape, with the provider's usual type and code.
func TestErrorShapes(t *testing.T) {
	t.Parallel()
	type openAIError struct {
		Type    string  `json:"type"`
		Message string  `json:"message"`
		Code    *string `json:"code"`
		Param   *string `json:"param"`
	}
	for status, want := range map[int]struct{ kind, code, anthropic string }{
		400: {"invalid_request_error", "", "invalid_request_error"},
		401: {"invalid_request_error", "invalid_api_key", "authentication_error"},
		402: {"invalid_request_error", "billing_error", "billing_error"},
		403: {"invalid_request_error", "forbidden", "permission_error"},
		404: {"invalid_request_error", "not_found", "not_found_error"},
		408: {"timeout_error", "timeout", "timeout_error"},
		409: {"conflict_error", "conflict", "api_error"},
		413: {"invalid_request_error", "request_too_large", "request_too_large"},
		422: {"invalid_request_error", "", "invalid_request_error"},
		429: {"rate_limit_error", "rate_limit_exceeded", "rate_limit_error"},
		500: {"server_error", "server_error", "api_error"},
		502: {"server_error", "server_error", "api_error"},
		503: {"server_error", "service_unavailable", "overloaded_error"},
		504: {"server_error", "timeout", "timeout_error"},
		529: {"server_error", "overloaded", "overloaded_error"},
	} {
		for _, protocol := range []Protocol{Responses, Chat} {
			answer := httptest.NewRecorder()
			writeError(answer, protocol, status, nil, "input")
			var body struct {
				Error openAIError `json:"error"`
			}
			if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
				t.Fatalf("%s: %v", answer.Body, err)
			}
			code := ""
			if body.Error.Code != nil {
				code = *body.Error.Code
			}
			if answer.Code != status || body.Error.Type != want.kind || code != want.code || body.Error.Message == "" || *body.Error.Param != "input" {
				t.Errorf("%s %d: %s", protocol, status, answer.Body)
			}
		}
		answer := httptest.NewRecorder()
		answer.Header().Set("Request-Id", "req_1")
		writeError(answer, Messages, status, nil, "")
		var body struct {
			Type      string    `json:"type"`
			Error     ErrorBody `json:"error"`
			RequestID string    `json:"request_id"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
			t.Fatalf("%s: %v", answer.Body, err)
		}
		if body.Type != "error" || body.Error.Type != want.anthropic || body.Error.Message == "" || body.RequestID != "req_1" {
			t.Errorf("messages %d: %s", status, answer.Body)
		}
	}
}

func TestScriptedErrorKeepsWhatItSays(t *testing.T) {
	t.Parallel()
	said := &ErrorBody{Type: "t", Code: "c", Message: "m"}
	if diff := cmp.Diff(*said, completeError(Chat, http.StatusInternalServerError, said)); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	got := completeError(Messages, statusOverloaded, &ErrorBody{Message: "m"})
	if diff := cmp.Diff(ErrorBody{Type: "overloaded_error", Code: "overloaded", Message: "m"}, got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}
