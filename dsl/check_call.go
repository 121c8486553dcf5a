package dsl

import (
	"regexp"
	"slices"
	"strings"
)

// viaFields are the fields that belong to one way of calling.
func viaFields() map[string][]string {
	return map[string][]string{
		"tool": {"tool", "args"}, "executor": {"code", "input"}, "shell": {"command", "env"},
	}
}

func (c *checker) call(node *Object, at *place) {
	via := text(node, "via")
	switch via {
	case "tool":
		c.callTool(node, at)
	case "executor":
		c.callExecutor(node, at)
	case "shell":
		c.callShell(node, at)
	default:
		c.reportf(at, "call_via", "via is %s", absentOrQuoted(node, "via"))
	}
	c.strays(node, via, at)
	result := c.callResult(node, via, at)
	c.asMissing(node, at)
	c.oneOf(node, "where", at, "call_where", "sandbox")
	deadline, _ := node.Get("deadline_s")
	if n, ok := deadline.(float64); !ok || n <= 0 {
		c.reportf(at, "call_deadline", "deadline_s is %s", absentOrQuoted(node, "deadline_s"))
	}
	c.retry(node, at)
	c.poll(node, result, at)
	c.learn(node, result, false)
}

func absentOrQuoted(o *Object, key string) string {
	value, given := o.Get(key)
	if !given {
		return "missing"
	}
	return quoted(value)
}

func (c *checker) callTool(node *Object, at *place) {
	if lacks(node, "tool") {
		c.report(at, "call_tool_missing", "it names no tool")
	}
	args, given := object(node, "args")
	if !given {
		c.reportf(at, "call_args", "args is %s", absentOr(node, "args"))
	}
	c.fills(at, "args", args)
}

func (c *checker) callExecutor(node *Object, at *place) {
	code := text(node, "code")
	if blank(code) {
		c.report(at, "call_code_missing", "it has no code")
	}
	if !hasWord(code, "return") {
		c.report(at, "call_code_return", "its code has no return")
	}
	for _, word := range []string{"require", "process", "fetch", "eval", "Function", "import"} {
		if hasWord(code, word) {
			c.reportf(at, "call_code_denied", "its code has the word %s", word)
		}
	}
	input, given := object(node, "input")
	if !given && node.Has("input") {
		c.reportf(at, "call_input", "input is %s", absentOr(node, "input"))
	}
	c.fills(at, "input", input)
}

// hasWord tells whether a source has a word that is not part of a longer name.
func hasWord(source, word string) bool {
	for {
		i := strings.Index(source, word)
		if i < 0 {
			return false
		}
		end := i + len(word)
		if (i == 0 || !wordByte(source[i-1])) && (end == len(source) || !wordByte(source[end])) {
			return true
		}
		source = source[end:]
	}
}

func wordByte(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

var envName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

func (c *checker) callShell(node *Object, at *place) {
	if lacks(node, "command") {
		c.report(at, "call_command", "it has no command")
	}
	env, _ := object(node, "env")
	for name, value := range env.All() {
		if _, ok := value.(string); !ok || !envName.MatchString(name) {
			c.reportf(at, "call_env", "env has %q as %s", clip(name), article(value))
		}
	}
	c.fills(at, "env", env)
}

// strays reports the fields that belong to another via.
func (c *checker) strays(node *Object, via string, at *place) {
	belonging := viaFields()
	if belonging[via] == nil {
		return
	}
	for _, other := range []string{"tool", "executor", "shell"} {
		for _, field := range belonging[other] {
			if other != via && node.Has(field) {
				c.reportf(at, "call_field_not_for_via", "%s belongs to via %s, and via is %s", field, other, via)
			}
		}
	}
	if via != "shell" && node.Has("produces") {
		c.reportf(at, "call_produces_via", "it has produces and via is %s", via)
	}
	for _, item := range list(node, "produces") {
		path, _ := item.(string)
		if !insidePath(path) {
			c.reportf(at, "call_produces_path", "produces has %s", quoted(item))
			continue
		}
		c.fillsValue(at, "produces", path)
		c.produced[path] = true
	}
}

// insidePath tells whether a path is relative and stays inside the folder it starts in.
func insidePath(path string) bool {
	if blank(path) || strings.HasPrefix(path, "/") || strings.HasPrefix(path, "\\") {
		return false
	}
	return !slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// callResult checks out and gives what is known of the result.
func (c *checker) callResult(node *Object, via string, at *place) known {
	if via == "shell" {
		if node.Has("out") {
			c.report(at, "call_out_forbidden", "it has out")
		}
		return known{schema: shellSchema(), declared: true}
	}
	if !node.Has("out") {
		if via != "" {
			c.reportf(at, "call_out_missing", "it has no out; schemas has %s", listed(c.schemas.Keys()))
		}
		return known{}
	}
	return known{schema: c.out(node, at), declared: true}
}
