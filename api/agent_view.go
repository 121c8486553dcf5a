package api

import "github.com/agentrun/agentrun/run"

// agentView is an agent as the contract shows it: its times are spelled the contract's way, and its warnings are those
// of this moment, not of the day it was saved.
type agentView struct {
	run.Agent
	Warnings   []run.Issue       `json:"warnings"`
	CreatedAt  timestamp         `json:"created_at"`
	UpdatedAt  timestamp         `json:"updated_at"`
	ArchivedAt orNull[timestamp] `json:"archived_at"`
}

// agentViewer shows agents, all against what the server has at one moment.
func (s *Server) agentViewer() func(run.Agent) agentView {
	known := s.known()
	known.Schema = nil // a schema was looked at when it was saved
	return func(a run.Agent) agentView {
		_, warnings := a.Definition.Check(known)
		return agentView{
			Agent: a, Warnings: append([]run.Issue{}, warnings...), CreatedAt: timestamp(a.CreatedAt),
			UpdatedAt: timestamp(a.UpdatedAt), ArchivedAt: timeOrNull(a.ArchivedAt),
		}
	}
}

// revisionView is a revision as the contract shows it.
type revisionView struct {
	run.Revision
	CreatedAt timestamp `json:"created_at"`
}

func viewRevision(r run.Revision) revisionView {
	return revisionView{Revision: r, CreatedAt: timestamp(r.CreatedAt)}
}
