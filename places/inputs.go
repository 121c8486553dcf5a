package places

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// InputsDir is the directory of a workspace in which the files given to the run are.
const InputsDir = "inputs"

// manifestEntries is the most files a manifest names.
const manifestEntries = 20

// PutInput keeps a file that was given to the run, under inputs/. Its name is as CheckName wants it.
func (w *Workspace) PutInput(name string, content []byte) (run.FileChange, error) {
	if err := CheckName(name); err != nil {
		return run.FileChange{}, err
	}
	return w.Write(InputsDir+"/"+name, content, 0)
}

// Manifest is the line that tells a model what files it was given, each name in quotes and with what could break out of
// them or reorder the line escaped; "" where there are none.
func (v *View) Manifest(ctx context.Context) (string, error) {
	files, more, err := v.walk(ctx, InputsDir)
	if err != nil {
		return "", err
	}
	var entries []string
	for _, file := range files[:min(len(files), manifestEntries)] {
		entries = append(entries, fmt.Sprintf("%s (%s)", strconv.Quote(file.name), HumanSize(file.info.Size())))
	}
	if len(entries) == 0 {
		return "", nil
	}
	line := "Files for this run: " + strings.Join(entries, ", ")
	switch rest := len(files) - len(entries); {
	case more:
		line += ", and others"
	case rest > 0:
		line += fmt.Sprintf(", and %d more", rest)
	}
	return line + ".", nil
}

// FirstMessage is what a run's first message says: its content, followed by the manifest where there is one.
func FirstMessage(content, manifest string) string {
	if manifest == "" || content == "" {
		return content + manifest
	}
	return content + "\n\n" + manifest
}
