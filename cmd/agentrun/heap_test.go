package main

import "testing"

func TestTheRoomOfAHeap(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 32 << 20: 400, 64 << 20: 200, 128 << 20: 100, 4 << 30: 100} {
		if got := percentFor(live); got != want {
			t.Errorf("%d bytes live: %d%%, want %d%%", live, got, want)
		}
	}
}

// TestTheRoomIsGivenBackOnceAtRest: not while the process works, and not again before it has worked.
func TestTheRoomIsGivenBackOnceAtRest(t *testing.T) {
	t.Parallel()
	var r rest
	allocated := uint64(0)
	for i, step := range []struct {
		bytes  uint64
		begins bool
	}{
		{10 << 20, false}, // it starts
		{1 << 20, false},  // and has made nothing worth a collection
		{400 << 20, false},
		{50 << 20, false},
		{3 << 20, true}, // it rests
		{3 << 20, false},
		{3 << 20, false},
		{300 << 20, false},
		{0, true},
	} {
		allocated += step.bytes
		if got := r.begins(allocated); got != step.begins {
			t.Errorf("look %d, %d MB more: %v", i, step.bytes>>20, got)
		}
	}
}
