package door

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// maxRequestBytes bounds one call: a turn's rows with an answer and its calls.
const maxRequestBytes = 64 << 20

// The calls' bodies where they are not a Door's own argument.
type (
	rowsRequest struct {
		Claim journal.Claim `json:"claim"`
		After int64         `json:"after"`
		Limit int           `json:"limit"`
	}
	secretRequest struct {
		Claim journal.Claim `json:"claim"`
		Name  string        `json:"name"`
	}
	secretAnswer struct {
		Value string `json:"value"`
	}
	deltasRequest struct {
		Claim  journal.Claim `json:"claim"`
		Deltas []Delta       `json:"deltas"`
	}
	workerRequest struct {
		Worker string `json:"worker"`
	}
	problem struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
)

// Server answers a Client over HTTP. Token is what a worker must bring.
type Server struct {
	door     Door
	presence Presence
	token    string
	mux      *http.ServeMux
}

// NewServer serves a door and its presence to workers that bring the token.
func NewServer(door Door, presence Presence, token string) *Server {
	s := &Server{door: door, presence: presence, token: token, mux: http.NewServeMux()}
	handle(s, "open", door.Open)
	handle(s, "append", door.Append)
	handle(s, "appends", func(ctx context.Context, r togetherRequest) (togetherAnswer, error) {
		return appendEach(ctx, door, r)
	})
	handle(s, "rows", func(ctx context.Context, r rowsRequest) ([]run.Row, error) {
		return door.Rows(ctx, r.Claim, r.After, r.Limit)
	})
	handle(s, "secret", func(ctx context.Context, r secretRequest) (secretAnswer, error) {
		value, err := door.Secret(ctx, r.Claim, r.Name)
		return secretAnswer{Value: value}, err
	})
	handle(s, "deltas", func(ctx context.Context, r deltasRequest) (struct{}, error) {
		return struct{}{}, door.Deltas(ctx, r.Claim, r.Deltas)
	})
	handle(s, "hello", func(ctx context.Context, holder run.Holder) (struct{}, error) {
		return struct{}{}, presence.Hello(ctx, holder)
	})
	handle(s, "beat", func(ctx context.Context, r workerRequest) (struct{}, error) {
		return struct{}{}, presence.Beat(ctx, r.Worker)
	})
	s.mux.HandleFunc("POST /nudges", s.nudges)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 {
		refuse(w, run.Errorf("unauthenticated", "the worker's token is not this server's"))
		return
	}
	s.mux.ServeHTTP(w, r)
}

func handle[In, Out any](s *Server, name string, call func(context.Context, In) (Out, error)) {
	s.mux.HandleFunc("POST /"+name, func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequestBytes)).Decode(&in); err != nil {
			refuse(w, run.Errorf(run.ErrInvalid, "door call %s: %w", name, err))
			return
		}
		out, err := call(r.Context(), in)
		if err != nil {
			refuse(w, err)
			return
		}
		data, err := json.Marshal(out)
		if err != nil {
			refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data)
	})
}

// nudges streams one JSON object a nudge until either side goes.
func (s *Server) nudges(w http.ResponseWriter, r *http.Request) {
	var in workerRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequestBytes)).Decode(&in); err != nil {
		refuse(w, run.Errorf(run.ErrInvalid, "door call nudges: %w", err))
		return
	}
	nudges, err := s.presence.Nudges(r.Context(), in.Worker)
	if err != nil {
		refuse(w, err)
		return
	}
	flusher := http.NewResponseController(w)
	w.WriteHeader(http.StatusOK)
	_ = flusher.Flush()
	encoder := json.NewEncoder(w)
	for {
		select {
		case <-r.Context().Done():
			return
		case nudge, ok := <-nudges:
			if !ok {
				return
			}
			if err := encoder.Encode(nudge); err != nil {
				return
			}
			if err := flusher.Flush(); err != nil {
				return
			}
		}
	}
}

// problemOf is an error as it goes over the wire, and its status.
func problemOf(err error) (problem, int) {
	if known, ok := errors.AsType[*run.Error](err); ok {
		return problem{Code: known.Code, Message: known.Error()}, http.StatusConflict
	}
	return problem{Code: "internal", Message: err.Error()}, http.StatusInternalServerError
}

func refuse(w http.ResponseWriter, err error) {
	answer, status := problemOf(err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) //nolint:errchkjson // two strings, to a worker that may have gone
}
