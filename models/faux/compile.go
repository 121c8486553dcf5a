package faux

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/agentrun/agentrun/run"
)

// program is a script made ready to answer.
type program struct {
	models []Model
	strict bool
	usage  *Usage
	rules  []*rule
}

// rule is a Rule made ready: its regexps compiled, its templates read, its repeated replies written out.
type rule struct {
	name    string
	when    When
	regexps regexps
	// replies has one element for a single reply; sequence tells it from a list of one. Reply i of a sequence answers
	// the steps before until[i].
	replies  []*reply
	until    []int64
	sequence bool
	times    int64
	used     atomic.Int64
}

// compiler collects the issues of a script.
type compiler struct {
	issues []run.Issue
}

func (c *compiler) faultf(path, code, format string, args ...any) {
	c.issues = append(c.issues, run.Issue{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
}

// compile checks what the schema cannot and makes a script ready.
func compile(script Script) (*program, error) {
	c := &compiler{}
	made := &program{models: script.Models, strict: script.StrictModels, usage: script.Usage}
	c.models(script.Models)
	c.usage("usage", script.Usage)
	for i := range script.Rules {
		made.rules = append(made.rules, c.rule(fmt.Sprintf("rules[%d]", i), i, &script.Rules[i]))
	}
	if script.Extends != "" {
		c.extend(made, script.Extends)
	}
	if len(made.models) == 0 {
		made.models = []Model{{ID: "faux-1", ContextWindow: 200_000, MaxOutput: 32_000}}
	}
	if len(c.issues) > 0 {
		return nil, refuse(c.issues...)
	}
	return made, nil
}

// extend adds what a ready script has to a program.
func (c *compiler) extend(made *program, name string) {
	if !slices.Contains(Builtins(), name) {
		c.faultf("extends", "invalid", "no ready script is called %q; there are %s", name, strings.Join(Builtins(), ", "))
		return
	}
	base, err := Load(name)
	if err != nil {
		c.faultf("extends", "invalid", "%v", err)
		return
	}
	rest, err := compile(base)
	if err != nil {
		c.faultf("extends", "invalid", "%v", err)
		return
	}
	made.rules = append(made.rules, rest.rules...)
	if len(made.models) == 0 {
		made.models = rest.models
	}
	made.usage = cmp.Or(made.usage, rest.usage)
}

func (c *compiler) rule(path string, index int, from *Rule) *rule {
	made := &rule{
		name:     cmp.Or(from.Name, "rule "+strconv.Itoa(index+1)),
		when:     from.When,
		times:    from.Times,
		sequence: from.Reply == nil,
	}
	when := path + ".when"
	made.regexps = regexps{
		user:      c.regexp(when+".user_matches", from.When.UserMatches),
		firstUser: c.regexp(when+".first_user_matches", from.When.FirstUserMatches),
		system:    c.regexp(when+".system_matches", from.When.SystemMatches),
		body:      c.regexp(when+".body_matches", from.When.BodyMatches),
	}
	if from.When.ToolResult != nil {
		made.regexps.result = c.regexp(when+".tool_result.matches", from.When.ToolResult.Matches)
	}
	groups := made.regexps.groups()
	switch {
	case from.Reply != nil && from.Replies != nil:
		c.faultf(path+".replies", "conflict", "a rule has reply or replies, not both")
	case from.Reply != nil:
		if from.Reply.Repeat != 0 {
			c.faultf(path+".reply.repeat", "conflict", "only one of replies may be repeated")
		}
		made.replies = []*reply{c.reply(path+".reply", from.Reply, groups)}
	case len(from.Replies) == 0:
		c.faultf(path+".reply", "required", "a rule needs a reply or replies")
	}
	steps := int64(0)
	for i := range from.Replies {
		steps += int64(max(1, from.Replies[i].Repeat))
		made.until = append(made.until, steps)
		made.replies = append(made.replies, c.reply(fmt.Sprintf("%s.replies[%d]", path, i), &from.Replies[i], groups))
	}
	return made
}
