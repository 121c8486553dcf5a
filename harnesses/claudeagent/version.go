package claudeagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/google/uuid"

	"github.com/agentrun/agentrun/harnesses/process"
)

// maxVersion bounds what is read of what the program says of its version (bytes).
const maxVersion = 4096

var versionNumber = regexp.MustCompile(`\b\d+\.\d+\.\d+[0-9A-Za-z.+-]*`)

// Version asks the program for its version.
func (d *Driver) Version(ctx context.Context, program string) (version string, err error) {
	home, err := os.MkdirTemp("", "agentrun-version-")
	if err != nil {
		return "", fmt.Errorf("ask claude for its version: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	p, err := process.Start(ctx, process.Options{
		Program: program, Args: []string{"--version"}, Dir: home, Marker: "version-" + uuid.NewString(),
		Env: []string{
			"PATH=/usr/bin:/bin", "HOME=" + home, "CLAUDE_CONFIG_DIR=" + home, "TMPDIR=" + home,
			"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		},
	})
	if err != nil {
		return "", fmt.Errorf("ask claude for its version: %w", err)
	}
	stopped := make(chan error, 1)
	said, over := make(chan []byte, 1), context.AfterFunc(ctx, func() { _ = p.Stop() })
	defer over()
	go func() {
		data, _ := io.ReadAll(io.LimitReader(p.Stdout(), maxVersion))
		said <- data
		stopped <- p.Stop()
	}()
	data, left := <-said, <-stopped
	if left != nil || ctx.Err() != nil {
		return "", fmt.Errorf("ask claude for its version: %w", errors.Join(ctx.Err(), left))
	}
	found := versionNumber.Find(data)
	if found == nil {
		return "", fmt.Errorf("ask claude for its version: it says %q", bounded(string(data), quoted))
	}
	return string(found), nil
}
