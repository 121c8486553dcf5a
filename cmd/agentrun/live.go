package main

import (
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/agentrun/agentrun/client"
)

// liveLine shows a run as one line on a terminal that is drawn again as the run goes on, and wiped at its end.
type liveLine struct {
	container *mpb.Progress
	bar       *mpb.Bar

	mu  sync.Mutex
	now progress
}

func newLiveLine(term *terminal, id string, options ...mpb.ContainerOption) *liveLine {
	v := &liveLine{container: mpb.New(append(options, mpb.WithOutput(term.err))...)}
	v.bar = v.container.New(0, mpb.SpinnerStyle(), mpb.BarWidth(1), mpb.AppendDecorators(
		decor.Name(id+" "),
		decor.Any(func(decor.Statistics) string { return v.text() }),
		decor.Elapsed(decor.ET_STYLE_GO, decor.WC{W: 1, C: decor.DextraSpace}),
	))
	return v
}

func (v *liveLine) text() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now.String()
}

func (v *liveLine) event(e client.Event) {
	if e.Row == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now.add(*e.Row)
}

func (v *liveLine) close() {
	v.bar.Abort(true)
	v.container.Wait()
}
