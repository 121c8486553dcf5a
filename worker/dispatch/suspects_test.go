package dispatch

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// patrol plays a worker that opens what the dispatcher gives it, and dies of one of its runs.
type patrol struct {
	d       *Dispatcher
	open    []string
	strikes map[string]int
	poison  string
}

func newPatrol(n int, poison string) *patrol {
	p := &patrol{
		d:       New(nil, nil, 10_000, false, nobody, slog.New(slog.DiscardHandler)),
		strikes: map[string]int{}, poison: poison,
	}
	for i := range n {
		p.d.Ready(fmt.Sprint("run", i))
	}
	return p
}

// round opens what waits. With the poison among it the worker dies, else every open run ends.
func (p *patrol) round() Verdict {
	for runID, ok := p.d.next(); ok; runID, ok = p.d.next() {
		if !slices.Contains(p.open, runID) {
			p.open = append(p.open, runID)
		}
	}
	open := p.open
	p.open = nil
	if !slices.Contains(open, p.poison) {
		for _, runID := range open {
			delete(p.strikes, runID)
			p.d.Progressed(runID)
			p.d.Rested(runID)
		}
		return Verdict{}
	}
	lost := make([]Lost, len(open))
	for i, runID := range open {
		p.strikes[runID]++
		lost[i] = Lost{runID, p.strikes[runID]}
	}
	v := p.d.Judge(lost)
	p.d.Hold(v.Held)
	if v.Guilty != nil {
		p.d.Rested(v.Guilty.RunID)
	}
	return v
}

func TestARunAloneIsGivenUpAtItsFourthDeath(t *testing.T) {
	t.Parallel()
	p := newPatrol(1, "run0")
	for death := 1; death <= MaxStrikes; death++ {
		if v := p.round(); v.Guilty != nil || len(v.Again) != 1 || len(v.Held) != 0 {
			t.Fatalf("death %d: %+v", death, v)
		}
	}
	if v := p.round(); v.Guilty == nil || v.Guilty.RunID != "run0" || v.Guilty.Strikes != MaxStrikes+1 {
		t.Errorf("the fourth death: %+v", v)
	}
}

// TestOnlyTheGuiltyIsGivenUp: whichever run it is that its workers die of, it is found, and every other one ends.
func TestOnlyTheGuiltyIsGivenUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(rt, "runs")
		poison := fmt.Sprint("run", rapid.IntRange(0, n-1).Draw(rt, "poison"))
		p := newPatrol(n, poison)
		deaths, found := 0, false
		for range 4*n + 40 {
			v := p.round()
			if len(v.Again)+len(v.Held) > 0 || v.Guilty != nil {
				deaths++
			}
			if v.Guilty != nil {
				if v.Guilty.RunID != poison || found {
					rt.Fatalf("%s is given up, and it was %s", v.Guilty.RunID, poison)
				}
				found = true
				p.poison = ""
			}
		}
		if !found || deaths > 4+8 {
			rt.Errorf("found %v after %d deaths of %d runs", found, deaths, n)
		}
		if len(p.d.waiting)+len(p.d.suspects.line)+len(p.d.suspects.open)+len(p.d.suspects.alone)+len(p.d.running) > 0 {
			rt.Errorf("left: %d wait, %+v, %d run", len(p.d.waiting), p.d.suspects, len(p.d.running))
		}
	})
}

// TestInDoubtARunIsBlamedInTheEnd: with other unproven runs beside it at each death, the only suspect is given up at its
// third, so that nothing is tried for ever.
func TestInDoubtARunIsBlamedInTheEnd(t *testing.T) {
	t.Parallel()
	d := New(nil, nil, 100, false, nobody, slog.New(slog.DiscardHandler))
	for death := 1; death <= maxAlone; death++ {
		v := d.Judge([]Lost{{"slow", MaxStrikes + death}, {fmt.Sprint("other", death), 2}})
		d.Hold(v.Held)
		if (v.Guilty != nil) != (death == maxAlone) || len(v.Again) != 1 {
			t.Errorf("death %d: %+v", death, v)
		}
	}
}

// TestASuspectThatIsStoppedMakesRoom for the next one.
func TestASuspectThatIsStoppedMakesRoom(t *testing.T) {
	t.Parallel()
	d := New(nil, nil, 100, false, nobody, slog.New(slog.DiscardHandler))
	d.Hold([]Lost{{"a", 4}, {"b", 4}, {"c", 4}})
	next := func() string { id, _ := d.next(); return id }
	if got := []string{next(), next()}; !slices.Equal(got, []string{"a", ""}) {
		t.Fatalf("opened %v", got)
	}
	d.Rested("b") // it was stopped in the line
	d.Rested("a")
	if got := []string{next(), next()}; !slices.Equal(got, []string{"c", ""}) {
		t.Errorf("then opened %v", got)
	}
}
