package codex

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxLine is the longest line that the program may write (bytes).
const maxLine = 8 << 20

// methodNotFound is the code of a request that nobody here answers.
const methodNotFound = -32601

// peer is the program as one that is asked: it writes lines and knows which answers are due.
type peer struct {
	writing sync.Mutex
	out     io.Writer

	mu   sync.Mutex
	last int64
	due  map[int64]chan message
	gone chan struct{}
}

// newPeer asks over out; gone is closed when no answer will come any more.
func newPeer(out io.Writer, gone chan struct{}) *peer {
	return &peer{out: out, due: map[int64]chan message{}, gone: gone}
}

// call makes a request and waits for its answer.
func (p *peer) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	p.mu.Lock()
	p.last++
	id := p.last
	answer := make(chan message, 1)
	p.due[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.due, id)
		p.mu.Unlock()
	}()
	if err := p.send(map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return nil, fmt.Errorf("ask codex for %s: %w", method, err)
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, fmt.Errorf("codex refuses %s: %s", method, cut(m.Error.Message, maxQuote))
		}
		return m.Result, nil
	case <-p.gone:
		return nil, fmt.Errorf("ask codex for %s: it has ended", method)
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for codex to answer %s: %w", method, ctx.Err())
	}
}

// answered takes an answer of the program's to its request. Answers to nothing are left.
func (p *peer) answered(m message) {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if due := p.due[id]; due != nil {
		delete(p.due, id)
		due <- m
	}
}

// notify says something that has no answer.
func (p *peer) notify(method string) error { return p.send(map[string]any{"method": method}) }

// reply answers a request of the program's.
func (p *peer) reply(id json.RawMessage, result any) error {
	return p.send(map[string]any{"id": id, "result": result})
}

// refuse answers a request of the program's that nobody here answers.
func (p *peer) refuse(id json.RawMessage, method string) error {
	return p.send(map[string]any{
		"id": id, "error": rpcError{methodNotFound, "this host does not answer " + cut(method, maxQuote)},
	})
}

func (p *peer) send(value any) error {
	line, err := compact(value)
	if err != nil {
		return fmt.Errorf("write a line to codex: %w", err)
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_, err = p.out.Write(append(line, '\n'))
	return err
}

var errLongLine = errors.New("codex wrote a line of more than 8 MiB")

// readLines gives each line to take, without its end, until the reader ends or take has an error. A line is take's only
// until it returns. A line longer than limit bytes is an error, and no more than that is kept of it.
func readLines(r io.Reader, limit int, take func(line []byte) error) error {
	reader := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		piece, err := reader.ReadSlice('\n')
		if len(line)+len(piece) > limit+1 {
			return errLongLine
		}
		whole := piece
		if len(line) > 0 || errors.Is(err, bufio.ErrBufferFull) {
			line = append(line, piece...)
			whole = line
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return nil // a line without its end was cut by the end of the program
		case err != nil:
			return fmt.Errorf("read what codex says: %w", err)
		}
		if err := take(whole[:len(whole)-1]); err != nil {
			return err
		}
		if cap(line) > maxKept {
			line = nil
		}
		line = line[:0]
	}
}

// maxKept is how much room for long lines is kept for the next one (bytes).
const maxKept = 1 << 20

// maxQuote is how much of what the program says is repeated in an error (bytes).
const maxQuote = 500

// cut is the beginning of a text, whole characters of it.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && text[end]&0xc0 == 0x80 {
		end--
	}
	return text[:end] + "…"
}
