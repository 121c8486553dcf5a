package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// Run makes one call. Whatever goes wrong is a result with OK false and words for the model; the same call on the same
// files gives the same result.
func Run(ctx context.Context, workspace *places.Workspace, call Call, options Options) run.ToolResult {
	t, ok := find(call.Name)
	if !ok {
		return refused(call, notFound(call.Name))
	}
	args, wrong := t.check(call)
	if wrong != "" {
		return refused(call, wrong)
	}
	if err := ctx.Err(); err != nil {
		return refused(call, fmt.Sprintf("Not run: the call was cancelled before it began (%v).", err))
	}
	if t.look != nil {
		content, err := t.look(ctx, workspace.View, args, options.withDefaults())
		if err != nil {
			return refused(call, failed(call, err))
		}
		return run.ToolResult{CallID: call.ID, Name: call.Name, OK: true, Content: content}
	}
	file, err := t.change(workspace, args)
	if err != nil {
		return refused(call, failed(call, err))
	}
	return t.changed(call, file)
}

// changed is the result of a call that changed a file.
func (t entry) changed(call Call, file run.FileChange) run.ToolResult {
	args, wrong := t.check(call)
	if wrong != "" {
		return refused(call, wrong)
	}
	return run.ToolResult{CallID: call.ID, Name: call.Name, OK: true, Content: t.said(args, file), File: &file}
}

// Interrupted is the answer to a call that was cut and of which nobody knows whether it took effect.
func Interrupted(call Call) run.ToolResult {
	result := refused(call, fmt.Sprintf("Interrupted: this %s call was cut off before its result was known. Whether it "+
		"took effect is not known: assume neither, and look before you repeat it.", shown(call.Name)))
	result.Interrupted = true
	return result
}

func refused(call Call, why string) run.ToolResult {
	return run.ToolResult{CallID: call.ID, Name: call.Name, Content: why}
}

func failed(call Call, err error) string {
	return fmt.Sprintf("%s failed: %v.", call.Name, err)
}

func notFound(name string) string { return "Tool " + shown(name) + " not found" }

// shown keeps a name that a model made up from filling its own answer.
func shown(name string) string {
	const longest = 100
	if len(name) > longest {
		return strings.ToValidUTF8(name[:longest], "") + "…"
	}
	return name
}
