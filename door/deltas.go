package door

import "sync"

// deltaBuffer is how many deltas wait for a slow reader before more are dropped: the journal has the whole answer.
const deltaBuffer = 256

// Feed carries token deltas from workers to the readers of a run's live timeline.
type Feed struct {
	mu      sync.RWMutex
	readers map[string]map[chan Delta]struct{}
}

// NewFeed makes an empty feed.
func NewFeed() *Feed { return &Feed{readers: map[string]map[chan Delta]struct{}{}} }

// Publish hands deltas to whoever reads the run; a reader that is behind misses some.
func (f *Feed) Publish(runID string, deltas []Delta) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for reader := range f.readers[runID] {
		for _, delta := range deltas {
			select {
			case reader <- delta:
			default:
			}
		}
	}
}

// Subscribe reads a run's deltas until stop is called.
func (f *Feed) Subscribe(runID string) (deltas <-chan Delta, stop func()) {
	reader := make(chan Delta, deltaBuffer)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers[runID] == nil {
		f.readers[runID] = map[chan Delta]struct{}{}
	}
	f.readers[runID][reader] = struct{}{}
	return reader, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.readers[runID], reader)
		if len(f.readers[runID]) == 0 {
			delete(f.readers, runID)
		}
	}
}

// Wanted tells whether anybody reads the run's deltas.
func (f *Feed) Wanted(runID string) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.readers[runID]) > 0
}
