//go:build !failpoints

package activities

// failpoint does nothing in a build for use; the crash tests build with the tag failpoints.
func failpoint(string, string) {}
