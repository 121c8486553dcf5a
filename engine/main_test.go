package engine

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
)

// shared is the one server of this package's tests: about a hundred goroutines stay behind whenever one stops. What
// needs a start of its own runs in a child process (child_test.go).
var shared *Engine

func TestMain(m *testing.M) {
	if scene := os.Getenv(childScene); scene != "" {
		os.Exit(playChild(scene))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "engine")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	shared, err = Start(context.Background(), Options{Dir: dir, Log: log, Public: "/temporal"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := shared.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// deadline bounds what a test waits for.
const deadline = 20 * time.Second

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	return ctx
}

func dialShared(t testing.TB) client.Client {
	t.Helper()
	c, err := Dial(within(t), shared.Connection(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// eventually calls check until it is true.
func eventually(t testing.TB, what string, check func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if check() {
			return
		}
	}
	t.Fatalf("not within %s: %s", deadline, what)
}
