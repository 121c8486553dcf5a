package models

import (
	"net/http"
	"strconv"
	"time"
)

// maxRetryAfter bounds how long a provider may ask to wait.
const maxRetryAfter = 24 * time.Hour

// retryAfter is how long the headers of an answer ask to wait, 0 where they do not say: milliseconds in Retry-After-Ms,
// seconds or an HTTP date in Retry-After.
func retryAfter(header http.Header) time.Duration {
	if wait, ok := delay(header.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait
	}
	value := header.Get("Retry-After")
	if wait, ok := delay(value, time.Second); ok {
		return wait
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(0, time.Until(at)), maxRetryAfter)
	}
	return 0
}

func delay(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= 0) {
		return 0, false
	}
	if n >= float64(maxRetryAfter/unit) {
		return maxRetryAfter, true
	}
	return time.Duration(n * float64(unit)), true
}
