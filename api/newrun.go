package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

func (s *Server) newRunRoutes() {
	op := huma.Operation{
		OperationID: "createRun", Method: http.MethodPost, Path: "/v2/agents/{id}/runs", Tags: []string{"runs"},
		Summary: "Start a run", DefaultStatus: http.StatusCreated,
		Description: "As JSON, or as multipart/form-data with files: the fields input (JSON) or content, and effort, " +
			"max_cost_usd, revision, session and labels (JSON); every part with a file name is a file of the run. The run " +
			"finds its files under inputs/.",
		Middlewares: huma.Middlewares{s.takeMultipart},
	}
	register(s, op, s.createRun)
	s.documentMultipart(op.Path)
}

// newRunBody is what may be asked of an agent.
type newRunBody struct {
	_          struct{}          `additionalProperties:"false"`
	Input      runInput          `json:"input"`
	Effort     string            `json:"effort,omitempty" enum:"none,minimal,low,medium,high,xhigh,max"`
	MaxCostUSD amount            `json:"max_cost_usd,omitzero"`
	Revision   int64             `json:"revision,omitempty" minimum:"1" doc:"Absent: the newest."`
	Session    string            `json:"session,omitempty" maxLength:"200"`
	Labels     map[string]string `json:"labels,omitempty" doc:"Beside the definition's own; the run's win."`
}

type newRunInput struct {
	_       struct{}     `additionalProperties:"false"`
	Content string       `json:"content"`
	Files   []newRunFile `json:"files,omitempty"`
}

type newRunFile struct {
	_       struct{}   `additionalProperties:"false"`
	Path    string     `json:"path" doc:"A relative path; the run finds the file under inputs/."`
	Content base64Text `json:"content_base64"`
}

// runInput is what a run is asked, kept as it was written until the agent's kind says how to read it.
type runInput struct{ data json.RawMessage }

// UnmarshalJSON keeps the input.
func (i *runInput) UnmarshalJSON(data []byte) error {
	i.data = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON gives it back.
func (i runInput) MarshalJSON() ([]byte, error) { return i.data, nil }

// Schema describes both forms.
func (runInput) Schema(r huma.Registry) *huma.Schema {
	asked := r.Schema(reflect.TypeFor[newRunInput](), true, "")
	return &huma.Schema{
		Type:        huma.TypeObject,
		Description: "Of an agent: content and files. Of a workflow: the document's own input object.",
		Extensions:  map[string]any{"x-agent-input": map[string]any{"$ref": asked.Ref}},
	}
}

type createRunInput struct {
	request
	AgentPath
	IdempotencyKey
	Body newRunBody
}

type createdRun struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Replayed string `header:"Idempotent-Replayed" doc:"true: the answer is the first request's."`
	Body     encoded[runView]
}

func (s *Server) createRun(ctx context.Context, in *createRunInput) (*createdRun, error) {
	source := "api"
	if caller(in.gin) == bySession {
		source = "console"
	}
	return s.start(ctx, askedRun{agent: in.ID, key: in.IdempotencyKey, source: source, body: in.Body})
}

// askedRun is what a request asks for, in whatever form it came. Its files are those of a form; start adds the body's.
type askedRun struct {
	agent  string
	key    IdempotencyKey
	source string
	body   newRunBody
	files  []File
	// input is that of an agent's run, object that of a document's.
	input  newRunInput
	object json.RawMessage
}

// start makes the run, its files first: a run that is recorded has them.
func (s *Server) start(ctx context.Context, ask askedRun) (*createdRun, error) {
	agent, def, err := s.definitionOf(ctx, ask.agent, ask.body.Revision)
	if err != nil {
		return nil, err
	}
	limit, err := s.checkAsked(&ask, def)
	if err != nil {
		return nil, err
	}
	config, err := s.resolve(agent, def)
	if err != nil {
		return nil, err
	}
	if ask.body.Effort != "" {
		config.Effort = ask.body.Effort
	}
	if !ask.body.MaxCostUSD.given() {
		limit = def.MaxCostUSD
	}
	made := store.NewRun{
		ID: run.NewID(s.now()), AgentID: agent.ID, Revision: ask.body.Revision, Kind: def.Kind(), Config: config,
		MaxCostUSD: limit, Labels: merged(def.Labels, ask.body.Labels), Source: ask.source, Session: ask.body.Session,
		Idempotency: ask.key.keyed("runs:"+agent.ID, ask.digested()),
	}
	if issues := run.CheckLabels("labels", made.Labels); len(issues) > 0 {
		return nil, invalid(issues)
	}
	return s.keep(ctx, made, ask)
}

// keep writes the files and the run, and takes the files back where the run is not made.
func (s *Server) keep(ctx context.Context, made store.NewRun, ask askedRun) (*createdRun, error) {
	manifest, names, err := s.files.Prepare(ctx, made.ID, ask.files)
	if err != nil {
		return nil, err
	}
	made.Input = run.Input{Content: ask.input.Content, Files: names, Object: ask.object}
	made.FirstMessage = places.FirstMessage(ask.input.Content, manifest)
	created, replayed, err := s.store.CreateRun(ctx, made)
	if len(ask.files) > 0 && (err != nil || replayed) {
		if left := s.files.Discard(made.ID); left != nil {
			s.log.WarnContext(ctx, "files of a run that was not made are left", "event", "files_left", "run_id", made.ID,
				"error", left)
		}
	}
	if err != nil {
		return nil, err
	}
	if !replayed {
		s.driver.Dispatch()
	}
	shown, err := tag(viewRun(created), "", IfNoneMatch{})
	if err != nil {
		return nil, err
	}
	return &createdRun{
		Location: "/v2/runs/" + created.ID, ETag: shown.ETag, Replayed: replayHeader(replayed), Body: shown.Body,
	}, nil
}

// digested is what makes two requests of one idempotency key the same.
func (ask askedRun) digested() any {
	files := map[string]string{}
	for _, file := range ask.files {
		files[file.Path] = places.DigestOf(file.Content)
	}
	body := ask.body
	return []any{ask.input.Content, files, body.Effort, string(body.MaxCostUSD.text), body.Revision, body.Session, body.Labels}
}

func merged(labels, over map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, labels)
	maps.Copy(all, over)
	return all
}
