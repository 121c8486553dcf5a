package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// CreateAgent keeps a new agent at revision 1, or refuses with run.ErrAgentExists.
func (s *Store) CreateAgent(ctx context.Context, def run.Definition, warnings []run.Issue) (run.Agent, error) {
	agent, _, err := s.CreateAgentOnce(ctx, def, warnings, Idempotency{})
	return agent, err
}

// CreateAgentOnce is CreateAgent for a request that may be sent twice; replayed says that agent is the first answer.
func (s *Store) CreateAgentOnce(
	ctx context.Context, def run.Definition, warnings []run.Issue, idem Idempotency,
) (agent run.Agent, replayed bool, err error) {
	err = s.writer.do(ctx, func(t *txn) (err error) {
		if replayed, err = t.recall(&idem, &agent); err != nil || replayed {
			return err
		}
		if agent, err = t.createAgent(def, warnings); err != nil {
			return err
		}
		return t.remember(&idem, agent)
	})
	if err != nil {
		return run.Agent{}, false, err
	}
	return agent, replayed, nil
}

func (t *txn) createAgent(def run.Definition, warnings []run.Issue) (run.Agent, error) {
	agent := run.Agent{
		ID: def.ID, Name: def.Name, Kind: def.Kind(), CreatedAt: t.now, Definition: def, Warnings: warnings,
	}
	definition, err := t.revise(&agent, 1)
	if err != nil {
		return agent, err
	}
	listed, err := encode(agent.Warnings)
	if err != nil {
		return agent, err
	}
	_, err = t.exec(t.statements.addAgent, agent.ID, agent.Name, agent.Kind, agent.Revision, agent.HomeETag, definition,
		listed, t.now.UnixMilli(), t.now.UnixMilli())
	if isDuplicate(err) {
		return agent, run.Errorf(run.ErrAgentExists, "there is an agent %s already: choose another id, or PUT its definition",
			agent.ID).With("agent_id", agent.ID)
	}
	if err != nil {
		return agent, fmt.Errorf("write agent %s: %w", agent.ID, err)
	}
	return agent, t.addRevision(agent, definition)
}

// revise sets what a revision's number and definition decide, and returns the definition's text.
func (t *txn) revise(agent *run.Agent, revision int64) (string, error) {
	definition, err := encode(agent.Definition)
	if err != nil {
		return "", run.Errorf(run.ErrInvalid, "the definition of agent %s: %w", agent.ID, err)
	}
	if agent.Warnings == nil {
		agent.Warnings = []run.Issue{}
	}
	sum := sha256.Sum256([]byte(definition))
	agent.Revision, agent.UpdatedAt = revision, t.now
	agent.HomeETag = fmt.Sprintf("%d-%s", revision, hex.EncodeToString(sum[:8]))
	return definition, nil
}

func (t *txn) addRevision(agent run.Agent, definition string) error {
	_, err := t.exec(t.statements.addRevision, agent.ID, agent.Revision, definition, t.now.UnixMilli())
	return wrapf(err, "write revision %d of agent %s", agent.Revision, agent.ID)
}

// PutDefinition gives an agent a new revision if ifMatch is its present HomeETag, else refuses with
// run.ErrRevisionStale; without one it refuses with run.ErrPreconditionMissing. An equal definition makes no revision,
// only its warnings are kept.
func (s *Store) PutDefinition(
	ctx context.Context, id, ifMatch string, def run.Definition, warnings []run.Issue,
) (run.Agent, error) {
	if ifMatch == "" {
		return run.Agent{}, run.Errorf(run.ErrPreconditionMissing,
			"say which revision is replaced: If-Match with the agent's home_etag")
	}
	return s.editAgent(ctx, id, func(t *txn, agent *run.Agent) error {
		if tag := strings.Trim(ifMatch, `"`); tag != "*" && tag != agent.HomeETag {
			return run.Errorf(run.ErrRevisionStale, "agent %s is at revision %d now: read it again and repeat the change", id,
				agent.Revision).With("home_etag", agent.HomeETag).With("revision", agent.Revision)
		}
		return t.putDefinition(agent, def, warnings)
	})
}

func (t *txn) putDefinition(agent *run.Agent, def run.Definition, warnings []run.Issue) error {
	before, err := encode(agent.Definition)
	if err != nil {
		return err
	}
	agent.Warnings = warnings
	after, err := encode(def)
	if err != nil {
		return run.Errorf(run.ErrInvalid, "the definition of agent %s: %w", agent.ID, err)
	}
	definition := before
	if agent.Warnings == nil {
		agent.Warnings = []run.Issue{}
	}
	if before != after {
		agent.Definition, agent.Name = def, def.Name
		if definition, err = t.revise(agent, agent.Revision+1); err != nil {
			return err
		}
		if err := t.addRevision(*agent, definition); err != nil {
			return err
		}
	}
	listed, err := encode(agent.Warnings)
	if err != nil {
		return err
	}
	_, err = t.exec(t.statements.putAgent, agent.Name, agent.Revision, agent.HomeETag, definition, listed,
		agent.UpdatedAt.UnixMilli(), agent.ID)
	return wrapf(err, "write agent %s", agent.ID)
}

// SetAgentArchived archives an agent, which takes it out of the list and lets it make no runs, or brings it back.
func (s *Store) SetAgentArchived(ctx context.Context, id string, archived bool) (run.Agent, error) {
	return s.editAgent(ctx, id, func(t *txn, agent *run.Agent) error {
		if archived == (agent.ArchivedAt != nil) {
			return nil
		}
		agent.ArchivedAt = nil
		var at any
		if archived {
			now := t.now
			agent.ArchivedAt, at = &now, now.UnixMilli()
		}
		_, err := t.exec(t.statements.archiveAgent, archived, at, id)
		return wrapf(err, "archive agent %s", id)
	})
}

func (s *Store) editAgent(ctx context.Context, id string, change func(*txn, *run.Agent) error) (run.Agent, error) {
	var edited run.Agent
	err := s.writer.do(ctx, func(t *txn) error {
		agent, err := oneAgent(t.ctx, t.w.bun.NewSelect().Conn(t.w.conn), id)
		if err != nil {
			return err
		}
		if err := change(t, &agent); err != nil {
			return err
		}
		edited = agent
		return nil
	})
	if err != nil {
		return run.Agent{}, err
	}
	return edited, nil
}
