package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzJevAnswer(f *testing.F) {
	f.Add([]byte(judgeAnswer))
	for _, part := range []int{4, 3, 2} {
		f.Add([]byte(judgeAnswer[:len(judgeAnswer)/part]))
	}
	f.Add([]byte(judgeAnswer + judgeAnswer))
	f.Add([]byte(strings.ReplaceAll(judgeAnswer, "noul", "\xff\xfe")))
	f.Add([]byte(`{"answers":{"a":{"type":"noul","noul":1e999}},"usage":{"input_tokens":-1,"output_tokens":9e99}}`))
	f.Add([]byte(`{"answers":{},"Answers":[],"answers":{"a":"\ud800"}}`))
	f.Add([]byte(strings.Repeat(`{"answers":`, 2_000)))
	f.Add([]byte("\n\n" + strings.Repeat(" ", 20_000) + `{"answers":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		const limit = 10_000
		client := New(Options{HTTP: &http.Client{Transport: canned{stream: body}}, MaxAnswer: limit})
		answer, err := client.Do(t.Context(), judging("http://judge.example"), nil)
		var failure *Error
		switch {
		case errors.As(err, &failure):
			if failure.Code != CodeBadResponse || !failure.Retryable || failure.Spend != SpendUnknown {
				t.Errorf("%+v", failure)
			}
		case err != nil:
			t.Errorf("not an *Error: %v", err)
		case len(body) > limit || !bytes.Contains(body, []byte(answer.Text)):
			t.Errorf("%d bytes of answer in a body of %d", len(answer.Text), len(body))
		case !strings.HasPrefix(answer.Text, "{") || !json.Valid([]byte(answer.Text)) || !utf8.ValidString(answer.Text):
			t.Errorf("no object: %q", answer.Text)
		case answer.Stop != StopEnd || min(answer.Usage.InputTokens, answer.Usage.OutputTokens) < 0:
			t.Errorf("%+v", answer)
		}
	})
}

func FuzzJevRequest(f *testing.F) {
	for _, text := range []string{
		judgment, `{"state":1,"questions":{}}`, `{"questions":{"a":{}},"state":""}`, `{"state":1,"questions":[]}`,
		`{"state":{"state":1},"questions":{},"model":"x"}`, `{"state":1,"questions":{}}]`, "", "{",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := judging("")
		r.Messages[0].Text = text
		sent, err := encodeJev(r)
		if err != nil {
			return
		}
		if !json.Valid(sent) {
			t.Fatalf("%q became %q", text, sent)
		}
		var said, wanted map[string]json.RawMessage
		if json.Unmarshal(sent, &said) != nil || json.Unmarshal([]byte(text), &wanted) != nil || len(said) != 3 {
			t.Fatalf("%q became %q", text, sent)
		}
		for name, value := range wanted {
			if !bytes.Equal(value, said[name]) {
				t.Errorf("%s was %q and is %q", name, value, said[name])
			}
		}
	})
}
