package faux

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// manyBrackets is how many opening brackets a body may have before its nesting is checked by the slower decoder, which
// refuses more than 10,000 levels.
const manyBrackets = 5_000

// notJSON is what a body is told that is not JSON.
const notJSON = "the body is not valid JSON"

// read reads a request's body in its protocol.
func read(protocol Protocol, body string) (*conversation, *badRequest) {
	if !validJSON(body) {
		return nil, &badRequest{message: notJSON}
	}
	root := gjson.Parse(body)
	if !root.IsObject() {
		return nil, &badRequest{message: "the body is not a JSON object"}
	}
	talk := &conversation{protocol: protocol, body: body}
	var bad *badRequest
	switch protocol {
	case Responses:
		bad = talk.readResponses(root)
	case Chat:
		bad = talk.readChat(root)
	case Messages:
		bad = talk.readMessages(root)
	}
	if bad != nil {
		return nil, bad
	}
	if talk.model == "" {
		return nil, &badRequest{message: "model is required", param: "model"}
	}
	return talk, nil
}

// validJSON checks a body, and that its nesting cannot exhaust the stack of what reads it.
func validJSON(body string) bool {
	if strings.Count(body, "[")+strings.Count(body, "{") > manyBrackets {
		return json.Valid([]byte(body))
	}
	return gjson.Valid(body)
}

// textOf is the text of a content that is a string or a list of parts; parts that hold no text are passed over.
func textOf(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.String()
	}
	if !content.IsArray() {
		return ""
	}
	text, many := "", false
	content.ForEach(func(_, part gjson.Result) bool {
		one := partText(part)
		switch {
		case one == "":
		case many:
			text += "\n" + one
		default:
			text, many = one, true
		}
		return true
	})
	return text
}

// partText is the text of one part of a content.
func partText(part gjson.Result) string {
	if part.Type == gjson.String {
		return part.String()
	}
	if text := part.Get("text"); text.Type == gjson.String {
		return text.String()
	}
	return part.Get("refusal").String()
}

// addUserContent notes each text of a user's content.
func (c *conversation) addUserContent(content gjson.Result) {
	if !content.IsArray() {
		c.addUser(content.String())
		return
	}
	content.ForEach(func(_, part gjson.Result) bool {
		c.addUser(partText(part))
		return true
	})
}

// metadataKey is the name by which a request's metadata tells which conversation it belongs to.
func metadataKey(metadata gjson.Result) string {
	for _, name := range []string{"conversation_id", "session_id", "run_id", "user_id"} {
		if value := metadata.Get(name); value.Type == gjson.String && value.Str != "" {
			return value.Str
		}
	}
	return ""
}
