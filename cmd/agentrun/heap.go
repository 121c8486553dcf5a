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
	// quietBytes is how much a process at rest allocates from one look to the next, at most.
	quietBytes = 4 << 20
)

// giveRoom lets the heap grow as heapRoom says until the context ends, and gives the room back to the system when the
// process has come to rest; unless the owner's GOGC says something else.
func giveRoom(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	var rest rest
	for set := 0; ; {
		metrics.Read(heap)
		if percent := percentFor(heap[0].Value.Uint64()); percent != set { // to set it stops the world
			debug.SetGCPercent(percent)
			set = percent
		}
		if rest.begins(heap[1].Value.Uint64()) {
			debug.FreeOSMemory()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(heapLook):
		}
	}
}

// rest sees a process come to rest by what it allocates.
type rest struct {
	allocated uint64
	// kept are the bytes allocated since room was given back.
	kept uint64
}

// begins tells, of the bytes allocated in all until now, whether the process has come to rest with room to give back.
func (r *rest) begins(allocated uint64) bool {
	since := allocated - r.allocated
	r.allocated = allocated
	r.kept += since
	if since > quietBytes || r.kept < heapRoom {
		return false
	}
	r.kept = 0
	return true
}

// percentFor is GOGC for a heap in which so many bytes live.
func percentFor(live uint64) int {
	const least, most = 100, 400
	return int(min(max(heapRoom*100/max(live, 1), least), most))
}
