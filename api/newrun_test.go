package api

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestARunIsStartedWithWhatWasAsked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(`{"id":"helper","name":"Helper","instructions":"Help.","tools":["read"],"effort":"low","max_cost_usd":2,
		"labels":{"team":"docs","stage":"one"},"max_steps":7,"output":{"type":"object"}}`)
	got := b.send(http.MethodPost, "/v2/agents/helper/runs", `{"input":{"content":"Hi."},"effort":"high","max_cost_usd":0.25,
		"session":"s1","labels":{"stage":"two","user":"ann"}}`)
	var r run.Run
	got.want(http.StatusCreated, &r)
	limit := run.Dollar / 4
	want := run.Run{
		ID: r.ID, AgentID: "helper", AgentRevision: 1, Kind: "agent", Harness: "pi", Model: "faux/small", Effort: "high",
		Place: run.Place{Mode: "runner"}, Status: run.Queued, State: run.StateQueued, Input: run.Input{Content: "Hi."},
		Cost: r.Cost, MaxCostUSD: &limit, Labels: map[string]string{"team": "docs", "stage": "two", "user": "ann"},
		Source: "api", Session: "s1", CreatedAt: r.CreatedAt,
	}
	if diff := cmp.Diff(want, r); diff != "" || !run.ValidID(r.ID) {
		t.Errorf("%s%s", r.ID, diff)
	}
	if to := got.header.Get("Location"); to != "/v2/runs/"+r.ID {
		t.Errorf("Location %q", to)
	}
	if _, dispatched := b.driver.told(); dispatched != 1 {
		t.Errorf("dispatched %d times", dispatched)
	}
	config, err := b.store.Config(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if config.Effort != "high" || config.MaxSteps != 7 || config.Model.ID != "faux/small" || string(config.Output) != `{"type":"object"}` {
		t.Errorf("config %+v", config)
	}
}

func TestARunWithoutOverridesIsAsTheDefinitionSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(`{"id":"helper","name":"Helper","instructions":"Help.","effort":"low","max_cost_usd":2}`)
	r := b.start("helper", `{"input":{"content":"Hi."}}`)
	if r.Effort != "low" || r.MaxCostUSD == nil || *r.MaxCostUSD != 2*run.Dollar {
		t.Errorf("%+v", r)
	}
	if r := b.start("helper", `{"input":{"content":"Hi."},"max_cost_usd":null}`); r.MaxCostUSD != nil {
		t.Errorf("null leaves the cap at %v", r.MaxCostUSD)
	}
	config, err := b.store.Config(t.Context(), r.ID)
	if err != nil || config.MaxSteps != defaultMaxSteps {
		t.Errorf("%+v, %v", config, err)
	}
}

func TestARunOfARevision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.agent(helper)
	b.send(http.MethodPut, "/v2/agents/helper/definition", helperRevised, "If-Match", first.HomeETag).want(http.StatusOK)
	r := b.start("helper", `{"input":{"content":"Hi."},"revision":1}`)
	config, err := b.store.Config(t.Context(), r.ID)
	if err != nil || r.AgentRevision != 1 || config.Instructions != "Help." {
		t.Errorf("%+v %+v %v", r, config, err)
	}
	if r := b.start("helper", `{"input":{"content":"Hi."}}`); r.AgentRevision != 2 {
		t.Errorf("%+v", r)
	}
	got := b.send(http.MethodPost, "/v2/agents/helper/runs", `{"input":{"content":"Hi."},"revision":3}`).
		problem(http.StatusUnprocessableEntity, run.ErrInvalid)
	if diff := cmp.Diff([]string{"revision unknown_revision"}, got.faults()); diff != "" {
		t.Error(diff)
	}
}

