package api

import (
	"encoding/base64"
	"fmt"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// checkAsked lists the faults of what was asked, reads its cap and decodes its files.
func (s *Server) checkAsked(ask *askedRun) (*run.USD, []run.Issue) {
	var issues []run.Issue
	for i, file := range ask.body.Input.Files {
		content, err := base64.StdEncoding.DecodeString(string(file.Content))
		if err != nil {
			issues = append(issues, run.Issue{
				Path: fmt.Sprintf("input.files[%d].content_base64", i), Code: "invalid_format", Message: "is not base64",
			})
		}
		ask.files = append(ask.files, File{Path: file.Path, Content: content})
	}
	limit, issue := ask.body.MaxCostUSD.read("max_cost_usd")
	if issue != nil {
		issues = append(issues, *issue)
	}
	if issue := s.messageFault("input.content", ask.body.Input.Content); issue != nil {
		if len(ask.files) == 0 || issue.Code != "too_short" {
			issues = append(issues, *issue)
		}
	}
	issues = append(issues, run.CheckLabels("labels", ask.body.Labels)...)
	return limit, append(issues, s.fileFaults(ask.files)...)
}

func (s *Server) fileFaults(files []File) []run.Issue {
	if len(files) > s.limits.RunFiles {
		return []run.Issue{{
			Path: "input.files", Code: "too_long", Message: fmt.Sprintf("must have at most %d files", s.limits.RunFiles),
		}}
	}
	var issues []run.Issue
	seen := map[string]bool{}
	for i, file := range files {
		path := fmt.Sprintf("input.files[%d].path", i)
		if err := places.CheckName(file.Path); err != nil {
			issues = append(issues, run.Issue{Path: path, Code: run.ErrInvalidPath, Message: err.Error()})
			continue
		}
		if seen[file.Path] {
			issues = append(issues, run.Issue{Path: path, Code: "duplicate_item", Message: "is given a second time"})
		}
		seen[file.Path] = true
	}
	for i, file := range files {
		if folder, ok := fileAsFolder(file.Path, seen); ok {
			issues = append(issues, run.Issue{
				Path: fmt.Sprintf("input.files[%d].path", i), Code: run.ErrInvalidPath,
				Message: fmt.Sprintf("needs a folder %q, which is another file", folder),
			})
		}
	}
	return issues
}

// fileAsFolder finds a folder of a path that is a file itself.
func fileAsFolder(path string, files map[string]bool) (string, bool) {
	for i := range len(path) {
		if path[i] == '/' && files[path[:i]] {
			return path[:i], true
		}
	}
	return "", false
}
