package store

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestAnAgentIsKeptWhole(t *testing.T) {
	t.Parallel()
	at := &clock{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	b := setup(t, func(o *Options) { o.Now = at.now })
	limit := run.Dollar / 3
	def := definition("full")
	def.Description, def.Effort, def.MaxSteps, def.Model = "Writes.", "low", 7, "faux/one"
	def.Place, def.Labels = &run.Place{Mode: run.PlaceSandbox, Box: "docker"}, map[string]string{"team": "a"}
	def.Output, def.MaxCostUSD = []byte(`{"type":"object"}`), &limit
	warnings := []run.Issue{{Path: "definition.place", Code: "unavailable", Message: "no docker here"}}
	made, err := b.CreateAgent(b.ctx, def, warnings)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := b.Agent(b.ctx, "full")
	if err != nil {
		t.Fatal(err)
	}
	rounded, _ := run.ParseUSD(limit.String())
	made.Definition.MaxCostUSD = &rounded
	if diff := cmp.Diff(made, shown); diff != "" {
		t.Errorf("read again (-made +read):\n%s", diff)
	}
	if diff := cmp.Diff(warnings, shown.Warnings); diff != "" || !shown.CreatedAt.Equal(at.at) || shown.Revision != 1 {
		t.Errorf("%+v; warnings (-want +got):\n%s", shown, diff)
	}
	_, err = b.CreateAgent(b.ctx, def, nil)
	code(t, err, run.ErrAgentExists)
	_, err = b.Agent(b.ctx, "nobody")
	code(t, err, run.ErrNotFound)
}

func TestPutDefinition(t *testing.T) {
	t.Parallel()
	at := &clock{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	b := setup(t, func(o *Options) { o.Now = at.now })
	first, err := b.Agent(b.ctx, "writer")
	if err != nil {
		t.Fatal(err)
	}
	at.at = at.at.Add(time.Hour)
	changed := definition("writer")
	changed.Name = "Author"

	_, err = b.PutDefinition(b.ctx, "writer", "", changed, nil)
	code(t, err, run.ErrPreconditionMissing)
	_, err = b.PutDefinition(b.ctx, "writer", "1-0000", changed, nil)
	code(t, err, run.ErrRevisionStale)
	_, err = b.PutDefinition(b.ctx, "nobody", first.HomeETag, changed, nil)
	code(t, err, run.ErrNotFound)

	warning := []run.Issue{{Path: "definition.tools[0]", Code: "unavailable", Message: "not here"}}
	same, err := b.PutDefinition(b.ctx, "writer", `"`+first.HomeETag+`"`, definition("writer"), warning)
	if err != nil || same.Revision != 1 || same.HomeETag != first.HomeETag || len(same.Warnings) != 1 {
		t.Errorf("an equal definition: %+v, %v", same, err)
	}
	second, err := b.PutDefinition(b.ctx, "writer", first.HomeETag, changed, nil)
	if err != nil {
		t.Fatal(err)
	}
	if second.Revision != 2 || second.HomeETag == first.HomeETag || second.Name != "Author" ||
		!second.UpdatedAt.Equal(at.at) || !second.CreatedAt.Equal(first.CreatedAt) || len(second.Warnings) != 0 {
		t.Errorf("a new definition: %+v", second)
	}
	_, err = b.PutDefinition(b.ctx, "writer", first.HomeETag, definition("writer"), nil)
	code(t, err, run.ErrRevisionStale)
	shown, err := b.Agent(b.ctx, "writer")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(second, shown); diff != "" {
		t.Errorf("read again (-put +read):\n%s", diff)
	}
}

func TestOneOfManyEditsWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agent, err := b.Agent(b.ctx, "writer")
	if err != nil {
		t.Fatal(err)
	}
	var won atomic.Int64
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			def := definition("writer")
			def.Name = fmt.Sprint("Writer ", i)
			switch _, err := b.PutDefinition(b.ctx, "writer", agent.HomeETag, def, nil); run.CodeOf(err) {
			case "":
				won.Add(1)
			case run.ErrRevisionStale:
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d edits of one revision were taken", won.Load())
	}
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := 2; i <= 5; i++ {
		def := definition("writer")
		def.Name = fmt.Sprint("Writer ", i)
		if _, err := b.PutDefinition(b.ctx, "writer", "*", def, nil); err != nil {
			t.Fatal(err)
		}
	}
	var got []int64
	for page := (Page{Limit: 2}); ; {
		revisions, next, err := b.Revisions(b.ctx, "writer", page)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range revisions {
			got = append(got, r.Revision)
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	if diff := cmp.Diff([]int64{5, 4, 3, 2, 1}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	third, err := b.Revision(b.ctx, "writer", 3)
	if err != nil || third.Definition.Name != "Writer 3" || third.AgentID != "writer" {
		t.Errorf("revision 3: %+v, %v", third, err)
	}
	_, err = b.Revision(b.ctx, "writer", 6)
	code(t, err, run.ErrNotFound)
	_, _, err = b.Revisions(b.ctx, "nobody", Page{})
	code(t, err, run.ErrNotFound)
	_, _, err = b.Revisions(b.ctx, "writer", Page{Cursor: "?"})
	code(t, err, run.ErrInvalid)
}

func TestArchiveAnAgent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 5 {
		if _, err := b.CreateAgent(b.ctx, definition(agentName(i)), nil); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		archived, err := b.SetAgentArchived(b.ctx, "agent-2", true)
		if err != nil || archived.ArchivedAt == nil {
			t.Fatal(archived, err)
		}
	}
	list := func(archived bool) (ids []string) {
		for page := (Page{Limit: 2}); ; {
			agents, next, err := b.Agents(b.ctx, archived, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range agents {
				ids = append(ids, a.ID)
			}
			if page.Cursor = next; next == "" {
				return ids
			}
		}
	}
	if diff := cmp.Diff([]string{"agent-4", "agent-3", "agent-1", "agent-0", "writer"}, list(false)); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"agent-2"}, list(true)); diff != "" {
		t.Errorf("the archived (-want +got):\n%s", diff)
	}
	if back, err := b.SetAgentArchived(b.ctx, "agent-2", false); err != nil || back.ArchivedAt != nil {
		t.Errorf("unarchived: %v, %v", back.ArchivedAt, err)
	}
	_, err := b.SetAgentArchived(b.ctx, "nobody", true)
	code(t, err, run.ErrNotFound)
	_, _, err = b.Agents(b.ctx, false, Page{Limit: 201})
	code(t, err, run.ErrInvalid)
}
