package models

import (
	"encoding/json"
	"strings"
)

// fault is an error that the provider reports, in an error body or inside a stream.
type fault struct {
	Code    string
	Type    string
	Message string
	// used is the answer that was withheld, for what it used.
	used *Answer
}

func (f *fault) Error() string { return f.Message }

// UnmarshalJSON reads the shapes servers report errors in: an object with code, type and message, where any of them may
// be missing, null or a number, or just a text.
func (f *fault) UnmarshalJSON(data []byte) error {
	var fields struct {
		Code    any `json:"code"`
		Type    any `json:"type"`
		Message any `json:"message"`
	}
	if json.Unmarshal(data, &fields) == nil {
		f.Code, f.Type, f.Message = word(fields.Code), word(fields.Type), word(fields.Message)
	} else {
		f.Message = plain(data)
	}
	return nil
}

// plain is a JSON value as text: a string's content, anything else as it is.
func plain(data []byte) string {
	var s string
	if json.Unmarshal(data, &s) == nil {
		return s
	}
	return string(data)
}

func word(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	default:
		encoded, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(encoded)
	}
}

// readFault reads the body of an error status: {"error": …}, an error by itself, or any text.
func readFault(data []byte) *fault {
	var wrapped struct {
		Error  *fault          `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(data, &wrapped) != nil {
		return &fault{Message: string(data)}
	}
	if wrapped.Error != nil {
		return wrapped.Error
	}
	if len(wrapped.Detail) > 0 {
		return detailed(wrapped.Detail)
	}
	var bare fault
	if json.Unmarshal(data, &bare) == nil && bare.Message != "" {
		return &bare
	}
	return &fault{Message: string(data)}
}

// detailed reads an error's detail: a text, an object with a code and a message, or any other JSON.
func detailed(data []byte) *fault {
	var made fault
	if json.Unmarshal(data, &made) != nil || made.Message == "" {
		made.Message = plain(data)
	}
	return &made
}

// streamFault reads an error event, whose error may be the event itself or inside it.
func streamFault(e event) error {
	if err := e.check(); err != nil {
		return err
	}
	return readFault(e.data)
}

// policyCodes are what providers call a block by their content policy.
var policyCodes = map[string]bool{
	"content_filter": true, "content_policy_violation": true, "moderation_blocked": true, "invalid_prompt": true,
	"bio_policy": true, "cyber_policy": true, "cyber_policy_violation": true, "misalignment_policy_violation": true,
	"image_content_policy_violation": true, "responsibleaipolicyviolation": true, "safety": true,
}

// moderated tells whether the fault is a block by the provider's content policy.
func (f *fault) moderated() bool {
	return policyCodes[strings.ToLower(f.Code)] || policyCodes[strings.ToLower(f.Type)]
}

// tooLong tells whether the fault is that the request does not fit the model's context window.
func (f *fault) tooLong() bool {
	return f.tooManyTokens() || f.Code == "context_length_exceeded" || f.Type == "request_too_large" ||
		strings.HasPrefix(f.Message, "prompt is too long") ||
		strings.Contains(f.Message, "maximum context length") ||
		strings.Contains(f.Message, "exceed context limit")
}

// tooManyTokens tells whether a judge says that the state and its questions are too long; no wait makes them shorter.
func (f *fault) tooManyTokens() bool {
	const code = "max_tokens_exceeded"
	return f.Code == code || f.Type == code || f.Message == code
}

// noQuota tells whether the account has nothing left, which waiting does not mend.
func (f *fault) noQuota() bool {
	return f.Code == "insufficient_quota" || f.Type == "insufficient_quota" || f.Type == "billing_error"
}
