package dsl

// The schemas that the language fixes.

// shellSchema is the result of a shell command.
func shellSchema() *Object {
	kind := func(name string) *Object { return ObjectOf("type", name) }
	return ObjectOf("type", "object",
		"properties", ObjectOf("code", kind("integer"), "stdout", kind("string"), "stderr", kind("string"),
			"truncated", kind("boolean")),
		"required", []any{"code", "stdout", "stderr"}, "additionalProperties", false)
}

// reportSchema is the submission of a report.
func reportSchema() *Object {
	return ObjectOf("type", "object",
		"properties", ObjectOf("report_markdown", ObjectOf("type", "string", "minLength", 40.0, "pattern", `\S`)),
		"required", []any{"report_markdown"}, "additionalProperties", false)
}
