package store

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(crashDir) != "" {
		appendUntilKilled(os.Getenv(crashDir))
		return
	}
	goleak.VerifyTestMain(m)
}
