package store

import (
	"context"
	"fmt"
	"sort"
)

type label struct{ name, value string }

func sortedLabels(labels map[string]string) []label {
	sorted := make([]label, 0, len(labels))
	for name, value := range labels {
		sorted = append(sorted, label{name, value})
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].name < sorted[j].name })
	return sorted
}

// rarestFirst puts the label with the fewest runs in front: its index is read, the others are looked up for each run of
// it. Counting stops early, as past that one label is as good as another.
func (s *Store) rarestFirst(ctx context.Context, labels []label) error {
	const enough = 1000
	least := enough + 1
	for i, l := range labels {
		var count int
		err := s.read.DB.QueryRowContext(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM labels WHERE name = ? AND value = ? LIMIT ?)",
			l.name, l.value, enough).Scan(&count)
		if err != nil {
			return fmt.Errorf("count the runs of label %s: %w", l.name, err)
		}
		if count < least {
			least = count
			labels[0], labels[i] = labels[i], labels[0]
		}
	}
	return nil
}
