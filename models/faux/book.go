package faux

import (
	"context"
	"sync"
)

// book keeps the records of the last requests and counts them all.
type book struct {
	mu      sync.Mutex
	keep    int
	n       int64
	records []*Record
	digests map[string]*tally
	talks   map[string]*tally
	// changed is closed, and taken away, when a record changes; it is there while somebody waits.
	changed chan struct{}
}

// tally counts the requests of one kind; last is the number of the latest.
type tally struct {
	count, last int64
}

func newBook(keep int) *book {
	return &book{keep: keep, digests: map[string]*tally{}, talks: map[string]*tally{}}
}

// begin numbers a request and adds it to the book.
func (b *book) begin(record *Record) counts {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	record.N = b.n
	b.count(record)
	b.add(record)
	b.signal()
	return counts{request: record.N, conversation: record.ConversationRequest, attempt: record.Attempt}
}

func (b *book) add(record *Record) {
	b.records = append(b.records, record)
	if len(b.records) >= 2*b.keep {
		b.forget(len(b.records) - b.keep)
	}
}

func (b *book) count(record *Record) {
	if record.Digest == "" {
		return
	}
	record.Attempt = tallyUp(b.digests, record.Digest, record.N)
	record.ConversationRequest = tallyUp(b.talks, record.Conversation, record.N)
}

func tallyUp(tallies map[string]*tally, key string, n int64) int64 {
	one := tallies[key]
	if one == nil {
		one = &tally{}
		tallies[key] = one
	}
	one.count++
	one.last = n
	return one.count
}

// forget drops the oldest records, and the counts that only they kept.
func (b *book) forget(n int) {
	for _, record := range b.records[:n] {
		if one := b.digests[record.Digest]; one != nil && one.last == record.N {
			delete(b.digests, record.Digest)
		}
		if one := b.talks[record.Conversation]; one != nil && one.last == record.N {
			delete(b.talks, record.Conversation)
		}
	}
	b.records = append([]*Record(nil), b.records[n:]...)
}

// update changes a record under the book's lock.
func (b *book) update(record *Record, change func(*Record)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(record)
	b.signal()
}

func (b *book) signal() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// list copies the records, oldest first.
func (b *book) list() []Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.copies()
}

func (b *book) copies() []Record {
	records := make([]Record, len(b.records))
	for i, record := range b.records {
		records[i] = *record
	}
	return records
}

// wait returns the records as soon as they fulfil a condition.
func (b *book) wait(ctx context.Context, enough func([]Record) bool) ([]Record, error) {
	for {
		b.mu.Lock()
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed, records := b.changed, b.copies()
		b.mu.Unlock()
		if enough(records) {
			return records, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return records, context.Cause(ctx)
		}
	}
}

// reset forgets everything and counts from 1 again.
func (b *book) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n, b.records = 0, nil
	clear(b.digests)
	clear(b.talks)
	b.signal()
}
