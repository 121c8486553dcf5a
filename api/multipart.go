package api

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"github.com/agentrun/agentrun/run"
)

const formMedia = "multipart/form-data"

// formFields are the fields of a form that are no file, and whether their text is JSON as it stands.
var formFields = map[string]bool{
	"input": true, "content": false, "effort": false, "max_cost_usd": true, "revision": true, "session": false,
	"labels": true,
}

// takeMultipart answers a run that is asked for as a form; any other body goes on to the typed handler.
func (s *Server) takeMultipart(hctx huma.Context, next func(huma.Context)) {
	media, params, err := mime.ParseMediaType(hctx.Header("Content-Type"))
	if err != nil || media != formMedia {
		next(hctx)
		return
	}
	c := humagin.Unwrap(hctx)
	created, err := s.createFromForm(c, params["boundary"])
	if err != nil {
		refuse(c, problemOf(c.Request.Context(), s.log, err))
		return
	}
	c.Header("Location", created.Location)
	c.Header("ETag", created.ETag)
	if created.Replayed != "" {
		c.Header("Idempotent-Replayed", created.Replayed)
	}
	c.Data(http.StatusCreated, "application/json", created.Body.data)
}

func (s *Server) createFromForm(c *gin.Context, boundary string) (*createdRun, error) {
	// The deadline is the connection's; where it cannot be set the body's size still bounds the reading.
	_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(bodyReadTimeout))
	body := http.MaxBytesReader(c.Writer, c.Request.Body, s.limits.BodyBytes)
	fields, files, err := s.readForm(multipart.NewReader(body, boundary))
	if err != nil {
		return nil, s.formProblem(err)
	}
	asked, err := s.decodeForm(fields)
	if err != nil {
		return nil, err
	}
	source := "api"
	if caller(c) == bySession {
		source = "console"
	}
	return s.start(c.Request.Context(), askedRun{
		agent: c.Param("id"), key: IdempotencyKey{c.GetHeader("Idempotency-Key")}, source: source, body: asked, files: files,
	})
}

// readForm reads every part: those with a file name are files, the others fields.
func (s *Server) readForm(form *multipart.Reader) (map[string]string, []File, error) {
	fields := map[string]string{}
	var files []File
	for {
		// NextRawPart: the content is the sender's bytes, not what a transfer encoding makes of them.
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			return fields, files, nil
		}
		if err != nil {
			return nil, nil, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, err
		}
		if path, ok := fileNameOf(part); ok {
			if files = append(files, File{Path: path, Content: content}); len(files) > s.limits.RunFiles {
				return nil, nil, invalid(s.fileFaults(files))
			}
			continue
		}
		name := part.FormName()
		if _, known := formFields[name]; !known {
			return nil, nil, invalid([]run.Issue{{Path: shortened(name), Code: "unknown_field", Message: "is not a field of a run"}})
		}
		if _, twice := fields[name]; twice {
			return nil, nil, invalid([]run.Issue{{Path: name, Code: "duplicate_field", Message: "is given twice"}})
		}
		fields[name] = string(content)
	}
}

// fileNameOf is a file part's name as it was sent, folders included.
func fileNameOf(part *multipart.Part) (string, bool) {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return "", false
	}
	name, ok := params["filename"]
	return name, ok
}

// formProblem says of a form that cannot be read what is wrong with it.
func (s *Server) formProblem(err error) error {
	var problem *Problem
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &large):
		return tooLarge(s.limits.BodyBytes)
	}
	return newProblem(codeMalformed, "the body is not a multipart form: "+err.Error())
}
