package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
	"github.com/agentrun/agentrun/tools"
)

// ready sees to it that a session is open and knows all that people said so far. It is nil with the session that is, and
// an error of this server's own where there can be none.
func (b *brain) ready(ctx context.Context, t *thread) error {
	items, now := t.heard()
	b.mu.Lock()
	has, dismissed := b.open, b.dismissed
	known := has != nil && has.told == now
	b.mu.Unlock()
	if dismissed {
		return run.Errorf(run.ErrStaleEpoch, "run %s is no longer this worker's", t.runID)
	}
	why := b.last
	if has != nil {
		switch {
		case known:
			return nil
		case b.says(has, now, items):
			return nil
		}
		why = "there is news that the program can only be told anew"
		if err := b.end(); err != nil {
			return err
		}
	}
	return b.start(ctx, t, items, now, why)
}

// says tells a program whose turn has ended what was said since, and is false where it cannot.
func (b *brain) says(to *opened, now told, items []journal.Item) bool {
	b.mu.Lock()
	able := to.idle && to.fault == "" && now.compactions == to.told.compactions && now.words == to.told.words+1
	_, words := parted(items)
	if able {
		to.idle, to.told = false, now // before it is told, so that its next turn's end is not lost
	}
	b.mu.Unlock()
	return able && to.session.Say(words) == nil
}

// start opens a session on the conversation. An error that is the program's own is counted and tried again by who asks.
func (b *brain) start(ctx context.Context, t *thread, items []journal.Item, now told, why string) error {
	if err := b.place(ctx, t); err != nil {
		return err
	}
	next := &opened{told: now}
	if err := b.launch(ctx, t, next, items, why); err != nil {
		<-b.slots
		return errors.Join(err, removeAll(next.dir))
	}
	b.mu.Lock()
	dismissed := b.dismissed
	b.open = next
	b.tell()
	b.mu.Unlock()
	if dismissed {
		return errors.Join(run.Errorf(run.ErrStaleEpoch, "run %s is no longer this worker's", t.runID), b.finish(next))
	}
	return nil
}

