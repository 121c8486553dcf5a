package models

import (
	"io"
	"net/http"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// judgment is a message to the judge, with the keys and the white space of a caller who likes it so; questions is the
// object in it.
const (
	questions = `{"urgent" : {"type":"noul","instructions":"Is it urgent?"}, "10":{"type":"choice",` +
		`"criteria":{"b":null,"a":"The first <one>"}},"2":{"type":"score","criteria":["low","high"]}}`
	judgment = ` {"state": {"z":1.50,"a":"é\u00e9"},  "questions":` + questions + `}` + "\n"
)

// judged is what the judge answers to it: the answers stand in the order of the questions, with the spaces of the server.
const judged = `{"urgent": {"type":"noul","noul":0.95},` + "\n" +
	`"10":{"type":"choice","choice":"b","confidence":0.81,"probabilities":{"b":0.88,"a":0.12}},` +
	`"2":{"type":"score","score":1.75,"confidence":0.5,"probabilities":{"1":0.25,"2":0.75},"legend":{"1":"low","2":"high"}}}`

const judgeAnswer = `{"model":"jev-1.14.0","answers": ` + judged + ` ,"usage":{"input_tokens":318,"output_tokens":34},"id":"x"}`

// answering is a judge that answers everything with these bytes.
func answering(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// judging is a small request to a judge at an address.
func judging(base string) Request {
	return Request{
		Model:   run.Model{ID: "test/jev-latest", Name: "jev-latest", Provider: "test", API: APIJev, NoOutputLimit: true},
		BaseURL: base, APIKey: testKey,
		Messages: []Message{{Role: RoleUser, Text: judgment}},
	}
}

// judgeBody is a judge's answer whose answers are these.
func judgeBody(tb testing.TB, answers string) string {
	tb.Helper()
	return `{"model":"jev-1.14.0","answers":` + answers + `,"usage":{"input_tokens":318,"output_tokens":34}}`
}
