package arm

import (
	"context"
	"reflect"
)

type changeKey struct{}

// WithChange returns a context in which a PUT or PATCH notes whether it has changed anything: whether the resource, the
// one it is part of, or any other part of that is stored otherwise afterwards. What differs after each write, whatever
// it asks for, does not count: see transient.
func WithChange(ctx context.Context, changed *bool) context.Context {
	return context.WithValue(ctx, changeKey{}, changed)
}

// transient are the fields that Azure itself writes anew with each change of a resource.
var transient = map[string]bool{"etag": true, "eTag": true, "provisioningState": true, "systemData": true, "changedTime": true}

// noteChange compares what is stored before and after write.
func (s *Service) noteChange(ctx context.Context, id ID, write func() *Error) *Error {
	changed, _ := ctx.Value(changeKey{}).(*bool)
	if changed == nil {
		return write()
	}
	before := s.snapshot(id)
	e := write()
	*changed = !reflect.DeepEqual(before, s.snapshot(id))
	return e
}

// snapshot returns the stored bodies of everything that a change of the resource may reach.
func (s *Service) snapshot(id ID) map[string]any {
	top := id.topmost()
	bodies := map[string]any{}
	if r := s.store.get(top.Path); r != nil {
		bodies[r.key()] = lasting(r.Body)
	}
	if top.isResourceGroup() {
		return bodies
	}
	for _, r := range s.store.under(top.Path) {
		bodies[r.key()] = lasting(r.Body)
	}
	return bodies
}

// topmost is the resource directly in the resource group or subscription that the resource is, or is a part of.
func (id ID) topmost() ID {
	for id.nested() {
		parent, err := ParseID(id.Parent)
		if err != nil {
			return id
		}
		id = parent
	}
	return id
}

// lasting returns a copy of a value without the transient fields.
func lasting(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			if !transient[name] {
				out[name] = lasting(field)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, lasting(item))
		}
		return out
	}
	return value
}
