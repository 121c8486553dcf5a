package models

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// sendJev posts a judge's request. No client library of its own is needed for one call.
func sendJev(x *exchange, r Request, data []byte) (stream, error) {
	address := strings.TrimSuffix(strings.TrimSuffix(r.BaseURL, "/"), "/v1") + "/v1/systemone"
	request, err := http.NewRequestWithContext(x.ctx, http.MethodPost, address, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", acceptJSON)
	request.Header.Set("Accept", acceptJSON)
	if r.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+r.APIKey)
	}
	answer, err := x.Do(request) //nolint:bodyclose // the event closes it
	if err != nil {
		return nil, err
	}
	if err := x.unusual(); err != nil {
		return nil, err
	}
	return &oneEvent{body: answer.Body, limit: x.maxAnswer}, nil
}

// oneEvent is an answer in one piece, as a stream: its one event is the whole body.
type oneEvent struct {
	body   io.ReadCloser
	limit  int64
	data   []byte
	read   bool
	failed error
}

func (s *oneEvent) next() bool {
	if s.read {
		return false
	}
	s.read = true
	s.data, s.failed = io.ReadAll(io.LimitReader(s.body, s.limit+1))
	if s.failed == nil && int64(len(s.data)) > s.limit {
		s.failed = errTooLarge
	}
	return s.failed == nil
}

func (s *oneEvent) event() event { return event{data: s.data} }
func (s *oneEvent) err() error   { return s.failed }
func (s *oneEvent) close()       { _ = s.body.Close() }
