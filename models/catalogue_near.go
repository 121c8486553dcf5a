package models

import (
	"cmp"
	"slices"
	"strings"
)

// hint is what is said where nothing comes near.
const hint = "; a model is named provider/name, and models.json names more"

// near says the few listed ids that are most like the one asked for, where any are.
func (c *Catalogue) near(id string) string {
	const most, longest = 5, 200
	type candidate struct {
		id       string
		distance int
	}
	var candidates []candidate
	wanted := nameOf(id)
	if wanted == "" || len(id) > longest {
		return hint
	}
	for _, model := range c.List() {
		if isJudge(model) {
			continue
		}
		distance := min(editDistance(wanted, nameOf(model.ID)), editDistance(id, model.ID))
		if distance <= len(wanted)/3 {
			candidates = append(candidates, candidate{model.ID, distance})
		}
	}
	if len(candidates) == 0 {
		return hint
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var ids []string
	for _, found := range candidates[:min(most, len(candidates))] {
		ids = append(ids, found.id)
	}
	return "; near: " + strings.Join(ids, ", ")
}

// nameOf is an id without its provider.
func nameOf(id string) string {
	_, name, found := strings.Cut(id, "/")
	if !found {
		return id
	}
	return name
}

// editDistance is how many bytes must be put in, taken out or changed to make one text of the other.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
