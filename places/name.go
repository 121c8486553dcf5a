package places

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentrun/agentrun/run"
)

// Limits of names, in bytes: those of common file systems, with room for the directory a workspace is in.
const (
	maxNameBytes      = 1024
	maxComponentBytes = 255
)

// CheckName refuses, with run.ErrInvalidPath, every name that is not a plain relative path with slashes: absolute and
// empty names, empty components, "..", dotfiles (any component that starts with a dot), NUL, text that is not UTF-8,
// and names over 1,024 bytes or 255 bytes a component.
func CheckName(name string) error {
	switch {
	case name == "":
		return invalidName(name, "it is empty")
	case len(name) > maxNameBytes:
		return invalidName(name, "it is longer than 1,024 bytes")
	case !utf8.ValidString(name):
		return invalidName(name, "it is not UTF-8")
	case strings.ContainsRune(name, 0):
		return invalidName(name, "it holds a NUL byte")
	case strings.HasPrefix(name, "/") || filepath.IsAbs(filepath.FromSlash(name)):
		return invalidName(name, "it is absolute; paths are relative to the working directory")
	}
	for component := range strings.SplitSeq(name, "/") {
		switch {
		case component == "":
			return invalidName(name, "it has an empty component")
		case component == "..":
			return invalidName(name, `it has a ".." component`)
		case component[0] == '.':
			return invalidName(name, "a component starts with a dot")
		case len(component) > maxComponentBytes:
			return invalidName(name, "a component is longer than 255 bytes")
		}
	}
	return nil
}

// Resolve is the workspace's own name for a path as a model may write it: "./" in front, or the workspace's own
// absolute path, are taken off. Everything else that CheckName refuses stays refused.
func (v *View) Resolve(path string) (string, error) {
	name := path
	if rest, ok := strings.CutPrefix(name, filepath.ToSlash(v.dir)); ok && (rest == "" || rest[0] == '/') {
		name = strings.TrimPrefix(rest, "/")
	}
	for strings.HasPrefix(name, "./") {
		name = name[len("./"):]
	}
	if err := CheckName(name); err != nil {
		if path != "" && (name == "" || name == ".") {
			return "", invalidName(path, "it is the working directory itself")
		}
		return "", err
	}
	return name, nil
}

func invalidName(name, why string) error {
	return run.Errorf(run.ErrInvalidPath, "%q is no path of a file here: %s", clip(name), why).With("path", clip(name))
}

// clip keeps a refusal short where the name is not.
func clip(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
