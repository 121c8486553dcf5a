package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentrun/agentrun/client"
)

// attachments reads the files to send. The run sees each by its base name, so two of one name are refused.
func attachments(paths []string) ([]client.File, error) {
	var files []client.File
	from := map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if other, taken := from[name]; taken {
			return nil, fmt.Errorf("--file %s: %s has the same name %q, and a run sees a file by its name", path, other, name)
		}
		from[name] = path
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("--file: %w", err)
		}
		files = append(files, client.File{Path: name, Content: content})
	}
	return files, nil
}
