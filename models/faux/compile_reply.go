package faux

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	headerValue = regexp.MustCompile(`^[\t\x20-\x7e]*$`)
)

// reply is a Reply made ready: its templates read.
type reply struct {
	*Reply
	text, output, refusal, reasoning, holdFile template
	calls                                      []call
}

// call is a ToolCall made ready.
type call struct {
	name, id string
	args     template
	// raw: the arguments go out as they are, valid JSON or not.
	raw bool
}

// reply checks a reply and makes it ready.
func (c *compiler) reply(path string, from *Reply, groups []string) *reply {
	made := &reply{Reply: from}
	made.text = c.template(path+".text", from.Text, false, groups)
	made.refusal = c.template(path+".refusal", from.Refusal, false, groups)
	made.reasoning = c.template(path+".reasoning", from.Reasoning, false, groups)
	made.holdFile = c.template(path+".hold_until_file", from.HoldUntilFile, false, groups)
	made.output = c.jsonTemplate(path+".output", from.Output, groups)
	for i, one := range from.ToolCalls {
		made.calls = append(made.calls, c.call(fmt.Sprintf("%s.tool_calls[%d]", path, i), one, groups))
	}
	c.usage(path+".usage", from.Usage)
	c.replyConflicts(path, from)
	return made
}

func (c *compiler) call(path string, from ToolCall, groups []string) call {
	made := call{name: from.Name, id: from.ID}
	switch {
	case from.Name == "":
		c.faultf(path+".name", "required", "is required")
	case from.Args != nil && from.ArgsText != "":
		c.faultf(path+".args_text", "conflict", "a call has args or args_text, not both")
	case from.ArgsText != "":
		made.raw = true
		made.args = c.template(path+".args_text", from.ArgsText, false, groups)
	case from.Args == nil:
		made.args = template{parts: []part{{text: "{}"}}, json: true}
	default:
		made.args = c.jsonTemplate(path+".args", from.Args, groups)
	}
	return made
}

// replyConflicts refuses fields that make no sense together.
func (c *compiler) replyConflicts(path string, from *Reply) {
	answers := from.Text != "" || from.Output != nil || from.Refusal != "" || from.Reasoning != "" ||
		len(from.ToolCalls) > 0 || from.Stop != "" || from.Fault != nil
	switch {
	case from.Status != 0 && answers:
		c.faultf(path+".status", "conflict", "a refused request has no answer: only delay, hold_until_file, hang, headers, error and body go with a status")
	case from.Status != 0 && (from.Status < http.StatusBadRequest || from.Status > 599):
		c.faultf(path+".status", "invalid", "must be from 400 to 599")
	case from.Status == 0 && from.Body != "":
		c.faultf(path+".body", "conflict", "goes with a status only")
	case from.Status == 0 && from.Error != nil && (from.Fault == nil || from.Fault.Kind != FaultError):
		c.faultf(path+".error", "conflict", "goes with a status, or with a fault of kind error")
	case from.Error != nil && from.Body != "":
		c.faultf(path+".body", "conflict", "a refusal has an error or a body, not both")
	case !answers && from.Status == 0 && !from.Hang:
		c.faultf(path, "required", "says nothing: it needs text, output, refusal, reasoning, tool_calls, stop, status, hang or fault")
	}
	if from.Text != "" && from.Output != nil {
		c.faultf(path+".output", "conflict", "a reply has text or output, not both")
	}
	if from.Refusal != "" && (from.Text != "" || from.Output != nil || len(from.ToolCalls) > 0) {
		c.faultf(path+".refusal", "conflict", "a refusal has no text, output or tool_calls beside it")
	}
	if from.Usage != nil && from.NoUsage {
		c.faultf(path+".no_usage", "conflict", "a reply has usage or no_usage, not both")
	}
	if from.ChunkDelay != 0 && from.Chunks < 2 {
		c.faultf(path+".chunk_delay", "conflict", "needs chunks of at least 2")
	}
	if from.Delay < 0 || from.ChunkDelay < 0 {
		c.faultf(path+".delay", "invalid", "must not be below zero")
	}
	if from.Fault != nil {
		c.faultIssues(path+".fault", from.Fault)
	}
	for name, value := range from.Headers {
		if !headerName.MatchString(name) || !headerValue.MatchString(value) {
			c.faultf(path+".headers."+name, "invalid", "is not a header")
		}
		if strings.EqualFold(name, "content-length") || strings.EqualFold(name, "transfer-encoding") {
			c.faultf(path+".headers."+name, "invalid", "is the server's own to set")
		}
	}
}

func (c *compiler) faultIssues(path string, from *Fault) {
	switch from.Kind {
	case FaultCut, FaultEnd, FaultStall, FaultGarbage, FaultError:
	default:
		c.faultf(path+".kind", "invalid", "must be cut, end, stall, garbage or error")
	}
	if from.AfterEvents != nil && from.AfterBytes != nil {
		c.faultf(path+".after_bytes", "conflict", "a fault comes after events or after bytes, not both")
	}
	if from.MidEvent && from.AfterBytes != nil {
		c.faultf(path+".mid_event", "conflict", "goes with after_events")
	}
	if from.MidEvent && (from.Kind == FaultGarbage || from.Kind == FaultError) {
		c.faultf(path+".mid_event", "conflict", "an event of its own can only come between two events")
	}
	if from.AfterBytes != nil && (from.Kind == FaultGarbage || from.Kind == FaultError) {
		c.faultf(path+".after_bytes", "conflict", "an event of its own comes after_events")
	}
}

func (c *compiler) template(path, text string, json bool, groups []string) template {
	made, err := newTemplate(text, json, groups)
	if err != nil {
		c.faultf(path, "invalid", "%v", err)
	}
	return made
}

// jsonTemplate makes a template of a JSON value, written compactly.
func (c *compiler) jsonTemplate(path string, value json.RawMessage, groups []string) template {
	if value == nil {
		return template{parts: []part{{}}, json: true}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		c.faultf(path, "invalid", "is not JSON: %v", err)
		return template{}
	}
	return c.template(path, compact.String(), true, groups)
}
