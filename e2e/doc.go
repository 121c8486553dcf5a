// Package e2e tests the built binary from outside: real processes, real HTTP, the real engine. Its model is the scripted
// gateway, inside the test's own process where a test must count what was asked across crashes of the server.
package e2e
