package api

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

func (s *Server) fileRoutes() {
	tags := []string{"runs"}
	register(s, huma.Operation{
		OperationID: "listFiles", Method: http.MethodGet, Path: "/v2/runs/{id}/files", Tags: tags,
		Summary: "List a run's files",
	}, s.listFiles)
	op := huma.Operation{
		OperationID: "getFile", Method: http.MethodGet, Path: "/v2/runs/{id}/files" + restOfPath, Tags: tags,
		Summary:     "Read a file of a run",
		Description: "Takes Range and If-None-Match. A name may have folders; dotfiles, links and .. are refused.",
	}
	register(s, op, s.getFile)
	s.huma.OpenAPI().Paths[op.Path].Get.Responses["200"].Content = map[string]*huma.MediaType{
		octets: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}
}

// fileView is a file as the contract shows it.
type fileView struct {
	Path       string    `json:"path"`
	Size       int64     `json:"size" doc:"Bytes."`
	Digest     string    `json:"digest" doc:"The SHA-256 of its content, in hex."`
	ModifiedAt timestamp `json:"modified_at"`
}

type filesOutput struct {
	Truncated string `header:"X-Files-Truncated" doc:"true: there are more files than a listing holds."`
	Body      []fileView
}

func (s *Server) listFiles(ctx context.Context, in *RunPath) (*filesOutput, error) {
	tree, err := s.tree(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &filesOutput{Body: []fileView{}}
	if tree == nil {
		return out, nil
	}
	defer tree.Close()
	files, more, err := tree.List(ctx)
	if err != nil {
		return nil, err
	}
	if more {
		out.Truncated = "true"
	}
	for _, file := range files {
		out.Body = append(out.Body, fileView{file.Path, file.Size, file.Digest, timestamp(file.ModifiedAt)})
	}
	return out, nil
}

// tree is the files of a run that exists, or nil where it has none yet.
func (s *Server) tree(ctx context.Context, id string) (Tree, error) {
	if _, err := s.store.Run(ctx, id); err != nil {
		return nil, err
	}
	return s.files.Open(id)
}

type getFileInput struct {
	RunPath
	Path string `path:"path" doc:"The file's path; its slashes may stand as they are."`
}

func (s *Server) getFile(ctx context.Context, in *getFileInput) (*huma.StreamResponse, error) {
	name := strings.TrimPrefix(in.Path, "/")
	if err := places.CheckName(name); err != nil {
		return nil, err
	}
	tree, err := s.tree(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if tree == nil {
		return nil, run.Errorf(run.ErrNotFound, "there is no file %q", name).With("path", name)
	}
	defer tree.Close()
	content, file, err := tree.OpenFile(name)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		defer content.Close()
		serveFile(humagin.Unwrap(hctx), content, file)
	}}, nil
}

const octets = "application/octet-stream"

// slowestRead is the pace below which the reader of a file is given up, in bytes a second, after a minute's grace.
const slowestRead = 16 << 10

// serveFile sends a file's bytes. An agent wrote them: nothing in them may run with the server's origin.
func serveFile(c *gin.Context, content io.ReadSeeker, file places.File) {
	media := mime.TypeByExtension(path.Ext(file.Path))
	if media == "" {
		media = octets
	}
	c.Header("Content-Type", media)
	c.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(file.Path)}))
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Content-Security-Policy", "sandbox; default-src 'none'")
	c.Header("Cross-Origin-Resource-Policy", "same-origin")
	c.Header("Cache-Control", "private, no-cache")
	c.Header("ETag", `"`+file.Digest+`"`)
	patience := time.Minute + time.Duration(file.Size/slowestRead)*time.Second
	// The deadline is the connection's; a server without one waits for its reader.
	_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(patience))
	http.ServeContent(&rangeRefuser{ResponseWriter: c.Writer}, c.Request, "", file.ModifiedAt, content)
}

// rangeRefuser puts the file server's own "no such range" into the shape of every error.
type rangeRefuser struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader sends the status, or the problem in place of it.
func (w *rangeRefuser) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	w.Header().Del("Content-Disposition")
	newProblem(codeRange, "the file has no such range").write(w.ResponseWriter)
}

// Write sends content, but not the text that goes with a refusal.
func (w *rangeRefuser) Write(data []byte) (int, error) {
	if w.refused {
		return len(data), nil
	}
	return w.ResponseWriter.Write(data)
}

// Unwrap is for http.ResponseController.
func (w *rangeRefuser) Unwrap() http.ResponseWriter { return w.ResponseWriter }
