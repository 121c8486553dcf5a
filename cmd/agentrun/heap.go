package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// heapRoom is by how much a heap may outgrow what lives in it before it is collected (bytes), where that is more than
	// Go's own measure, its double. What lives in a server is small and made anew all the time: to collect it at its double
	// takes some twentieth of its time.
	heapRoom = 128 << 20
	// heapLook is how often the room is measured again.
	heapLook = 5 * time.Second
)

// giveRoom lets the heap grow as heapRoom says until the context ends, unless the owner's GOGC says something else.
func giveRoom(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for set := 0; ; {
		metrics.Read(live)
		if percent := percentFor(live[0].Value.Uint64()); percent != set { // to set it stops the world
			debug.SetGCPercent(percent)
			set = percent
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(heapLook):
		}
	}
}

// percentFor is GOGC for a heap in which so many bytes live.
func percentFor(live uint64) int {
	const least, most = 100, 400
	return int(min(max(heapRoom*100/max(live, 1), least), most))
}
