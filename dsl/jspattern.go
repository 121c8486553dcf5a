package dsl

import "github.com/dlclark/regexp2/v2"

// Patterns that look around or back are matched by backtracking, which nothing else can stop: after the default time
// bound they end as if nothing matched, and by then the computation has been told to stop.
func init() { //nolint:gochecknoinits // the library has no other way to bound the patterns that the engine compiles
	regexp2.DefaultMatchTimeout = defaultComputeTime
}
