package claudeagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// block is one content block of a message, or another object of a request, whose fields are passed on as they are.
type block map[string]json.RawMessage

// readBlocks reads content: blocks, or a string for one text block.
func readBlocks(content json.RawMessage) ([]block, error) {
	if len(content) == 0 {
		return nil, nil
	}
	if !json.Valid(content) {
		return nil, errors.New("it is not JSON")
	}
	return contentOf(gjson.ParseBytes(content))
}

// contentOf is content, which has been checked to be JSON.
func contentOf(content gjson.Result) ([]block, error) {
	if content.Type == gjson.String {
		text := ""
		err := json.Unmarshal([]byte(content.Raw), &text)
		return []block{textBlock(text)}, err
	}
	return blocksOf(content)
}

// blocksOf is a list of objects, none where there is nothing or null.
func blocksOf(list gjson.Result) ([]block, error) {
	if list.Type == gjson.Null {
		return nil, nil
	}
	if !list.IsArray() {
		return nil, errors.New("it is no list")
	}
	var blocks []block
	var err error
	list.ForEach(func(_, item gjson.Result) bool {
		var b block
		b, err = objectOf(item)
		blocks = append(blocks, b)
		return err == nil
	})
	return blocks, err
}

func objectOf(value gjson.Result) (block, error) {
	if !value.IsObject() {
		return nil, errors.New("it is no JSON object")
	}
	b := block{}
	value.ForEach(func(name, field gjson.Result) bool {
		b[name.String()] = json.RawMessage(field.Raw)
		return true
	})
	return b, nil
}

// field is a field taken apart; it does not exist where the block has none such.
func (b block) field(name string) gjson.Result { return gjson.ParseBytes(b[name]) }

// text is a field that is a string, "" for any other.
func (b block) text(name string) string {
	raw := b[name]
	if last := len(raw) - 1; last > 0 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1:last])
	}
	var value string
	_ = json.Unmarshal(raw, &value)
	return value
}

// number is a field that is an integer, 0 for any other.
func (b block) number(name string) int64 {
	var value int64
	_ = json.Unmarshal(b[name], &value)
	return value
}

// set sets a field to a value of this package's own making.
func (b block) set(name string, value any) { b[name] = encoded(value) }

// write writes the block with its fields in order, as they are: a long conversation is not read again to be written.
func (b block) write(to *bytes.Buffer) {
	to.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(b)) {
		if i > 0 {
			to.WriteByte(',')
		}
		writeName(to, name)
		to.Write(b[name])
	}
	to.WriteByte('}')
}

// writeName writes the name of a field; it is a plain word but in what a model made up.
func writeName(to *bytes.Buffer, name string) {
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < '0' || c > 'z' || c == '\\') {
			to.Write(encoded(name))
			to.WriteByte(':')
			return
		}
	}
	to.WriteByte('"')
	to.WriteString(name)
	to.WriteString(`":`)
}

// size is about how long the block is as JSON (bytes).
func (b block) size() int {
	n := 2
	for name, value := range b {
		n += len(name) + len(value) + len(`"":,`)
	}
	return n
}

func writeBlocks(to *bytes.Buffer, blocks []block) {
	to.WriteByte('[')
	for i, b := range blocks {
		if i > 0 {
			to.WriteByte(',')
		}
		b.write(to)
	}
	to.WriteByte(']')
}

// encoded is a value as JSON, without the escapes that are for HTML only.
func encoded(value any) json.RawMessage {
	var out bytes.Buffer
	switch value := value.(type) {
	case block:
		out.Grow(value.size())
		value.write(&out)
		return out.Bytes()
	case []block:
		writeBlocks(&out, value)
		return out.Bytes()
	case []message:
		size := 0
		for _, m := range value {
			size += len(`{"role":"assistant","content":[]},`)
			for _, b := range m.Content {
				size += b.size()
			}
		}
		out.Grow(size)
		out.WriteByte('[')
		for i, m := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(`{"role":`)
			out.Write(encoded(m.Role))
			out.WriteString(`,"content":`)
			writeBlocks(&out, m.Content)
			out.WriteByte('}')
		}
		out.WriteByte(']')
		return out.Bytes()
	}
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return json.RawMessage("null") // texts, numbers and JSON that was read before: it cannot fail
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// lined is a value as one line of JSON.
func lined(value any) []byte {
	var out bytes.Buffer
	if json.Compact(&out, encoded(value)) != nil {
		return []byte("null\n") // like encoded
	}
	out.WriteByte('\n')
	return out.Bytes()
}

func textBlock(text string) block {
	return block{"type": json.RawMessage(`"text"`), "text": encoded(text)}
}
