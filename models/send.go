package models

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	anthropicstream "github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	openaistream "github.com/openai/openai-go/v3/packages/ssestream"
)

// sender posts a request's body and opens the stream of its answer.
type sender func(x *exchange, r Request, data []byte) (stream, error)

// stream is a provider's stream of events.
type stream interface {
	next() bool
	event() event
	err() error
	close()
}

// What requests ask for: a stream, or an answer in one piece.
const (
	acceptStream = "text/event-stream"
	acceptJSON   = "application/json"
)

// The clients are made without their constructors: those read the environment (addresses, keys, organisations, extra
// headers) and the user's configuration files, which must not change where a run's request goes.

func sendResponses(x *exchange, r Request, data []byte) (stream, error) {
	return sendOpenAI(x, r, "responses", data)
}

func sendChat(x *exchange, r Request, data []byte) (stream, error) {
	return sendOpenAI(x, r, "chat/completions", data)
}

func sendOpenAI(x *exchange, r Request, path string, data []byte) (stream, error) {
	options := []openaioption.RequestOption{
		openaioption.WithBaseURL(r.BaseURL),
		openaioption.WithHTTPClient(x),
		openaioption.WithMaxRetries(0),
		openaioption.WithHeader("Accept", acceptStream),
	}
	for name, values := range r.Wire.passedOn() {
		options = append(options, openaioption.WithHeaderDel(name))
		for _, value := range values {
			options = append(options, openaioption.WithHeaderAdd(name, value))
		}
	}
	if r.APIKey != "" {
		options = append(options, openaioption.WithAPIKey(r.APIKey))
	}
	client := openai.Client{Options: options}
	var answer *http.Response
	if err := client.Post(x.ctx, path, data, &answer); err != nil {
		return nil, err
	}
	if err := x.unusual(); err != nil {
		return nil, err
	}
	return openAIStream{openaistream.NewDecoder(answer)}, nil
}

func sendMessages(x *exchange, r Request, data []byte) (stream, error) {
	options := []anthropicoption.RequestOption{
		anthropicoption.WithBaseURL(strings.TrimSuffix(strings.TrimSuffix(r.BaseURL, "/"), "/v1")),
		anthropicoption.WithHTTPClient(x),
		anthropicoption.WithMaxRetries(0),
		anthropicoption.WithHeader("Accept", acceptStream),
		anthropicoption.WithoutOpenTelemetry(),
	}
	if r.Wire != nil {
		// Programs write for the endpoint with the beta features.
		options = append(options, anthropicoption.WithQuery("beta", "true"))
	}
	for name, values := range r.Wire.passedOn() {
		options = append(options, anthropicoption.WithHeaderDel(name))
		for _, value := range values {
			options = append(options, anthropicoption.WithHeaderAdd(name, value))
		}
	}
	if r.APIKey != "" {
		options = append(options, anthropicoption.WithAPIKey(r.APIKey))
	}
	client := anthropic.Client{Options: options}
	var answer *http.Response
	if err := client.Post(x.ctx, "v1/messages", data, &answer); err != nil {
		return nil, err
	}
	if err := x.unusual(); err != nil {
		return nil, err
	}
	return anthropicStream{anthropicstream.NewDecoder(answer)}, nil
}

// unusual is an error for a status that the clients take for an answer but is none: a redirect.
func (x *exchange) unusual() error {
	if x.status < http.StatusMultipleChoices {
		return nil
	}
	return fmt.Errorf("status %d", x.status)
}

type openAIStream struct{ decoder openaistream.Decoder }

func (s openAIStream) next() bool { return s.decoder.Next() }
func (s openAIStream) err() error { return s.decoder.Err() }
func (s openAIStream) close()     { _ = s.decoder.Close() }

func (s openAIStream) event() event {
	got := s.decoder.Event()
	return event{kind: got.Type, data: got.Data}
}

type anthropicStream struct{ decoder anthropicstream.Decoder }

func (s anthropicStream) next() bool { return s.decoder.Next() }
func (s anthropicStream) err() error { return s.decoder.Err() }
func (s anthropicStream) close()     { _ = s.decoder.Close() }

func (s anthropicStream) event() event {
	got := s.decoder.Event()
	return event{kind: got.Type, data: got.Data}
}
