package dsl

import "slices"

// writeConflict is a key that two branches wrote.
type writeConflict struct{ path string }

func (w *writeConflict) Error() string { return "two branches wrote " + w.path }

// mergeBranches puts what each branch changed of a state into one: a key belongs to one branch, and what the host keeps
// is merged by what each added.
func mergeBranches(before *Object, branches []*Object) (*Object, error) {
	patch, host := NewObject(len(branches)), newHostMerge(before)
	for _, after := range branches {
		for key, value := range after.All() {
			was, had := before.Get(key)
			if key == hostKey || had && Equal(was, value) {
				continue
			}
			if patch.Has(key) {
				return nil, &writeConflict{path: key}
			}
			patch.Set(key, value)
		}
		if err := host.add(after); err != nil {
			return nil, err
		}
	}
	if host.merged.Len() > 0 {
		patch.Set(hostKey, host.merged)
	}
	return merged(before, patch), nil
}

// hostMerge gathers what branches added to the host's part of the state.
type hostMerge struct{ before, merged, written *Object }

func newHostMerge(before *Object) *hostMerge {
	kept := hostOf(before)
	return &hostMerge{before: kept, merged: merged(kept, nil), written: NewObject(0)}
}

func (h *hostMerge) add(after *Object) error {
	for key, value := range hostOf(after).All() {
		was, had := h.before.Get(key)
		if had && Equal(was, value) {
			continue
		}
		if err := h.write(key, was, value); err != nil {
			return err
		}
	}
	return nil
}

// write merges one key: lists append what is new, in the order of the branches; other values must agree.
func (h *hostMerge) write(key string, was, value any) error {
	earlier, twice := h.written.Get(key)
	items, isList := value.([]any)
	if !isList {
		if twice && !Equal(earlier, value) {
			return &writeConflict{path: hostKey + "." + key}
		}
		h.written.Set(key, value)
		h.merged.Set(key, value)
		return nil
	}
	if twice {
		before, ok := earlier.([]any)
		if !ok {
			return &writeConflict{path: hostKey + "." + key}
		}
		items = appended(before, added(was, items))
	}
	h.written.Set(key, items)
	h.merged.Set(key, items)
	return nil
}

// added is what a list has beyond the one it was made of; all of it where it was made anew.
func added(was any, items []any) []any {
	before, ok := was.([]any)
	if !ok || len(before) > len(items) || !equalLists(before, items[:len(before)]) {
		return items
	}
	return items[len(before):]
}

func appended(list, more []any) []any {
	return append(slices.Clip(list), more...)
}