func TestARunWithFaultsIsRefusedWholeAndLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Limits.MessageBytes = 100; o.Limits.RunFiles = 3 })
	b.agent(helper)
	file := func(path string) string { return fmt.Sprintf(`{"path":%q,"content_base64":"aGk="}`, path) }
	files := func(list ...string) string {
		return `{"input":{"content":"x","files":[` + strings.Join(list, ",") + `]}}`
	}
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"nothing":              {`{}`, []string{"input required"}},
		"input a string":       {`{"input":"hi"}`, []string{"input wrong_type"}},
		"no content":           {`{"input":{}}`, []string{"input.content required"}},
		"blank content":        {`{"input":{"content":" "}}`, []string{"input.content too_short"}},
		"NUL in content":       {`{"input":{"content":"a\u0000"}}`, []string{"input.content invalid_text"}},
		"content too long":     {`{"input":{"content":"` + strings.Repeat("x", 101) + `"}}`, []string{"input.content too_long"}},
		"unknown field":        {`{"input":{"content":"x"},"place":{"mode":"runner"}}`, []string{"place unknown_field"}},
		"a field twice":        {`{"input":{"content":"x"},"effort":"low","effort":"high"}`, []string{"effort duplicate_field"}},
		"input field twice":    {`{"input":{"content":"x","content":"y"}}`, []string{"input.content duplicate_field"}},
		"a label twice":        {`{"input":{"content":"x"},"labels":{"a":"1","\u0061":"2"}}`, []string{"labels.a duplicate_field"}},
		"unknown input field":  {`{"input":{"content":"x","text":"y"}}`, []string{"input.text unknown_field"}},
		"unknown effort":       {`{"input":{"content":"x"},"effort":"huge"}`, []string{"effort not_one_of"}},
		"negative cap":         {`{"input":{"content":"x"},"max_cost_usd":-0.1}`, []string{"max_cost_usd out_of_range"}},
		"cap a string":         {`{"input":{"content":"x"},"max_cost_usd":"1"}`, []string{"max_cost_usd wrong_type"}},
		"cap too fine":         {`{"input":{"content":"x"},"max_cost_usd":0.00000000001}`, []string{"max_cost_usd invalid_format"}},
		"cap too large":        {`{"input":{"content":"x"},"max_cost_usd":1e300}`, []string{"max_cost_usd invalid_format"}},
		"revision zero":        {`{"input":{"content":"x"},"revision":0}`, []string{"revision out_of_range"}},
		"revision a fraction":  {`{"input":{"content":"x"},"revision":1.5}`, []string{"revision wrong_type"}},
		"session too long":     {`{"input":{"content":"x"},"session":"` + strings.Repeat("s", 201) + `"}`, []string{"session too_long"}},
		"label a number":       {`{"input":{"content":"x"},"labels":{"a":1}}`, []string{"labels.a wrong_type"}},
		"label key":            {`{"input":{"content":"x"},"labels":{"a:b":"c"}}`, []string{"labels.a:b invalid_format"}},
		"file outside":         {files(file("../up")), []string{"input.files[0].path invalid_path"}},
		"file absolute":        {files(file("/etc/passwd")), []string{"input.files[0].path invalid_path"}},
		"dotfile":              {files(file("a/.env")), []string{"input.files[0].path invalid_path"}},
		"file twice":           {files(file("a"), file("a")), []string{"input.files[1].path duplicate_item"}},
		"file as a folder":     {files(file("a/b/c"), file("a")), []string{"input.files[0].path invalid_path"}},
		"too many files":       {files(file("a"), file("b"), file("c"), file("d")), []string{"input.files too_long"}},
		"content not base64":   {files(`{"path":"a","content_base64":"no base64!"}`), []string{"input.files[0].content_base64 invalid_format"}},
		"file without content": {files(`{"path":"a"}`), []string{"input.files[0].content_base64 required"}},
		"several":              {`{"input":{"content":""},"labels":{"?":"x"},"max_cost_usd":0.00000000001}`, []string{"max_cost_usd invalid_format", "input.content too_short", "labels.? invalid_format"}},
	} {
		got := b.send(http.MethodPost, "/v2/agents/helper/runs", test.body).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
		if diff := cmp.Diff(test.want, got.faults()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	b.send(http.MethodPost, "/v2/agents/nobody/runs", `{"input":{"content":"x"}}`).problem(http.StatusNotFound, run.ErrNotFound)
	if body := string(b.get("/v2/runs").body); !strings.HasPrefix(body, `{"data":[],`) {
		t.Errorf("left %s", body)
	}
	if left, _ := filepath.Glob(filepath.Join(b.dir, "runs", "*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if _, dispatched := b.driver.told(); dispatched > 0 {
		t.Errorf("dispatched %d times", dispatched)
	}
}

func TestFilesAreThereBeforeTheRunIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	content := []byte("a note\x00 of bytes")
	r := b.start("helper", fmt.Sprintf(`{"input":{"content":"Summarize.","files":[
		{"path":"docs/notes.txt","content_base64":%q},{"path":"b","content_base64":""}]}}`, base64.StdEncoding.EncodeToString(content)))
	got, err := os.ReadFile(filepath.Join(b.dir, "runs", r.ID, "work", "inputs", "docs", "notes.txt"))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%q, %v", got, err)
	}
	if diff := cmp.Diff([]string{"inputs/docs/notes.txt", "inputs/b"}, r.Input.Files); diff != "" {
		t.Error(diff)
	}
	rows, _, err := b.store.Timeline(t.Context(), r.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var message run.UserMessage
	if err := rows[1].Decode(&message); err != nil {
		t.Fatal(err)
	}
	want := "Summarize.\n\nFiles for this run: \"inputs/b\" (0 B), \"inputs/docs/notes.txt\" (16 B)."
	if diff := cmp.Diff(want, message.Content); diff != "" {
		t.Error(diff)
	}
}

func TestTheSameIdempotencyKeyStartsOneRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	const path = "/v2/agents/helper/runs"
	body := `{"input":{"content":"x","files":[{"path":"a","content_base64":"aGk="}]},"max_cost_usd":1}`
	var first, again run.Run
	b.send(http.MethodPost, path, body, "Idempotency-Key", "k").want(http.StatusCreated, &first)
	got := b.send(http.MethodPost, path, `{"max_cost_usd":1,"input":{"files":[{"content_base64":"aGk=","path":"a"}],"content":"x"}}`,
		"Idempotency-Key", "k").want(http.StatusCreated, &again)
	if diff := cmp.Diff(first, again); diff != "" || got.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s%v", diff, got.header)
	}
	b.send(http.MethodPost, path, strings.Replace(body, "aGk=", "aGkh", 1), "Idempotency-Key", "k").
		problem(http.StatusConflict, run.ErrIdempotency)
	left, _ := filepath.Glob(filepath.Join(b.dir, "runs", "*", "work"))
	if len(left) != 1 || !strings.Contains(left[0], first.ID) {
		t.Errorf("work folders %v", left)
	}
	if _, dispatched := b.driver.told(); dispatched != 1 {
		t.Errorf("dispatched %d times", dispatched)
	}
}

