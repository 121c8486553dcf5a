package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

func (s *Server) revisionRoutes() {
	tags := []string{"agents"}
	register(s, huma.Operation{
		OperationID: "listRevisions", Method: http.MethodGet, Path: "/v2/agents/{id}/revisions", Tags: tags,
		Summary: "List an agent's revisions, newest first, whole",
	}, s.listRevisions)
	register(s, huma.Operation{
		OperationID: "getRevision", Method: http.MethodGet, Path: "/v2/agents/{id}/revisions/{n}", Tags: tags,
		Summary: "Get one revision of an agent",
	}, s.getRevision)
}

type listRevisionsInput struct {
	AgentPath
	PageQuery
}

func (s *Server) listRevisions(ctx context.Context, in *listRevisionsInput) (*listOutput[revisionView], error) {
	revisions, next, err := s.store.Revisions(ctx, in.ID, in.ask())
	return listed(revisions, next, err, viewRevision)
}

type getRevisionInput struct {
	AgentPath
	N int64 `path:"n" minimum:"1" doc:"The revision's number."`
	IfNoneMatch
}

func (s *Server) getRevision(ctx context.Context, in *getRevisionInput) (*tagged[revisionView], error) {
	revision, err := s.store.Revision(ctx, in.ID, in.N)
	if err != nil {
		return nil, err
	}
	return tag(viewRevision(revision), "", in.IfNoneMatch)
}
