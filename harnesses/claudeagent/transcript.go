package claudeagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/google/uuid"

	"github.com/agentrun/agentrun/models"
)

// transcript is a session file that the program takes for one it wrote itself.
type transcript struct {
	// session is the id to resume, folder the program's working folder, model the one the answers are from: the program
	// leaves the thinking of other models out.
	session uuid.UUID
	folder  string
	model   string
	// began is the time of the first message; each one after it is a millisecond later.
	began   time.Time
	version string
}

// path is where the program looks for the file, below its configuration folder.
func (t transcript) path() string {
	return filepath.Join("projects", slug(t.folder), t.session.String()+".jsonl")
}

// maxSlug is the longest name that is not cut by the program.
const maxSlug = 200

// slug is the program's name for a working folder: every UTF-16 unit that is no ASCII letter or digit is a dash.
func slug(folder string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(folder)) {
		if c := rune(unit); c < 0x80 && (c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			out.WriteRune(c)
		} else {
			out.WriteByte('-')
		}
	}
	return out.String()
}

// write writes the conversation, one line for each message; the results that follow one answer are one message.
func (t transcript) write(conversation []message) []byte {
	var out bytes.Buffer
	var parent any
	for i, m := range conversation {
		id := uuid.NewSHA1(t.session, fmt.Appendf(nil, "%d", i)).String()
		said := block{"role": encoded(m.Role), "content": encoded(m.Content)}
		if m.Role == string(models.RoleAssistant) {
			t.answer(said, m, i)
		}
		line := map[string]any{
			"parentUuid": parent, "isSidechain": false, "type": m.Role, "message": said, "uuid": id,
			"timestamp": t.began.Add(time.Duration(i) * time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z"),
			"userType":  "external", "cwd": t.folder, "sessionId": t.session.String(), "version": t.version,
			"entrypoint": "sdk-cli",
		}
		out.Write(lined(line))
		parent = id
	}
	return out.Bytes()
}

// answer adds what an answer has beside its content.
func (t transcript) answer(said block, m message, i int) {
	stop := "end_turn"
	for _, b := range m.Content {
		if b.text("type") == "tool_use" {
			stop = "tool_use"
		}
	}
	said.set("id", fmt.Sprintf("msg_%d", i))
	said.set("type", "message")
	said.set("model", t.model)
	said.set("stop_reason", stop)
	said["stop_sequence"] = json.RawMessage("null")
	said["usage"] = json.RawMessage(`{"input_tokens":1,"output_tokens":1}`)
}