// form makes a multipart body of fields and files, each a name and a text.
func form(t *testing.T, fields, files [][2]string) (body, media string) {
	t.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	for _, field := range fields {
		if err := w.WriteField(field[0], field[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		header := textproto.MIMEHeader{}
		header.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename=%q`, file[0]))
		part, err := w.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		part.Write([]byte(file[1]))
	}
	w.Close()
	return buf.String(), w.FormDataContentType()
}

func TestARunIsStartedWithAForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	body, media := form(t, [][2]string{
		{"content", "Read it."},
		{"effort", "low"},
		{"max_cost_usd", "0.5"},
		{"revision", "1"},
		{"labels", `{"a":"b"}`},
		{"session", "s"},
	}, [][2]string{{"docs/a.txt", "one"}, {"b.bin", "\x00\x01"}})
	got := b.send(http.MethodPost, "/v2/agents/helper/runs", body, "Content-Type", media, "Idempotency-Key", "k")
	var r run.Run
	got.want(http.StatusCreated, &r)
	if diff := cmp.Diff([]string{"inputs/docs/a.txt", "inputs/b.bin"}, r.Input.Files); diff != "" {
		t.Error(diff)
	}
	if r.Effort != "low" || *r.MaxCostUSD != run.Dollar/2 || r.Labels["a"] != "b" || r.Session != "s" || r.AgentRevision != 1 {
		t.Errorf("%+v", r)
	}
	if got.header.Get("Location") != "/v2/runs/"+r.ID || got.header.Get("ETag") == "" {
		t.Errorf("%v", got.header)
	}
	if body := b.get("/v2/runs/" + r.ID + "/files/inputs/b.bin").want(http.StatusOK).body; string(body) != "\x00\x01" {
		t.Errorf("%q", body)
	}
	// The same request as JSON is the same request.
	again := b.send(http.MethodPost, "/v2/agents/helper/runs", `{"input":{"content":"Read it.","files":[
		{"path":"docs/a.txt","content_base64":"b25l"},{"path":"b.bin","content_base64":"AAE="}]},
		"effort":"low","max_cost_usd":0.5,"revision":1,"labels":{"a":"b"},"session":"s"}`, "Idempotency-Key", "k")
	if again.want(http.StatusCreated); again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s", again.body)
	}
	body, media = form(t, [][2]string{{"input", `{"content":"Read it."}`}}, nil)
	b.send(http.MethodPost, "/v2/agents/helper/runs", body, "Content-Type", media).want(http.StatusCreated)
	body, media = form(t, [][2]string{{"content", ""}}, [][2]string{{"a", "only a file"}})
	b.send(http.MethodPost, "/v2/agents/helper/runs", body, "Content-Type", media).want(http.StatusCreated)
}

func TestAFormWithFaultsIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Limits.BodyBytes = 4000; o.Limits.RunFiles = 2 })
	b.agent(helper)
	for name, test := range map[string]struct {
		fields, files [][2]string
		want          []string
	}{
		"no content":        {nil, nil, []string{"input required"}},
		"content twice":     {[][2]string{{"content", "a"}, {"content", "b"}}, nil, []string{"content duplicate_field"}},
		"content and input": {[][2]string{{"content", "a"}, {"input", `{"content":"b"}`}}, nil, []string{"content duplicate_field"}},
		"unknown field":     {[][2]string{{"content", "a"}, {"prompt", "b"}}, nil, []string{"prompt unknown_field"}},
		"input not JSON":    {[][2]string{{"input", "hi"}}, nil, []string{"input malformed_json"}},
		"input of fields":   {[][2]string{{"input", `{"content":"a","x":1}`}}, nil, []string{"input.x unknown_field"}},
		"cap not a number":  {[][2]string{{"content", "a"}, {"max_cost_usd", `"1"`}}, nil, []string{"max_cost_usd wrong_type"}},
		"unknown effort":    {[][2]string{{"content", "a"}, {"effort", "huge"}}, nil, []string{"effort not_one_of"}},
		"file outside":      {[][2]string{{"content", "a"}}, [][2]string{{"../../etc/x", "b"}}, []string{"input.files[0].path invalid_path"}},
		"file of no name":   {[][2]string{{"content", "a"}}, [][2]string{{"", "b"}}, []string{"input.files[0].path invalid_path"}},
		"too many files":    {[][2]string{{"content", "a"}}, [][2]string{{"a", ""}, {"b", ""}, {"c", ""}}, []string{"input.files too_long"}},
	} {
		body, media := form(t, test.fields, test.files)
		got := b.send(http.MethodPost, "/v2/agents/helper/runs", body, "Content-Type", media).
			problem(http.StatusUnprocessableEntity, run.ErrInvalid)
		if diff := cmp.Diff(test.want, got.faults()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	body, media := form(t, [][2]string{{"content", "a"}}, [][2]string{{"a", strings.Repeat("x", 5000)}})
	b.send(http.MethodPost, "/v2/agents/helper/runs", body, "Content-Type", media).
		problem(http.StatusRequestEntityTooLarge, run.ErrTooLarge)
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, b.http.URL+"/v2/agents/helper/runs",
		struct{ *strings.Reader }{strings.NewReader(body)})
	req.Header.Set("Authorization", "Bearer "+ownersToken)
	req.Header.Set("Content-Type", media)
	b.do(req).problem(http.StatusRequestEntityTooLarge, run.ErrTooLarge)
	body, media = form(t, [][2]string{{"content", "a"}}, nil)
	b.send(http.MethodPost, "/v2/agents/helper/runs", body[:len(body)-10], "Content-Type", media).
		problem(http.StatusBadRequest, codeMalformed)
	b.send(http.MethodPost, "/v2/agents/helper/runs", body, "Content-Type", "multipart/form-data").
		problem(http.StatusBadRequest, codeMalformed)
	if body := string(b.get("/v2/runs").body); !strings.HasPrefix(body, `{"data":[],`) {
		t.Errorf("left %s", body)
	}
}

func TestTheDocumentedEffortsAreTheDomains(t *testing.T) {
	t.Parallel()
	b := setup(t)
	documented := b.server.huma.OpenAPI().Components.Schemas.Map()["NewRunBody"].Properties["effort"].Enum
	efforts := make([]string, len(documented))
	for i, name := range documented {
		efforts[i] = name.(string)
	}
	if diff := cmp.Diff(run.Efforts(), efforts); diff != "" {
		t.Error(diff)
	}
}
