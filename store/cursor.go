package store

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// Page asks for a part of a list, newest first. The zero Page is the first 50.
type Page struct {
	// Limit is how many at most, 1 to 200 (0: 50).
	Limit int
	// Cursor is where the page before ended, as that page said ("": the first page).
	Cursor string
}

const (
	defaultPage = 50
	maxPage     = 200
)

// cursor is the last item of a page in the list's order. Items that come later than the page never move it.
type cursor struct {
	at int64 // Unix milliseconds, or a revision's number
	id string
}

func (p Page) read() (limit int, after *cursor, err error) {
	limit = p.Limit
	if limit == 0 {
		limit = defaultPage
	}
	if limit < 1 || limit > maxPage {
		return 0, nil, run.Invalid(run.Issue{Path: "limit", Code: "out_of_range", Message: "it must be 1 to 200"})
	}
	if p.Cursor == "" {
		return limit, nil, nil
	}
	c, ok := parseCursor(p.Cursor)
	if !ok {
		return 0, nil, run.Invalid(run.Issue{
			Path: "cursor", Code: "malformed", Message: "it is not a next_cursor of this list",
		})
	}
	return limit, &c, nil
}

func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.at, 10) + ":" + c.id))
}

func parseCursor(text string) (cursor, bool) {
	const longest = 256
	if len(text) > longest {
		return cursor{}, false
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return cursor{}, false
	}
	at, id, found := strings.Cut(string(data), ":")
	if !found || id == "" {
		return cursor{}, false
	}
	number, err := strconv.ParseInt(at, 10, 64)
	c := cursor{at: number, id: id}
	// Only what String writes is a cursor: no second spelling of one ("+5", base64 with line breaks).
	return c, err == nil && c.String() == text
}

// cut takes the item past the limit off a list that was read one longer, and makes the cursor of the next page.
func cut[T any](items []T, limit int, at func(T) cursor) ([]T, string) {
	if len(items) <= limit {
		return items, ""
	}
	return items[:limit], at(items[limit-1]).String()
}
