package client

import (
	"net/url"
	"strconv"
)

// Page asks for one page of a list, newest first.
type Page struct {
	// Limit is how many to give at most (0: the server's default of 50).
	Limit int
	// Cursor is the Next of the page before ("" for the first).
	Cursor string
}

// List is one page. Next is "" on the last one.
type List[T any] struct {
	Data []T     `json:"data"`
	Next *string `json:"next_cursor"`
}

// NextPage is the page after this one; ok is false on the last.
func (l List[T]) NextPage(p Page) (next Page, ok bool) {
	if l.Next == nil || *l.Next == "" {
		return Page{}, false
	}
	return Page{Limit: p.Limit, Cursor: *l.Next}, true
}

func (p Page) query(q url.Values) url.Values {
	if p.Limit > 0 {
		q.Set("limit", strconv.Itoa(p.Limit))
	}
	if p.Cursor != "" {
		q.Set("cursor", p.Cursor)
	}
	return q
}
