package store

import "container/list"

// headCache keeps the heads of the runs written last. It belongs to the writer's goroutine.
type headCache struct {
	limit int
	order *list.List // of *head, the last used first
	byRun map[string]*list.Element
}

func newHeadCache(limit int) *headCache {
	return &headCache{limit: limit, order: list.New(), byRun: map[string]*list.Element{}}
}

// get is a run's head, or nil where it must be read. The caller copies it before a change.
func (c *headCache) get(id string) *head {
	element := c.byRun[id]
	if element == nil {
		return nil
	}
	c.order.MoveToFront(element)
	return headIn(element)
}

func (c *headCache) put(h *head) {
	if element := c.byRun[h.id]; element != nil {
		element.Value = h
		c.order.MoveToFront(element)
		return
	}
	c.byRun[h.id] = c.order.PushFront(h)
	if c.order.Len() > c.limit {
		oldest := c.order.Back()
		delete(c.byRun, headIn(oldest).id)
		c.order.Remove(oldest)
	}
}

func headIn(element *list.Element) *head {
	return element.Value.(*head) //nolint:forcetypeassert // the list holds nothing else
}
