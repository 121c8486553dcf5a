package cases

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agentrun/agentrun/dsl"
)

// Problem is one thing that came out otherwise than a case expects: where, what was wanted and what there is.
type Problem struct{ What, Want, Got string }

// String is the problem in a few lines.
func (p Problem) String() string {
	if p.Want == "" {
		return p.What + ": " + p.Got
	}
	return fmt.Sprintf("%s\n    want %s\n    got  %s", p.What, p.Want, p.Got)
}

// Report is the problems as text, a dash before each.
func Report(problems []Problem) string {
	var text strings.Builder
	for _, problem := range problems {
		fmt.Fprintf(&text, "  - %s\n", problem)
	}
	return text.String()
}

const (
	maxDifferences = 10
	maxShown       = 300
	absent         = "nothing"
)

// differences names the places where two values differ, the deepest that can be named.
func differences(what string, want, got any) []Problem {
	found := differ(nil, what, want, got)
	if len(found) > maxDifferences {
		more := Problem{What: what, Got: fmt.Sprintf("and %d more differences", len(found)-maxDifferences)}
		found = append(found[:maxDifferences:maxDifferences], more)
	}
	return found
}

func differ(found []Problem, what string, want, got any) []Problem {
	if dsl.Equal(want, got) {
		return found
	}
	if wanted, ok := want.(*dsl.Object); ok {
		if object, ok := got.(*dsl.Object); ok {
			return differObjects(found, what, wanted, object)
		}
	}
	if wanted, ok := want.([]any); ok {
		if items, ok := got.([]any); ok && len(items) == len(wanted) {
			for i := range wanted {
				found = differ(found, what+"/"+strconv.Itoa(i), wanted[i], items[i])
			}
			return found
		}
	}
	return append(found, Problem{What: what, Want: clipped(dsl.JSON(want)), Got: clipped(dsl.JSON(got))})
}

func differObjects(found []Problem, what string, want, got *dsl.Object) []Problem {
	for key, value := range want.All() {
		other, ok := got.Get(key)
		if !ok {
			found = append(found, Problem{What: what + "/" + key, Want: clipped(dsl.JSON(value)), Got: absent})
			continue
		}
		found = differ(found, what+"/"+key, value, other)
	}
	for key, value := range got.All() {
		if !want.Has(key) {
			found = append(found, Problem{What: what + "/" + key, Want: absent, Got: clipped(dsl.JSON(value))})
		}
	}
	return found
}

// part names the places where a value lacks what another one has; what it has beyond is no difference.
func part(what string, want, got any) []Problem {
	wanted, ok := want.(*dsl.Object)
	object, also := got.(*dsl.Object)
	if !ok || !also {
		return differences(what, want, got)
	}
	var found []Problem
	for key, value := range wanted.All() {
		other, has := object.Get(key)
		if !has {
			found = append(found, Problem{What: what + "/" + key, Want: clipped(dsl.JSON(value)), Got: absent})
			continue
		}
		found = append(found, part(what+"/"+key, value, other)...)
	}
	return found
}

func clipped(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}
