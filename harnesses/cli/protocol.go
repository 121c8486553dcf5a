package cli

import "net/http"

// Protocol is the model protocol of a program, to and fro. Its methods may be called at once from several goroutines.
type Protocol interface {
	// Path is where the program asks for answers ("/v1/messages"), below its base URL.
	Path() string
	// Read says what is asked, and whether as a stream. An error is the program's own fault, and is told to it.
	Read(body []byte, header http.Header) (ask Ask, stream bool, err error)
	// Answer writes an answer: text/event-stream for a stream, else application/json. The same answer is the same bytes.
	Answer(a Answer, stream bool) []byte
	// Refusal writes a refusal in the form that the program accepts without another attempt.
	Refusal(r *Refused) (status int, header http.Header, body []byte)
	// StreamError writes the event that ends a stream whose headers are sent.
	StreamError(message string) []byte
	// Beat writes an event that says nothing but that the stream is alive.
	Beat() []byte
	// Other serves further paths of the program's, given below its base URL; false: it has none such.
	Other(w http.ResponseWriter, r *http.Request) bool
}

// The codes of the refusals that a Proxy makes by itself.
const (
	// CodeInvalid is a request that Protocol.Read does not understand.
	CodeInvalid = "invalid_request"
	// CodeTooLarge is a request with more than 64 MiB of body.
	CodeTooLarge = "request_too_large"
	// CodeEncoding is a request with a Content-Encoding other than gzip.
	CodeEncoding = "unsupported_encoding"
	// CodeUnavailable is a request that Host.Ask failed to answer.
	CodeUnavailable = "unavailable"
)
