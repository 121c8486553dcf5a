package activities

import (
	"sync"
	"time"
)

// laneLimit is how long a model may lately have taken for its requests to stay in the local lane: well within one
// workflow-task heartbeat (workflows.TaskTimeout).
const laneLimit = 4 * time.Second

// laneWeight is the weight of the newest answer in the moving average.
const laneWeight = 0.3

// lanes remembers how long each model lately took to answer.
type lanes struct {
	pinned string
	mu     sync.Mutex
	took   map[string]time.Duration
}

func newLanes(pinned string) *lanes {
	if pinned == "auto" {
		pinned = ""
	}
	return &lanes{pinned: pinned, took: map[string]time.Duration{}}
}

func (l *lanes) saw(model string, took time.Duration, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !answered && took < laneLimit {
		return // a quick refusal says nothing of how long an answer takes
	}
	before, known := l.took[model]
	if !known {
		l.took[model] = took
		return
	}
	l.took[model] = before + time.Duration(laneWeight*float64(took-before))
}

func (l *lanes) pick(model string) string {
	if l.pinned != "" {
		return l.pinned
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.took[model] > laneLimit {
		return LaneRegular
	}
	return LaneLocal
}
