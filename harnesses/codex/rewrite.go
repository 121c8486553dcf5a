package codex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// limitRoom is the most that an output ceiling adds to a body (bytes).
const limitRoom = 64

// wire is the request as it is sent on: what the program wrote but for what the server decides, and without what would
// tell one session of the program from another.
func (r *request) wire(spec cli.Spec) (models.Wire, error) {
	fields := map[string]json.RawMessage{}
	for name, raw := range r.fields {
		fields[name] = raw
	}
	delete(fields, "client_metadata")
	delete(fields, "max_output_tokens")
	delete(fields, "prompt_cache_key")
	if !spec.Model.Reasoning {
		delete(fields, "reasoning")
		delete(fields, "include")
	}
	set := map[string]any{"model": spec.Model.Name, "stream": true, "store": false, "input": r.sentItems()}
	if key := cacheKey(spec.Marker); key != "" {
		set["prompt_cache_key"] = key
	}
	tools := r.sentTools(spec)
	if len(tools) > 0 {
		set["tools"] = tools
	} else {
		delete(fields, "tools")
		delete(fields, "tool_choice")
		delete(fields, "parallel_tool_calls")
	}
	for name, value := range set {
		raw, err := compact(value)
		if err != nil {
			return models.Wire{}, fmt.Errorf("write %s of a request: %w", name, err)
		}
		fields[name] = raw
	}
	body, err := compact(fields)
	if err != nil {
		return models.Wire{}, fmt.Errorf("write a request: %w", err)
	}
	digest, err := r.digest(spec)
	if err != nil {
		return models.Wire{}, err
	}
	return models.Wire{
		Body:   func(ceiling int64) ([]byte, error) { return limited(body, spec, ceiling), nil },
		Size:   int64(len(body) + limitRoom),
		Digest: digest,
		Tools:  len(tools),
	}, nil
}

// limited is a body under an output ceiling (tokens; 0: the model's own).
func limited(body []byte, spec cli.Spec, ceiling int64) []byte {
	if ceiling <= 0 {
		ceiling = spec.Model.MaxOutput
	}
	if ceiling <= 0 || spec.Model.NoOutputLimit {
		return body
	}
	limited := append(make([]byte, 0, len(body)+limitRoom), body[:len(body)-1]...)
	limited = append(limited, `,"max_output_tokens":`...)
	return append(strconv.AppendInt(limited, ceiling, 10), '}')
}

// cacheKey names the conversation's prompt cache: the run, which is the same for all its sessions.
func cacheKey(marker string) string {
	run, _, _ := strings.Cut(marker, "/")
	return run
}

// sentTools are the tools that the host offers. The program has some of its own that nothing here turns off.
func (r *request) sentTools(spec cli.Spec) []json.RawMessage {
	ours := map[string]bool{}
	for _, one := range spec.Tools {
		ours[one.Name] = true
	}
	var sent []json.RawMessage
	for _, one := range r.tools {
		if ours[one.name] {
			sent = append(sent, one.raw)
		}
	}
	return sent
}

// sentItems are the items without their ids, which a provider that stores nothing looks for in vain. Answers of which
// there is nothing stand in the program's conversation only to be counted.
func (r *request) sentItems() []map[string]json.RawMessage {
	sent := make([]map[string]json.RawMessage, 0, len(r.items))
	for i, one := range r.items {
		if r.whole(i) && one.is(roleAssistant) && silent(one.parts()) {
			continue
		}
		fields := map[string]json.RawMessage{}
		for name, raw := range one.fields {
			if name != "id" {
				fields[name] = raw
			}
		}
		sent = append(sent, fields)
	}
	return sent
}

// whole tells whether an item is all of an answer. A provider wants to see again what belongs together, such as an empty
// message behind the thought that came to it.
func (r *request) whole(i int) bool {
	return (i == 0 || !r.items[i-1].made()) && (i == len(r.items)-1 || !r.items[i+1].made())
}

// silent tells whether the parts of an answer have no words.
func silent(parts []part) bool {
	for _, p := range parts {
		if p.Type != "output_text" || p.Text != "" {
			return false
		}
	}
	return true
}

// compact writes JSON without the escapes that only pages need.
func compact(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
