package api

import (
	"errors"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

// PageQuery is the input part of a list. The parts of inputs are exported because the library reads them by reflection.
type PageQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most."`
	Cursor string `query:"cursor" maxLength:"256" doc:"next_cursor of the page before."`
}

func (p PageQuery) ask() store.Page { return store.Page{Limit: p.Limit, Cursor: p.Cursor} }

// list is one page, newest first.
type list[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor" doc:"Null on the last page."`
}

type listOutput[T any] struct{ Body list[T] }

// listed puts a page of the store into the contract's shape.
func listed[T, V any](items []T, next string, err error, view func(T) V) (*listOutput[V], error) {
	if err != nil {
		return nil, pageProblem(err)
	}
	out := list[V]{Data: make([]V, len(items))}
	for i, item := range items {
		out.Data[i] = view(item)
	}
	if next != "" {
		out.NextCursor = &next
	}
	return &listOutput[V]{Body: out}, nil
}

// pageProblem says of a page the store cannot read which parameter is at fault.
func pageProblem(err error) error {
	refusal, ok := errors.AsType[*run.Error](err)
	if ok && refusal.Code == run.ErrInvalid && len(refusal.Issues) > 0 {
		return parameterProblem(refusal.Issues[0].Path, refusal.Issues[0].Message)
	}
	return err
}
