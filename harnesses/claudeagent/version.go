package claudeagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/agentrun/agentrun/harnesses/process"
)

// maxVersion bounds what is read of what the program says of its version (bytes).
const maxVersion = 4096

// versionLine is what the program says: "2.1.332 (Claude Code)".
var versionLine = regexp.MustCompile(`^(\d+\.\d+\.\d+[0-9A-Za-z.+-]*) \(Claude Code\)`)

// Version asks the program for its version.
func (d *Driver) Version(ctx context.Context, program, home string) (string, error) {
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
	found := versionLine.FindSubmatch(data)
	if found == nil {
		return "", fmt.Errorf("it is not Claude Code: its version is %q", bounded(strings.TrimSpace(string(data)), quoted))
	}
	return string(found[1]), nil
}
