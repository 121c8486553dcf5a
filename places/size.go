package places

import "strconv"

// HumanSize says a size in bytes for people: "12 B", "1.5 KB", "64.0 MB" (1 KB is 1,024 bytes).
func HumanSize(bytes int64) string {
	const unit = 1024
	if bytes < unit {
		return strconv.FormatInt(bytes, 10) + " B"
	}
	value := float64(bytes) / unit
	names := []string{"KB", "MB", "GB", "TB", "PB", "EB"}
	// 1,023.95 and more would be rounded to "1024.0".
	for value >= unit-0.05 && len(names) > 1 {
		value /= unit
		names = names[1:]
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + names[0]
}
