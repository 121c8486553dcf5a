package faux

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func answerOf(t failer, from *Reply, talk *conversation, unlimited bool) *answer {
	c := &compiler{}
	made := c.reply("reply", from, nil)
	if len(c.issues) > 0 {
		t.Fatalf("issues: %v", c.issues)
	}
	return makeAnswer(made, &filling{talk: talk}, "id", 1, nil, unlimited)
}

func TestDefaultUsageCountsBytes(t *testing.T) {
	t.Parallel()
	got := answerOf(t, &Reply{
		Text: "12345", Reasoning: "123", ToolCalls: []ToolCall{{Name: "w", Args: []byte(`{"a":1}`)}},
	}, &conversation{protocol: Responses, body: strings.Repeat("x", 41)}, false)
	if diff := cmp.Diff(&Usage{Input: 11, Output: 4, Reasoning: 1}, got.usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if none := answerOf(t, &Reply{Text: "a", NoUsage: true}, &conversation{}, false); none.usage != nil {
		t.Errorf("usage is %v", none.usage)
	}
}

func TestOutputLimitCutsTheAnswer(t *testing.T) {
	t.Parallel()
	reply := &Reply{
		Reasoning: "rrrr", Text: "tttt", ToolCalls: []ToolCall{{Name: "w", Args: []byte(`"aaaaa"`)}, {Name: "v"}},
	}
	for limit, want := range map[int64]string{
		1: "rrrr||", 2: "rrrr|tttt|", 3: `rrrr|tttt|w("aa)`, 4: `rrrr|tttt|w("aaaaa")`, 5: `rrrr|tttt|w("aaaaa")v({})`, 0: `rrrr|tttt|w("aaaaa")v({})`,
	} {
		got := answerOf(t, reply, &conversation{protocol: Responses, outputLimit: limit}, false)
		said := []string{got.reasoning, "|", got.text, "|"}
		for _, call := range got.calls {
			said = append(said, call.name, "(", call.args, ")")
		}
		text := strings.Join(said, "")
		cut := limit > 0 && limit < 5
		if text != want || (got.stop == "length") != cut || cut && got.usage.Output > limit {
			t.Errorf("limit %d: %s, stop %q, %d tokens; want %s", limit, text, got.stop, got.usage.Output, want)
		}
	}
	for name, got := range map[string]*answer{
		"a model without a limit": answerOf(t, reply, &conversation{protocol: Responses, outputLimit: 1}, true),
		"a scripted usage":        answerOf(t, &Reply{Text: "123456789", Usage: &Usage{Output: 99}}, &conversation{outputLimit: 1}, false),
	} {
		if got.stop != "" {
			t.Errorf("%s was cut", name)
		}
	}
}

// TestOutputLimitIsNeverExceeded: whatever an answer says, its count of tokens stays within the request's limit.
func TestOutputLimitIsNeverExceeded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringMatching(`[a-zé😀]{0,30}`)
		reply := &Reply{Text: words.Draw(t, "text"), Reasoning: words.Draw(t, "reasoning"), Chunks: rapid.IntRange(0, 5).Draw(t, "chunks")}
		for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
			args, err := json.Marshal(words.Draw(t, fmt.Sprint("args ", i)))
			if err != nil {
				t.Fatal(err)
			}
			reply.ToolCalls = append(reply.ToolCalls, ToolCall{Name: "write", Args: args})
		}
		if reply.Text == "" && reply.Reasoning == "" && len(reply.ToolCalls) == 0 {
			return
		}
		limit := rapid.Int64Range(1, 40).Draw(t, "limit")
		whole := answerOf(t, reply, &conversation{protocol: Responses}, false)
		got := answerOf(t, reply, &conversation{protocol: Responses, outputLimit: limit}, false)
		if got.usage.Output > limit {
			t.Fatalf("%d tokens, limit %d", got.usage.Output, limit)
		}
		if (got.stop == "length") != (whole.usage.Output > limit) {
			t.Fatalf("stop %q with %d tokens, limit %d", got.stop, whole.usage.Output, limit)
		}
		if strings.Join(got.pieces, "") != got.text {
			t.Fatalf("the pieces are %q, the text %q", got.pieces, got.text)
		}
	})
}

// TestEveryStreamIsWellFormed: whatever an answer says, each event of its stream is JSON, and the whole is, too.
func TestEveryStreamIsWellFormed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		protocol := rapid.SampledFrom([]Protocol{Responses, Chat, Messages}).Draw(t, "protocol")
		reply := &Reply{
			Text: rapid.String().Draw(t, "text"), Reasoning: rapid.String().Draw(t, "reasoning"),
			Chunks: rapid.IntRange(0, 4).Draw(t, "chunks"), NoUsage: rapid.Bool().Draw(t, "no usage"),
			Stop:      rapid.SampledFrom([]string{"end", "length", "content_filter"}).Draw(t, "stop"),
			ToolCalls: []ToolCall{{Name: "a", ArgsText: rapid.StringN(1, -1, -1).Draw(t, "args")}, {Name: "custom"}},
		}
		for _, text := range []*string{&reply.Text, &reply.Reasoning, &reply.ToolCalls[0].ArgsText} {
			*text = strings.ReplaceAll(*text, "{{", "{")
		}
		talk := &conversation{
			protocol: protocol, model: rapid.String().Draw(t, "model"), effort: rapid.String().Draw(t, "effort"),
			thinking: true, includeUsage: true, encrypted: true, outputLimit: rapid.Int64Range(0, 3).Draw(t, "limit"),
			tools: []offeredTool{{name: "custom", custom: true, namespace: `n"`}},
		}
		made := answerOf(t, reply, talk, true)
		var whole wire
		made.write(&whole)
		if !json.Valid(whole.buf) {
			t.Fatalf("the whole answer is %s", whole.buf)
		}
		talk.stream = true
		var stream wire
		made.write(&stream)
		made.writeFailure(&stream, 3)
		start := 0
		for _, end := range stream.ends {
			event := string(stream.buf[start:end])
			start = end
			_, data, ok := strings.Cut(event, "data: ")
			data, tail := strings.CutSuffix(data, "\n\n")
			if !ok || !tail || strings.Contains(data, "\n") || data != "[DONE]" && !json.Valid([]byte(data)) {
				t.Fatalf("an event is %q", event)
			}
		}
		if start != len(stream.buf) {
			t.Fatalf("the events end at %d of %d", start, len(stream.buf))
		}
	})
}

func TestCustomInput(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{`"a\nb"`: "a\nb", `{"a":1}`: `{"a":1}`, `not JSON`: `not JSON`} {
		if got := customInput(args); got != want {
			t.Errorf("customInput(%s) = %q, want %q", args, got, want)
		}
	}
}

func TestCallIDs(t *testing.T) {
	t.Parallel()
	reply := &Reply{ToolCalls: []ToolCall{{Name: "a"}, {Name: "b", ID: "mine"}, {Name: "c"}}}
	for protocol, want := range map[Protocol][]string{
		Responses: {"call_id_0", "mine", "call_id_2"}, Chat: {"call_id_0", "mine", "call_id_2"}, Messages: {"toolu_id_0", "mine", "toolu_id_2"},
	} {
		var got []string
		for _, call := range answerOf(t, reply, &conversation{protocol: protocol}, false).calls {
			got = append(got, call.id)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", protocol, diff)
		}
	}
}
