package dsl

// Bounds of the search for the name that an author meant.
const (
	maxSuggestBytes = 40
	maxSuggestNames = 60
	maxSuggestEdits = 2
)

// suggestion ends a message with the name that is nearest to the one written; "" where none is near.
func suggestion(written string, names []string) string {
	best, edits := "", maxSuggestEdits+1
	for _, name := range names[:min(len(names), maxSuggestNames)] {
		if d := distance(written, name); d < edits && d < len(name) {
			best, edits = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is how many bytes must be put in, taken out or changed to make one text the other; of long texts, many.
func distance(a, b string) int {
	if len(a) > maxSuggestBytes || len(b) > maxSuggestBytes {
		return maxSuggestBytes
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
