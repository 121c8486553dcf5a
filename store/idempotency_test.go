package store

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestTheSameRequestTwiceIsOneRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ask := newRun()
	ask.Idempotency = &Idempotency{Scope: "runs", Key: "k1", BodyDigest: "d1"}
	ask.Input.Content = strings.Repeat("long ", inlineBytes) // its answer does not fit a row
	first, replayed, err := b.CreateRun(b.ctx, ask)
	if err != nil || replayed {
		t.Fatal(replayed, err)
	}
	claim(t, b.Store, first.ID, "w1", 1)
	again, replayed, err := b.CreateRun(b.ctx, ask)
	if err != nil || !replayed {
		t.Fatal(replayed, err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("not the first answer (-first +again):\n%s", diff)
	}
	ask.Idempotency = &Idempotency{Scope: "runs", Key: "k1", BodyDigest: "d2"}
	_, _, err = b.CreateRun(b.ctx, ask)
	code(t, err, run.ErrIdempotency)
	ask.Idempotency = &Idempotency{Scope: "elsewhere", Key: "k1", BodyDigest: "d2"}
	if other, replayed, err := b.CreateRun(b.ctx, ask); err != nil || replayed || other.ID == first.ID {
		t.Errorf("the key in another scope: %s %v %v", other.ID, replayed, err)
	}
}

func TestManySendTheSameRequestAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := make([]string, 16)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			ask := newRun()
			ask.Idempotency = &Idempotency{Scope: "runs", Key: "k", BodyDigest: "d"}
			made, _, err := b.CreateRun(b.ctx, ask)
			if err != nil {
				t.Error(err)
			}
			ids[i] = made.ID
		})
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("two runs: %s and %s", ids[0], id)
		}
	}
}

func TestTheSameMessageTwiceIsOneMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := created(t, b.Store).ID
	idem := &Idempotency{Scope: "messages/" + id, Key: "k", BodyDigest: "d"}
	first, err := b.Message(b.ctx, id, "and then?", idem)
	if err != nil {
		t.Fatal(err)
	}
	// Once the run has ended a new message is refused, but the first answer is still the answer.
	if _, err := b.Cancel(b.ctx, id); err != nil {
		t.Fatal(err)
	}
	again, err := b.Message(b.ctx, id, "and then?", idem)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
	_, err = b.Message(b.ctx, id, "something else", &Idempotency{Scope: idem.Scope, Key: "k", BodyDigest: "e"})
	code(t, err, run.ErrIdempotency)
}

func TestTheSameAgentTwiceIsOneAgent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	idem := Idempotency{Scope: "agents", Key: "k", BodyDigest: "d"}
	warnings := []run.Issue{{Path: "definition.model", Code: "unavailable", Message: "no key"}}
	first, replayed, err := b.CreateAgentOnce(b.ctx, definition("new"), warnings, idem)
	if err != nil || replayed {
		t.Fatal(replayed, err)
	}
	again, replayed, err := b.CreateAgentOnce(b.ctx, definition("new"), warnings, idem)
	if err != nil || !replayed {
		t.Fatal(replayed, err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
	idem.BodyDigest = "e"
	_, _, err = b.CreateAgentOnce(b.ctx, definition("new"), warnings, idem)
	code(t, err, run.ErrIdempotency)
}
