// Package run owns the words of the domain: agents and their definitions, runs and their status, journal rows, money
// and usage. It is pure: no clock of its own, no I/O, no database, no HTTP, and it imports nothing of ours but dsl.
package run
