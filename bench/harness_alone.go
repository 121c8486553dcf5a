package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/agentrun/agentrun/tools"
)

// launch is how the server started a program: the baseline is started the same, so that only what is around it differs.
type launch struct {
	args, env []string
	dir       string
	files     map[string]string
}

// launched looks at the program of a run that is under way, and at the files its driver wrote.
func (s *server) launched(runID string, files []string) (launch, error) {
	folders, _ := filepath.Glob(filepath.Join(s.dir, "runs", runID, "harness", "*"))
	if len(folders) != 1 {
		return launch{}, fmt.Errorf("run %s has %d sessions", runID, len(folders))
	}
	seen := launch{dir: folders[0], files: map[string]string{}}
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(seen.dir, name))
		if err != nil {
			return launch{}, err
		}
		seen.files[name] = string(data)
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		env, err := os.ReadFile(filepath.Join(process, "environ"))
		if err != nil || !bytes.Contains(env, []byte("AGENTRUN_HARNESS="+runID+"/")) {
			continue
		}
		args, err := os.ReadFile(filepath.Join(process, "cmdline"))
		if err != nil {
			return launch{}, err
		}
		seen.args = strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")
		for variable := range strings.SplitSeq(strings.TrimSuffix(string(env), "\x00"), "\x00") {
			if !strings.HasPrefix(variable, "AGENTRUN_HARNESS=") {
				seen.env = append(seen.env, variable)
			}
		}
		return seen, nil
	}
	return launch{}, fmt.Errorf("run %s has no program under way", runID)
}

// endpoint is the address of a session's proxy with its secret.
var endpoint = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[\w-]{43}`)

// to is a text of the launch for another folder, and for the gateway itself instead of the server's proxy.
func (l launch) to(text, dir, url string) string {
	return endpoint.ReplaceAllLiteralString(strings.ReplaceAll(text, l.dir, dir), url)
}

// alone is a program that is asked straight and asks the gateway straight.
type alone struct {
	model, words, work string
	input              *bufio.Writer
	calls              int
}

// dialogue takes the lines of a program and tells when it has ended its turn.
type dialogue interface {
	begin() error
	take(line []byte) (ended bool, err error)
}

// alone does the task with the program alone.
func (p pairing) alone(ctx context.Context, words string) (taskTimes, error) {
	dir, err := os.MkdirTemp(p.b.dir, "alone-")
	if err != nil {
		return taskTimes{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range []string{"home", "config", "tmp", "work"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return taskTimes{}, err
		}
	}
	for name, text := range p.seen.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(p.seen.to(text, dir, p.g.url)), 0o600); err != nil {
			return taskTimes{}, err
		}
	}
	mark := p.g.mark()
	command := exec.CommandContext(ctx, p.seen.args[0])
	command.Args, command.Env, command.Dir = nil, nil, filepath.Join(dir, "work")
	for _, arg := range p.seen.args {
		command.Args = append(command.Args, p.seen.to(arg, dir, p.g.url))
	}
	for _, variable := range p.seen.env {
		command.Env = append(command.Env, p.seen.to(variable, dir, p.g.url))
	}
	_, model, _ := strings.Cut(p.c.model, "/")
	began, ended, err := drive(command, &alone{model: model, words: words, work: command.Dir}, p.c.speak)
	if err != nil {
		return taskTimes{}, fmt.Errorf("the program alone: %w", err)
	}
	records, err := p.g.task(ctx, mark)
	if err != nil {
		return taskTimes{}, fmt.Errorf("the program alone: %w", err)
	}
	times := timesOf(records, began)
	times.whole = ended.Sub(began)
	return times, nil
}

// drive speaks with a program until its turn has ended.
func drive(command *exec.Cmd, a *alone, speak func(*alone) dialogue) (began, ended time.Time, err error) {
	input, err := command.StdinPipe()
	if err != nil {
		return began, ended, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return began, ended, err
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	began = time.Now()
	if err := command.Start(); err != nil {
		return began, ended, err
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	a.input = bufio.NewWriter(input)
	with := speak(a)
	if err := with.begin(); err != nil {
		return began, ended, err
	}
	reader := bufio.NewReader(output)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return began, ended, fmt.Errorf("it ended before its turn did: %w %s", err, stderr.String())
		}
		over, err := with.take(line)
		switch {
		case err != nil:
			return began, ended, err
		case over && a.calls != turns:
			return began, ended, fmt.Errorf("it made %d calls of tools, not %d", a.calls, turns)
		case over:
			return began, time.Now(), nil
		}
	}
}

func (a *alone) send(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := a.input.Write(append(line, '\n')); err != nil {
		return err
	}
	return a.input.Flush()
}

// call does a call of the tool write.
func (a *alone) call(arguments json.RawMessage) (string, error) {
	var write struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(arguments, &write); err != nil {
		return "", err
	}
	if write.Path == "" || write.Content == "" {
		return "", errors.New("a call that writes nothing: " + string(arguments))
	}
	a.calls++
	if err := os.WriteFile(filepath.Join(a.work, filepath.Base(write.Path)), []byte(write.Content), 0o600); err != nil {
		return "", err
	}
	return fmt.Sprintf("Wrote %d bytes to %s.", len(write.Content), write.Path), nil
}

// listed are the tools as the program is told of them.
func listed(more func(name string) map[string]any) []map[string]any {
	var list []map[string]any
	for _, name := range offered {
		if tool, ok := tools.Lookup(name); ok {
			entry := more(name)
			entry["name"], entry["description"], entry["inputSchema"] = name, tool.Description, tool.Schema
			list = append(list, entry)
		}
	}
	return list
}
