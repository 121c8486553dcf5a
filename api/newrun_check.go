package api

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// checkAsked reads what was asked as the agent's kind has it, its cap and its files, or refuses it with every fault.
func (s *Server) checkAsked(ask *askedRun, def run.Definition) (*run.USD, error) {
	limit, issue := ask.body.MaxCostUSD.read("max_cost_usd")
	var issues []run.Issue
	if issue != nil {
		issues = append(issues, *issue)
	}
	if def.Kind() == run.KindWorkflow {
		issues = append(issues, ask.readObject(def)...)
	} else {
		read, err := s.readInput(ask)
		if err != nil {
			return nil, err
		}
		issues = append(issues, read...)
	}
	issues = append(issues, run.CheckLabels("labels", ask.body.Labels)...)
	if issues = append(issues, s.fileFaults(ask.files)...); len(issues) > 0 {
		return nil, invalid(issues)
	}
	return limit, nil
}

// readInput reads an agent's input and decodes its files.
func (s *Server) readInput(ask *askedRun) ([]run.Issue, error) {
	if err := s.validateAt("body.input", ask.body.Input.data, &ask.input); err != nil {
		return nil, err
	}
	var issues []run.Issue
	for i, file := range ask.input.Files {
		content, err := base64.StdEncoding.DecodeString(string(file.Content))
		if err != nil {
			issues = append(issues, run.Issue{
				Path: fmt.Sprintf("input.files[%d].content_base64", i), Code: "invalid_format", Message: "is not base64",
			})
		}
		ask.files = append(ask.files, File{Path: file.Path, Content: content})
	}
	if issue := s.messageFault("input.content", ask.input.Content); issue != nil {
		if len(ask.files) == 0 || issue.Code != "too_short" {
			issues = append(issues, *issue)
		}
	}
	return issues, nil
}

// readObject reads a document's input, and checks the document on it: its schema, and that every key a node reads
// exists by then.
func (ask *askedRun) readObject(def run.Definition) []run.Issue {
	input, issue := run.DecodeWorkflow("input", ask.body.Input.data)
	if issue != nil {
		return []run.Issue{*issue}
	}
	document, issue := run.DecodeWorkflow("definition.workflow", def.Workflow)
	if issue != nil {
		return []run.Issue{*issue}
	}
	ask.object, ask.input.Content = ask.body.Input.data, string(ask.body.Input.data)
	found := run.WorkflowIssues("definition.workflow", dsl.Validate(document, dsl.Check{Input: input}))
	var ofInput []run.Issue
	for i := range found {
		if rest, ok := strings.CutPrefix(found[i].Path, "definition.workflow.input"); ok {
			found[i].Path = "input" + rest
			ofInput = append(ofInput, found[i])
		}
	}
	if len(ofInput) > 0 {
		return ofInput // what the document lacks follows from it
	}
	return found
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
