package agentrun_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/agentrun/agentrun"

// rooms lists the top-level folders from the top of the house to its ground: a room imports only rooms below it, and
// within itself as it likes. ARCHITECTURE.md says what each one owns.
var rooms = []string{
	"e2e", "bench",
	"cmd", "client", "api", "console", "worker", "engine", "workflows", "activities", "harnesses", "tools", "places",
	"models", "dsl", "door", "importer", "store", "secrets", "run", "examples",
}

// forbidden says what a room must not touch, by prefixes of import paths: the "must not" of ARCHITECTURE.md.
var forbidden = map[string][]string{
	"api":       {"go.temporal.io/", "database/sql", "modernc.org/", "github.com/uptrace/bun"},
	"client":    {"go.temporal.io/", module + "/api"},
	"dsl":       {module + "/"},
	"engine":    {module + "/run"},
	"run":       {"net", "os", "database/sql", "go.temporal.io/"},
	"store":     {"net/http", "go.temporal.io/", "github.com/gin-gonic/", "github.com/danielgtaylor/"},
	"workflows": {"net", "os", "database/sql", "math/rand", "crypto/rand", module + "/store", module + "/models", module + "/secrets"},
}

// only names the rooms of ours that a room may import at all, where that is less than all below it.
var only = map[string][]string{
	"client": {"run"},
	"run":    {"dsl"},
}

// imported is one import of one file that is not a test.
type imported struct {
	file, room, path string
}

func TestImportsGoDownTheHouse(t *testing.T) {
	t.Parallel()
	for _, i := range imports(t, ".") {
		if fault := arrowFault(i); fault != "" {
			t.Errorf("%s imports %s: %s", i.file, i.path, fault)
		}
	}
}

// arrowFault says what is wrong with an import, "" for nothing.
func arrowFault(i imported) string {
	level := slices.Index(rooms, i.room)
	if level < 0 {
		return "the folder " + i.room + " is in no list of rooms (arrows_test.go): say where it stands"
	}
	for _, prefix := range forbidden[i.room] {
		if i.path == module+"/"+i.room || strings.HasPrefix(i.path, module+"/"+i.room+"/") {
			break // a room may touch itself
		}
		if i.path == strings.TrimSuffix(prefix, "/") || strings.HasPrefix(i.path, strings.TrimSuffix(prefix, "/")+"/") {
			return i.room + " must not touch " + prefix
		}
	}
	if strings.HasPrefix(i.path, "go.temporal.io/server/") && i.room != "engine" {
		return "only engine links the Temporal server"
	}
	rest, ours := strings.CutPrefix(i.path, module+"/")
	if !ours {
		return ""
	}
	target, _, _ := strings.Cut(rest, "/")
	if target == i.room {
		return ""
	}
	if may, limited := only[i.room]; limited {
		if !slices.Contains(may, target) {
			return i.room + " imports of ours only " + strings.Join(may, ", ")
		}
		return ""
	}
	if slices.Index(rooms, target) <= level {
		return target + " stands above " + i.room + ", and imports only go down"
	}
	return ""
}

func TestArrowFault(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		room, path string
		fault      bool
	}{
		"down the house":             {"api", module + "/store", false},
		"within a room":              {"models", module + "/models/faux", false},
		"another module":             {"models", "github.com/openai/openai-go/v3", false},
		"up the house":               {"store", module + "/api", true},
		"into a sub-package above":   {"store", module + "/models/faux", true},
		"a folder without a place":   {"util", "fmt", true},
		"the domain's one exception": {"run", module + "/dsl", false},
		"the domain, up":             {"run", module + "/store", true},
		"the client, down":           {"client", module + "/run", false},
		"the client, too far":        {"client", module + "/store", true},
		"dsl, ours":                  {"dsl", module + "/run", true},
		"a database in api":          {"api", "database/sql", true},
		"a driver in api":            {"api", "database/sql/driver", true},
		"Temporal in api":            {"api", "go.temporal.io/sdk/client", true},
		"the server outside engine":  {"worker", "go.temporal.io/server/temporal", true},
		"the server in engine":       {"engine", "go.temporal.io/server/temporal", false},
		"HTTP in store":              {"store", "net/http", true},
		"a path that only starts so": {"run", "net2/http", false},
		"net in run":                 {"run", "net/url", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if fault := arrowFault(imported{room: tc.room, path: tc.path}); (fault != "") != tc.fault {
				t.Errorf("fault %q", fault)
			}
		})
	}
}

// imports lists what the module's files import, tests left out: a test may wire rooms from above.
func imports(t *testing.T, root string) []imported {
	t.Helper()
	var out []imported
	for _, file := range sources(t, root) {
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		room, _, _ := strings.Cut(filepath.ToSlash(file), "/")
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, imported{file, room, path})
		}
	}
	return out
}

// sources lists the repository's files below root: not what builds leave behind, nor hidden folders but .ci.
func sources(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(name, ".") && path != root && name != ".ci"
			if hidden || slices.Contains([]string{"bin", "dist", "node_modules"}, name) {
				return filepath.SkipDir
			}
			return nil
		}
		if entry.Type().IsRegular() && name != ".git" { // a file where the checkout is one of several
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