// place takes one of the worker's places for programs, and says so where it has to wait for one.
func (b *brain) place(ctx context.Context, t *thread) error {
	select {
	case b.slots <- struct{}{}:
		return nil
	default:
	}
	waits := run.NewRow(run.RowWarning, t.key(sessionName(t, b.count+1)+"/place"), run.Warning{
		Node: t.node, Code: "harness_waits",
		Message: fmt.Sprintf("this worker runs %d programs at once: %s starts when one of them has ended", cap(b.slots), b.name),
	}, nil)
	if _, err := t.append(ctx, journal.Append{Rows: []run.Row{waits}}); err != nil {
		return err
	}
	select {
	case b.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// heard is the conversation that the turn's request is made of, and what of it people said.
func (t *thread) heard() ([]journal.Item, told) {
	t.mu.Lock()
	defer t.mu.Unlock()
	items, _ := t.fold.Messages()
	return items, told{compactions: t.fold.Compactions(), words: wordsIn(items)}
}

func (b *brain) launch(ctx context.Context, t *thread, next *opened, items []journal.Item, why string) error {
	b.count++
	next.n = b.count
	home := t.harnessDir()
	if err := t.tidy(); err != nil {
		return err
	}
	name := fmt.Sprintf("%d-%d%s", t.opened.Claim.Epoch, next.n, dirMark(t.id))
	next.dir = filepath.Join(home, name)
	if err := os.MkdirAll(next.dir, 0o700); err != nil {
		return fmt.Errorf("a private folder for %s: %w", b.name, err)
	}
	history, say := parted(items)
	next.resumed = len(history) > 0
	if why == "" && t.opened.Claim.Epoch > 1 && (t.id == "" || next.resumed) {
		why = "the run was opened again"
	}
	fresh := next.resumed && b.mute > 0 && b.deaths == maxDeaths-1 // the last try takes the conversation up in words
	if fresh {
		next.base = b.harness.Driver.Answers(history)
		history, say = nil, retold(history, say)
	}
	program, lack := b.harness.Find()
	if lack != "" {
		return &lacking{fmt.Sprintf("%s is not available on this worker: %s", b.name, lack)}
	}
	confine := b.harness.Confine()
	started := run.NewRow(run.RowHarnessStarted, t.key(sessionName(t, next.n)+"/started"), run.HarnessStarted{
		Node: t.node, Harness: b.name, Session: next.n, Messages: len(history), Reason: bounded(why), Fresh: fresh,
		Confined: confine,
	}, nil)
	if err := t.later(started); err != nil {
		return err
	}
	bound, cancel := context.WithTimeout(ctx, b.bounds.Start)
	defer cancel()
	session, err := b.harness.Driver.Open(bound, cli.Spec{
		Program: program, Dir: next.dir, Marker: t.runID + "/" + name, Confine: confine, Gates: t.options.gates,
		Model: t.brief.model, Instructions: t.brief.instructions, Effort: t.brief.effort, Output: t.brief.schema,
		Tools: t.offers(), History: history, Say: say,
	}, host{b: b, from: next})
	if err != nil {
		next.over = true
		return &stillborn{fmt.Errorf("%s did not start: %w", b.name, err)}
	}
	next.session = session
	return nil
}

// lacking is a program that is not there.
type lacking struct{ message string }

func (l *lacking) Error() string { return l.message }

// stillborn is a program that could not be started; it may be tried again.
type stillborn struct{ error }

func (s *stillborn) Unwrap() error { return s.error }

// harnessDir is where the run's sessions have their private folders.
func (s *session) harnessDir() string {
	return filepath.Join(filepath.Dir(s.opened.WorkDir), "harness")
}

// tidy ends what an earlier process left of the run's sessions. What runs under one of their names is theirs: this claim
// is newer.
func (s *session) tidy() error {
	home := s.harnessDir()
	entries, err := os.ReadDir(home)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the private folders of earlier sessions: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), fmt.Sprintf("%d-", s.opened.Claim.Epoch)) {
			continue // of a session of this claim: another thread's
		}
		if err := process.Sweep(s.runID + "/" + entry.Name()); err != nil {
			return fmt.Errorf("an earlier session: %w", err)
		}
		if err := removeAll(filepath.Join(home, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// dirMark is what the name of a node's session folder ends in.
func dirMark(thread string) string {
	if thread == "" {
		return ""
	}
	const bytes = 6
	sum := sha256.Sum256([]byte(thread))
	return "-" + hex.EncodeToString(sum[:bytes])
}

func removeAll(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("a private folder could not be removed: %w", err)
	}
	return nil
}

// offers are the thread's tools as a model is told of them.
func (t *thread) offers() []models.Tool {
	var offers []models.Tool
	for _, name := range t.brief.tools {
		if tool, ok := tools.Lookup(name); ok {
			offers = append(offers, models.Tool{Name: tool.Name, Description: tool.Description, Schema: tool.Schema})
		}
	}
	return offers
}

// parted is a conversation up to what is said now, and that: "" where it ends with the results of calls.
func parted(items []journal.Item) (history []models.Message, say string) {
	end := len(items)
	if end > 0 && items[end-1].Role == journal.RoleUser {
		end--
		say = items[end].Text
	}
	return messagesOf(items[:end]), say
}

func wordsIn(items []journal.Item) int {
	n := 0
	for _, item := range items {
		if item.Role == journal.RoleUser {
			n++
		}
	}
	return n
}

// retold is a conversation in words, for a program that could not take it up.
func retold(history []models.Message, say string) string {
	var text strings.Builder
	text.WriteString("This is a task under way, which you take over. What was said and done so far:\n")
	for _, m := range history {
		switch m.Role {
		case models.RoleUser:
			fmt.Fprintf(&text, "\n[user]\n%s\n", m.Text)
		case models.RoleAssistant:
			fmt.Fprintf(&text, "\n[you]\n%s\n", m.Text)
			for _, call := range m.Calls {
				fmt.Fprintf(&text, "[you called %s] %s\n", call.Name, compact(call.Args))
			}
		case models.RoleTool:
			fmt.Fprintf(&text, "[result]\n%s\n", m.Text)
		}
	}
	if say == "" {
		say = "Go on with the task from here. Do not repeat calls that were answered."
	}
	return text.String() + "\n" + say
}

func compact(args json.RawMessage) string {
	const limit = 4000
	if len(args) > limit {
		return string(args[:limit]) + "…"
	}
	return string(args)
}
