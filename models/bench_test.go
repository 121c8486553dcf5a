package models

import (
	"strings"
	"testing"
)

// BenchmarkDo is one small request and answer over loopback, both ends in this process.
func BenchmarkDo(b *testing.B) {
	for api, stream := range map[string]string{
		APIResponses: responsesAnswer(b), APIMessages: messagesAnswer(b), APIChat: chatAnswer(b),
	} {
		b.Run(api, func(b *testing.B) {
			p := newProvider(b, streaming(stream))
			client := New(Options{})
			r := p.asking(api)
			r.Instructions = strings.Repeat("Read the file and write its summary. ", 30)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.Do(b.Context(), r, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
