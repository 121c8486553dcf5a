package process

// Prepare makes the place of the next gate now.
func (g *Gates) Prepare() { g.prepare() }

// Ready tells the process of the place that is ready, nil for none.
func (g *Gates) Ready() *Process {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ready == nil {
		return nil
	}
	return g.ready.process
}
