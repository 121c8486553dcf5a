package faux

import (
	"fmt"
	"sort"
	"strings"
)

// counts are the numbers of one request, each counted from 1.
type counts struct {
	request, conversation, attempt int64
}

// choice is the rule that answers a request, and which of its replies.
type choice struct {
	rule    *rule
	reply   *reply
	matches map[string]string
}

// choose finds the first rule that matches, and uses it.
func (p *program) choose(talk *conversation, n counts) (choice, bool) {
	matches := map[string]string{}
	for _, r := range p.rules {
		if r.mismatch(talk, n, matches) == "" {
			if reply, ok := r.replyAt(talk.step); ok && r.use() {
				return choice{rule: r, reply: reply, matches: matches}, true
			}
		}
		clear(matches)
	}
	return choice{}, false
}

// explain says for the first rules why they do not match.
func (p *program) explain(talk *conversation, n counts) string {
	const explained = 8
	var reasons strings.Builder
	for _, r := range p.rules[:min(explained, len(p.rules))] {
		failed := r.mismatch(talk, n, map[string]string{})
		if failed == "" {
			failed = "times"
			if _, ok := r.replyAt(talk.step); !ok {
				failed = "replies (all of them are given)"
			}
		}
		fmt.Fprintf(&reasons, "; %s: %s", quoted(r.name), failed)
	}
	if more := len(p.rules) - explained; more > 0 {
		fmt.Fprintf(&reasons, "; and %d more", more)
	}
	return reasons.String()
}

// replyAt is the reply for a step; a single reply is for every step.
func (r *rule) replyAt(step int64) (*reply, bool) {
	if !r.sequence {
		return r.replies[0], true
	}
	i := sort.Search(len(r.until), func(i int) bool { return step < r.until[i] })
	if i == len(r.until) {
		return nil, false
	}
	return r.replies[i], true
}

// use counts one use of the rule, unless it has been used up.
func (r *rule) use() bool {
	for {
		used := r.used.Load()
		if r.times > 0 && used >= r.times {
			return false
		}
		if r.used.CompareAndSwap(used, used+1) {
			return true
		}
	}
}

// mismatch names the first condition that does not hold, or is empty. The cheap ones are asked first.
func (r *rule) mismatch(talk *conversation, n counts, matches map[string]string) string {
	when := &r.when
	switch {
	case when.Protocol != "" && when.Protocol != string(talk.protocol):
		return "protocol"
	case when.Model != "" && when.Model != talk.model:
		return "model"
	case when.Effort != "" && when.Effort != talk.effort:
		return "effort"
	case when.Stream != nil && *when.Stream != talk.stream:
		return "stream"
	case when.WantsOutput != nil && *when.WantsOutput != talk.wantsOutput:
		return "wants_output"
	case !when.Turn.allows(talk.turn):
		return "turn"
	case !when.Step.allows(talk.step):
		return "step"
	case !when.OutputLimit.allows(talk.outputLimit):
		return "output_limit"
	case !when.Request.allows(n.request):
		return "request"
	case !when.ConversationRequest.allows(n.conversation):
		return "conversation_request"
	case !when.Attempt.allows(n.attempt):
		return "attempt"
	case when.Last == "user" && !talk.fromUser, when.Last == "tool" && talk.fromUser:
		return "last"
	case when.HasTool != "" && !talk.offers(when.HasTool):
		return "has_tool"
	}
	return r.textMismatch(talk, matches)
}

// textMismatch is mismatch for what the conversation says.
func (r *rule) textMismatch(talk *conversation, matches map[string]string) string {
	when := &r.when
	switch {
	case when.User != "" && strings.TrimSpace(when.User) != talk.lastUser:
		return "user"
	case when.FirstUser != "" && strings.TrimSpace(when.FirstUser) != talk.firstUser:
		return "first_user"
	case !catch(r.regexps.user, talk.lastUser, matches):
		return "user_matches"
	case r.answersUser() && !talk.fromUser:
		return "user (that message has been answered; tool results are next)"
	case when.ToolResult != nil && !r.resultMatches(talk, matches):
		return "tool_result"
	case !catch(r.regexps.firstUser, talk.firstUser, matches):
		return "first_user_matches"
	case !catch(r.regexps.system, talk.system, matches):
		return "system_matches"
	case !catch(r.regexps.body, talk.body, matches):
		return "body_matches"
	}
	return ""
}

// answersUser: the rule is about the user's message alone, so that it is done once that has been answered.
func (r *rule) answersUser() bool {
	when := &r.when
	return !r.sequence && (when.User != "" || when.UserMatches != "") &&
		when.Last == "" && when.Step == nil && when.ToolResult == nil
}

func (r *rule) resultMatches(talk *conversation, matches map[string]string) bool {
	want := r.when.ToolResult
	for _, result := range talk.results {
		if want.Name != "" && !sameTool(result.name, want.Name) || want.IsError != nil && *want.IsError != result.failed {
			continue
		}
		if catch(r.regexps.result, result.text, matches) {
			return true
		}
	}
	return false
}
