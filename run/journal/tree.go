package journal

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

// sessionMark parts the name of a session from the rest of a row's key, effectMark that of a document's call, wait or
// event. A node's path may hold either, so the last one counts.
const (
	sessionMark = "!"
	effectMark  = "#"
)

// SessionKey is the key of a session's row: of the run's own where session is "".
func SessionKey(session, part string) string {
	if session == "" {
		return part
	}
	return session + sessionMark + part
}

// NodeKey is the key of a row that a node writes outside of any session.
func NodeKey(path, part string) string { return path + effectMark + part }

// sessionOf is the session whose row has the key, "" for the run's own.
func sessionOf(key string) string {
	if strings.LastIndex(key, effectMark) > strings.LastIndex(key, sessionMark) {
		return ""
	}
	return key[:max(0, strings.LastIndex(key, sessionMark))]
}

// Effect is one attempt of a document's call.
type Effect struct {
	Args  json.RawMessage
	Proof *run.ToolProof
	// Outcome is nil while the attempt has not ended.
	Outcome *run.EffectOutcome
}

// Tree folds the rows of a run: its own in Fold, those of each session of a workflow document in a Fold of its own,
// and what its nodes did outside of sessions. Money, people's wishes and the end are the run's own.
type Tree struct {
	Fold
	sessions map[string]*Fold
	effects  map[string]*Effect
	waits    map[string]time.Time
	noted    map[uint64]struct{}
	// refused are the sessions whose request the cap refused, in that order.
	inLine []string
	// Supplied is what people supplied to the run when it had escalated.
	Supplied run.Supplies
}

// Apply folds one row.
func (t *Tree) Apply(row run.Row) error {
	if strings.LastIndex(row.Key, effectMark) > strings.LastIndex(row.Key, sessionMark) {
		return t.applyNode(row)
	}
	session := sessionOf(row.Key)
	if session == "" {
		if err := t.Fold.Apply(row); err != nil {
			return err
		}
		if err := t.Supplied.Apply(row); err != nil {
			return err
		}
		t.woke(row.Type)
		return nil
	}
	if err := t.passed(row); err != nil {
		return err
	}
	own := t.Session(session)
	if err := own.Apply(row); err != nil {
		return err
	}
	switch {
	case own.phase == PhaseRefused && row.Type == run.RowRequestStarted:
		t.inLine = append(t.inLine, session)
	case row.Type == run.RowRequestStarted, row.Type == run.RowRequestEnded:
		t.ReleaseOne()
	}
	return nil
}

// ReleaseOne has the request that was refused first, of those that the cap now buys, looked at again, and tells whether
// there was one. Beside a request that holds all that is left the others wait in line, instead of asking again and again.
func (t *Tree) ReleaseOne() bool {
	for i, name := range t.inLine {
		session := t.sessions[name]
		if session == nil || session.phase != PhaseRefused {
			t.inLine = slices.Delete(t.inLine, i, i+1)
			return t.ReleaseOne()
		}
		if needs := session.refused.NeedsUSD; needs == nil || budget.Buys(t.Cap, t.Ledger, *needs) {
			t.inLine = slices.Delete(t.inLine, i, i+1)
			session.released()
			return true
		}
	}
	return false
}

// passed counts a row that is not of the run's own conversation.
func (t *Tree) passed(row run.Row) error {
	t.version++
	t.head = max(t.head, row.Seq)
	return t.Projection.Apply(row)
}

// woke lets sessions go on where a person let the run go on.
func (t *Tree) woke(kind run.RowType) {
	for _, session := range t.sessions {
		switch kind {
		case run.RowCapChanged:
			session.released()
		case run.RowUserMessage, run.RowResumed:
			session.restarted()
		}
	}
}

func (t *Tree) applyNode(row run.Row) error {
	if err := t.passed(row); err != nil {
		return err
	}
	name := row.Key[:max(0, strings.LastIndex(row.Key, "/"))]
	switch row.Type {
	case run.RowToolUse:
		var use run.ToolUse
		if err := row.Decode(&use); err != nil {
			return err
		}
		effect := t.effect(name)
		effect.Args = use.Args
		if len(row.Private) > 0 {
			effect.Proof = new(run.ToolProof)
			return row.DecodePrivate(effect.Proof)
		}
	case run.RowToolResult:
		effect := t.effect(name)
		effect.Outcome = new(run.EffectOutcome)
		return row.DecodePrivate(effect.Outcome)
	case run.RowWaitStarted:
		var wait run.WaitStarted
		if err := row.Decode(&wait); err != nil {
			return err
		}
		if t.waits == nil {
			t.waits = map[string]time.Time{}
		}
		t.waits[row.Key] = wait.Until
	default:
		if t.noted == nil {
			t.noted = map[uint64]struct{}{}
		}
		t.noted[NameOf(row.Key)] = struct{}{}
	}
	return nil
}

func (t *Tree) effect(name string) *Effect {
	if t.effects == nil {
		t.effects = map[string]*Effect{}
	}
	if t.effects[name] == nil {
		t.effects[name] = &Effect{}
	}
	return t.effects[name]
}

// Effect is the attempt with the name (a NodeKey), nil where it never began.
func (t *Tree) Effect(name string) *Effect { return t.effects[name] }

// Wait is until when the wait of the key lasts; ok is false where it never began.
func (t *Tree) Wait(key string) (until time.Time, ok bool) {
	until, ok = t.waits[key]
	return until, ok
}

// Noted tells whether the journal has an event's row.
func (t *Tree) Noted(key string) bool {
	_, ok := t.noted[NameOf(key)]
	return ok
}

var names = maphash.MakeSeed() //nolint:gochecknoglobals // one for the process: the numbers leave it nowhere

// NameOf is a number for a long key: a document may note millions of them.
func NameOf(key string) uint64 { return maphash.String(names, key) }

// Session is the fold of a session, made where there is none yet.
func (t *Tree) Session(name string) *Fold {
	if name == "" {
		return &t.Fold
	}
	if t.sessions == nil {
		t.sessions = map[string]*Fold{}
	}
	if t.sessions[name] == nil {
		t.sessions[name] = newSession()
	}
	return t.sessions[name]
}

// Forget drops a session that nothing more will be asked of.
func (t *Tree) Forget(name string) { delete(t.sessions, name) }

// Asked is the digest of the first request of a session, "" where there is none.
func (t *Tree) Asked(name string) string {
	if session := t.sessions[name]; session != nil {
		return session.firstAsk
	}
	return ""
}

// PositionOf is where a session stands, with what is the run's own: its version, inbox, spend and end.
func (t *Tree) PositionOf(name string, window int64) Position {
	position := t.Session(name).Position(window)
	if name == "" {
		return position
	}
	position.Version, position.Inbox, position.SpentUSD = t.version, t.inbox(), t.Ledger.Known.String()
	if t.ended {
		position.Phase = PhaseEnded
	}
	return position
}

// OpenAttempts are those that have begun and not ended, of every session.
func (t *Tree) OpenAttempts() []*Attempt {
	var open []*Attempt
	if t.open != nil {
		open = append(open, t.open)
	}
	for _, session := range t.sessions {
		if session.open != nil {
			open = append(open, session.open)
		}
	}
	return open
}

// Refusals are the attempts that the cap refused last, of every session.
func (t *Tree) Refusals() []*run.RequestStarted {
	var refused []*run.RequestStarted
	if t.phase == PhaseRefused {
		refused = append(refused, t.refused)
	}
	for _, session := range t.sessions {
		if session.phase == PhaseRefused {
			refused = append(refused, session.refused)
		}
	}
	return refused
}
