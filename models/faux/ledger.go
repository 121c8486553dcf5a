package faux

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// The events of a ledger.
const (
	eventBegin = "begin"
	eventEnd   = "end"
	eventReset = "reset"
)

// entry is one line of a ledger: the beginning or the end of a request, or a reset.
type entry struct {
	Event string `json:"event"`
	*Record
}

// ledger is a file to which every request is appended when its answer begins and when it has ended, so that requests can
// be counted across processes. A gateway that opens an old ledger counts on from it.
type ledger struct {
	file *os.File
}

// openLedger opens a ledger, making it where there is none, and hands each whole line it holds to replay. A last line
// that a killed process left unfinished is passed over.
func openLedger(path string, replay func(entry)) (*ledger, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	if err := replayLines(file, replay); err != nil {
		return nil, errors.Join(fmt.Errorf("read the ledger %s: %w", path, err), file.Close())
	}
	return &ledger{file: file}, nil
}

func replayLines(file *os.File, replay func(entry)) error {
	reader := bufio.NewReader(file)
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				// Set the unfinished line apart from the next one.
				_, err := file.WriteString("\n")
				return err
			}
			return nil
		}
		if err != nil {
			return err
		}
		var read entry
		if json.Unmarshal(line, &read) == nil && (read.Record != nil || read.Event == eventReset) {
			replay(read)
		}
	}
}

// append writes one line, whole, so that other processes may write to the same file.
func (l *ledger) append(event string, record *Record) error {
	line, err := json.Marshal(entry{Event: event, Record: record})
	if err != nil {
		return fmt.Errorf("encode a ledger line: %w", err)
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	return nil
}

func (l *ledger) close() error { return l.file.Close() }

// replayBegin takes over a request from a ledger.
func (b *book) replayBegin(record *Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n = max(b.n, record.N)
	b.count(record)
	b.add(record)
}

// replayEnd takes over how a request of a ledger ended.
func (b *book) replayEnd(end *Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, record := range slices.Backward(b.records) {
		if record.N == end.N && record.At.Equal(end.At) {
			*record = *end
			return
		}
	}
}

// closeOpen ends the requests of a ledger whose gateway was killed before they had ended.
func (b *book) closeOpen() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, record := range b.records {
		if record.Outcome == Open {
			record.Outcome = Stopped
		}
	}
}
