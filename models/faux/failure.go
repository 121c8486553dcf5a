package faux

import (
	"cmp"
	"net/http"
	"strconv"
)

// failure is what a failed answer says.
func (a *answer) failure() ErrorBody {
	status := http.StatusInternalServerError
	if a.talk.protocol == Messages {
		status = statusOverloaded
	}
	return completeError(a.talk.protocol, status, a.failed)
}

// statusOverloaded is the status by which Anthropic says that it is overloaded.
const statusOverloaded = 529

// usualErrors are the types and codes the providers give with a status.
var usualErrors = map[int]struct{ openAIType, openAICode, anthropicType, message string }{
	400: {"invalid_request_error", "", "invalid_request_error", "The request is invalid."},
	401: {"invalid_request_error", "invalid_api_key", "authentication_error", "The API key is wrong."},
	402: {"invalid_request_error", "billing_error", "billing_error", "The account cannot pay for the request."},
	403: {"invalid_request_error", "forbidden", "permission_error", "The API key may not do this."},
	404: {"invalid_request_error", "not_found", "not_found_error", "There is no such thing."},
	405: {"invalid_request_error", "method_not_allowed", "invalid_request_error", "The method is not allowed here."},
	408: {"timeout_error", "timeout", "timeout_error", "The request took too long."},
	409: {"conflict_error", "conflict", "api_error", "The request is in conflict with another."},
	413: {"invalid_request_error", "request_too_large", "request_too_large", "The request is too large."},
	429: {"rate_limit_error", "rate_limit_exceeded", "rate_limit_error", "The rate limit is reached."},
	500: {"server_error", "server_error", "api_error", "The server had an error."},
	503: {"server_error", "service_unavailable", "overloaded_error", "The service is not available."},
	504: {"server_error", "timeout", "timeout_error", "The request took too long."},
	529: {"server_error", "overloaded", "overloaded_error", "Overloaded"},
}

// completeError fills in what from leaves empty with the provider's usual words.
func completeError(protocol Protocol, status int, from *ErrorBody) ErrorBody {
	usual, ok := usualErrors[status]
	if !ok {
		usual = usualErrors[500]
		if status < http.StatusInternalServerError {
			usual = usualErrors[400]
		}
	}
	var body ErrorBody
	if from != nil {
		body = *from
	}
	kind := usual.openAIType
	if protocol == Messages {
		kind = usual.anthropicType
	}
	body.Type = cmp.Or(body.Type, kind)
	body.Code = cmp.Or(body.Code, usual.openAICode)
	body.Message = cmp.Or(body.Message, usual.message)
	return body
}

// appendError appends an error in the protocol's shape. Param names the faulty field, if any.
func appendError(dst []byte, protocol Protocol, body ErrorBody, param, requestID string) []byte {
	if protocol == Messages {
		dst = append(dst, `{"type":"error","error":{"type":`...)
		dst = appendString(dst, body.Type)
		dst = append(dst, `,"message":`...)
		dst = appendString(dst, body.Message)
		dst = append(dst, `},"request_id":`...)
		dst = appendString(dst, requestID)
		return append(dst, '}')
	}
	dst = append(dst, `{"error":{"message":`...)
	dst = appendString(dst, body.Message)
	dst = append(dst, `,"type":`...)
	dst = appendString(dst, body.Type)
	dst = append(dst, `,"param":`...)
	dst = appendOrNull(dst, param)
	dst = append(dst, `,"code":`...)
	dst = appendOrNull(dst, body.Code)
	return append(dst, `}}`...)
}

func appendOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, `null`...)
	}
	return appendString(dst, s)
}

// writeError answers a request with an error in the protocol's shape.
func writeError(w http.ResponseWriter, protocol Protocol, status int, from *ErrorBody, param string) {
	header := w.Header()
	requestID := header.Get("Request-Id")
	body := appendError(nil, protocol, completeError(protocol, status, from), param, requestID)
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", typeJSON)
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // JSON by appendError, not a page; a client that is gone learns nothing
}
