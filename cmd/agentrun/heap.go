package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// heapRoom is by how much a heap may outgrow what lives in it before it is collected (bytes), where that is more than
	// Go's own measure, its double. What lives in a server is small and made anew all the time: to collect it at its double
	// takes a tenth of its time.
	heapRoom = 128 << 20
	// heapLook is how often the room is measured again.
	heapLook = 5 * time.Second
)

// giveRoom lets the heap grow as heapRoom says until the context ends.
func giveRoom(ctx context.Context) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for {
		metrics.Read(live)
		debug.SetGCPercent(percentFor(live[0].Value.Uint64()))
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
