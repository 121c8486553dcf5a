package faux

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentrun/agentrun/run"
)

// ErrScript is the code of the *run.Error that refuses a script; its issues carry the paths.
const ErrScript = "invalid_script"

// MaxScriptBytes is the largest script that is read.
const MaxScriptBytes = 1 << 20

//go:embed scripts/*.yaml
var builtins embed.FS

// Builtins lists the names of the ready scripts.
func Builtins() []string {
	entries, err := builtins.ReadDir("scripts")
	if err != nil {
		panic(fmt.Sprintf("faux: the embedded scripts: %v", err))
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return names
}

// BuiltinText is the text of a ready script, to start one's own from.
func BuiltinText(name string) ([]byte, error) {
	data, err := builtins.ReadFile(path.Join("scripts", name+".yaml"))
	if err != nil {
		return nil, run.Errorf(run.ErrNotFound, "no ready script is called %q; there are %s", name, strings.Join(Builtins(), ", "))
	}
	return data, nil
}

// Default is the ready script "default".
func Default() Script {
	script, err := Load("default")
	if err != nil {
		panic(fmt.Sprintf("faux: the embedded script: %v", err))
	}
	return script
}

// Load reads a script: a ready one by its name, else the JSON or YAML file at that path.
func Load(nameOrPath string) (Script, error) {
	if slices.Contains(Builtins(), nameOrPath) {
		data, err := BuiltinText(nameOrPath)
		if err != nil {
			return Script{}, err
		}
		return Parse(data)
	}
	info, err := os.Stat(nameOrPath)
	if errors.Is(err, fs.ErrNotExist) {
		return Script{}, run.Errorf(run.ErrNotFound, "no script at %q, and no ready script of that name (%s)",
			nameOrPath, strings.Join(Builtins(), ", "))
	}
	if err == nil && info.Size() > MaxScriptBytes {
		return Script{}, tooLarge()
	}
	data, err := os.ReadFile(nameOrPath)
	if err != nil {
		return Script{}, fmt.Errorf("read the script: %w", err)
	}
	script, err := Parse(data)
	if refused, ok := errors.AsType[*run.Error](err); ok {
		return Script{}, refused.With("file", nameOrPath)
	}
	return script, err
}

// Parse reads a script of JSON or YAML and checks it whole. What it refuses is a *run.Error of code ErrScript.
func Parse(data []byte) (Script, error) {
	if len(data) > MaxScriptBytes {
		return Script{}, tooLarge()
	}
	text, err := toJSON(data)
	if err != nil {
		return Script{}, refuse(run.Issue{Path: "script", Code: "unreadable", Message: err.Error()})
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return Script{}, refuse(run.Issue{Path: "script", Code: "unreadable", Message: err.Error()})
	}
	if issues := schemaIssues(document); len(issues) > 0 {
		return Script{}, refuse(issues...)
	}
	var script Script
	if err := json.Unmarshal(text, &script); err != nil {
		return Script{}, refuse(run.Issue{Path: "script", Code: "invalid", Message: err.Error()})
	}
	if _, err := compile(script); err != nil {
		return Script{}, err
	}
	return script, nil
}

func refuse(issues ...run.Issue) *run.Error {
	refused := run.Invalid(issues...)
	refused.Code = ErrScript
	refused.Message = "the script has faults; each is listed with its path"
	return refused
}

func tooLarge() *run.Error {
	return refuse(run.Issue{
		Path: "script", Code: "too_large",
		Message: fmt.Sprintf("is larger than %d bytes, the most that is read", MaxScriptBytes),
	})
}
