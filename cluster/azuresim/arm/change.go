package arm

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

type changeKey struct{}

// WithChange returns a context in which a PUT or PATCH notes what it has changed: which fields of the resource, of the
// one it is part of, or of any other part of that are stored otherwise afterwards. What differs after each write,
// whatever it asks for, does not count: see transient.
func WithChange(ctx context.Context, changes *[]string) context.Context {
	return context.WithValue(ctx, changeKey{}, changes)
}

// transient are the fields that Azure itself writes anew with each change of a resource.
var transient = []string{"etag", "eTag", fields.State, "systemData", "changedTime"}

// noteChange compares what is stored before and after write.
func (s *Service) noteChange(ctx context.Context, id ID, write func() *Error) *Error {
	changes, _ := ctx.Value(changeKey{}).(*[]string)
	if changes == nil {
		return write()
	}
	before := s.snapshot(id)
	e := write()
	*changes = differences("", before, s.snapshot(id))
	return e
}

// snapshot returns a copy of the stored bodies of everything that a change of the resource may reach.
func (s *Service) snapshot(id ID) map[string]any {
	top := id.topmost()
	bodies := map[string]any{}
	if r := s.Store.Get(top.Path); r != nil {
		bodies[r.Key()] = fields.Clone(r.Body)
	}
	if top.isResourceGroup() {
		return bodies
	}
	for _, r := range s.Store.Under(top.Path) {
		bodies[r.Key()] = fields.Clone(r.Body)
	}
	return bodies
}

// topmost is the resource directly in the resource group or subscription that the resource is, or is a part of.
func (id ID) topmost() ID {
	for id.Nested() {
		parent, err := ParseID(id.Parent)
		if err != nil {
			return id
		}
		id = parent
	}
	return id
}

// differences returns the paths of the fields that differ, sorted.
func differences(path string, before, after any) []string {
	was, wasMap := before.(map[string]any)
	is, isMap := after.(map[string]any)
	if wasMap && isMap {
		return mapDifferences(path, was, is)
	}
	wasList, listBefore := before.([]any)
	isList, listAfter := after.([]any)
	if listBefore && listAfter && len(wasList) == len(isList) {
		var found []string
		for i := range wasList {
			found = append(found, differences(path, wasList[i], isList[i])...)
		}
		return found
	}
	// Not given and given as nothing are the same.
	if reflect.DeepEqual(before, after) || fields.IsEmpty(before) && fields.IsEmpty(after) {
		return nil
	}
	return []string{strings.TrimPrefix(path, ".")}
}

func mapDifferences(path string, before, after map[string]any) []string {
	var found []string
	for name, value := range before {
		if _, stays := after[name]; !stays && !slices.Contains(transient, name) {
			found = append(found, differences(path+"."+name, value, nil)...)
		}
	}
	for name, value := range after {
		if !slices.Contains(transient, name) {
			found = append(found, differences(path+"."+name, before[name], value)...)
		}
	}
	slices.Sort(found)
	return found
}
