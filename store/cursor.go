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

// cursor is the last item of a page in the list's order, which is by at and then by id. Items that are added never move
// it.
type cursor[ID int64 | string] struct {
	at int64 // Unix milliseconds, or a revision's number
	id ID
}

func (p Page) size() (int, error) {
	if p.Limit == 0 {
		return defaultPage, nil
	}
	if p.Limit < 1 || p.Limit > maxPage {
		return 0, run.Invalid(run.Issue{Path: "limit", Code: "out_of_range", Message: "it must be 1 to 200"})
	}
	return p.Limit, nil
}

// startOf is the size of a page and where it starts (nil: at the newest).
func startOf[ID int64 | string](p Page) (size int, after *cursor[ID], err error) {
	if size, err = p.size(); err != nil || p.Cursor == "" {
		return size, nil, err
	}
	c, ok := parseCursor[ID](p.Cursor)
	if !ok {
		return 0, nil, run.Invalid(run.Issue{
			Path: "cursor", Code: "malformed", Message: "it is not a next_cursor of this list",
		})
	}
	return size, &c, nil
}

func (c cursor[ID]) String() string {
	text := strconv.FormatInt(c.at, 10) + ":"
	switch id := any(c.id).(type) {
	case int64:
		text += strconv.FormatInt(id, 10)
	case string:
		text += id
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

func parseCursor[ID int64 | string](text string) (c cursor[ID], ok bool) {
	const longest = 256
	if len(text) > longest {
		return c, false
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return c, false
	}
	at, rest, found := strings.Cut(string(data), ":")
	if !found || rest == "" {
		return c, false
	}
	if c.at, err = strconv.ParseInt(at, 10, 64); err != nil {
		return c, false
	}
	switch id := any(&c.id).(type) {
	case *int64:
		*id, err = strconv.ParseInt(rest, 10, 64)
	case *string:
		*id = rest
	}
	// Only what String writes is a cursor: there is no second spelling of one ("+5", "007").
	return c, err == nil && c.String() == text
}

// cut takes the item past the page's size off a list that was read one longer, and makes the cursor of the next page.
func cut[T any, ID int64 | string](items []T, size int, at func(T) cursor[ID]) ([]T, string) {
	if len(items) <= size {
		return items, ""
	}
	return items[:size], at(items[size-1]).String()
}
