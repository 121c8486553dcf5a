package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxBody bounds a request's body, before and after it is decompressed (bytes).
const maxBody = 64 << 20

// bodyFault is why a body is not read.
type bodyFault struct {
	status        int
	code, message string
}

// readBody reads a request's body of at most so many bytes, within bounds of time.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, *bodyFault) {
	if r.ContentLength > most {
		return nil, tooLarge(most)
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(transferWait))
	defer func() { _ = control.SetReadDeadline(time.Time{}) }() // what is read from now on says that the program has gone
	var body io.Reader = http.MaxBytesReader(w, r.Body, most)
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
	case "gzip":
		packed, err := gzip.NewReader(body)
		if err != nil {
			return nil, faultOf(err)
		}
		body = io.LimitReader(packed, most+1)
	default:
		return nil, &bodyFault{http.StatusUnsupportedMediaType, CodeEncoding, "a request's body must not be compressed but with gzip"}
	}
	read, err := io.ReadAll(body)
	if err != nil {
		return nil, faultOf(err)
	}
	if int64(len(read)) > most {
		return nil, tooLarge(most)
	}
	return read, nil
}

func faultOf(err error) *bodyFault {
	if over, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(over.Limit)
	}
	return &bodyFault{http.StatusBadRequest, CodeInvalid, "the request's body could not be read"}
}

func tooLarge(most int64) *bodyFault {
	return &bodyFault{http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("the request's body has more than %d bytes", most)}
}
