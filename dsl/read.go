package dsl

import "slices"

// The functions below read one field of an object and take one of another type as absent.

func object(o *Object, key string) (*Object, bool) {
	value, _ := o.Get(key)
	found, ok := value.(*Object)
	return found, ok
}

func list(o *Object, key string) []any {
	value, _ := o.Get(key)
	found, _ := value.([]any)
	return found
}

func text(o *Object, key string) string {
	value, _ := o.Get(key)
	found, _ := value.(string)
	return found
}

func optionalText(o *Object, key string) *string {
	value, _ := o.Get(key)
	if found, ok := value.(string); ok {
		return &found
	}
	return nil
}

// texts is nil where the field is absent, and empty where it is an empty list.
func texts(o *Object, key string) []string {
	value, _ := o.Get(key)
	items, ok := value.([]any)
	if !ok {
		return nil
	}
	found := make([]string, 0, len(items))
	for _, item := range items {
		if s, ok := item.(string); ok {
			found = append(found, s)
		}
	}
	return slices.Clip(found)
}

func number(o *Object, key string, otherwise float64) float64 {
	value, _ := o.Get(key)
	if found, ok := value.(float64); ok {
		return found
	}
	return otherwise
}

func flag(o *Object, key string) bool {
	value, _ := o.Get(key)
	found, _ := value.(bool)
	return found
}
