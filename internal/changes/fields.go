package changes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// invalid returns the mistakes for which the cluster would refuse a composed object that is created or changed: fields that its schema does not
// have, or of another type. The items of such are taken away.
func (m *maker) invalid(ctx context.Context, p *preview.Preview, items []Item, sources map[string]string) ([]Item, []Mistake, error) {
	var all []Mistake
	for _, s := range p.Steps() {
		if s.After == nil {
			continue
		}
		openAPI, err := m.Cluster.Schema(ctx, s.After.GroupVersionKind())
		if err != nil {
			return nil, nil, err
		}
		schema, err := structpb.NewStruct(openAPI)
		if err != nil || openAPI == nil {
			continue // What no schema says is not refused.
		}
		content := map[string]any{"spec": s.After.Object["spec"]}
		source := sources[keyOf(s.Composite, s.Name)]
		prefix := source + "."
		if !strings.HasPrefix(source, "spec.resources[") {
			prefix = fmt.Sprintf("%s gives %s a field that it cannot have: ", source, referenceTo(s.After))
		}
		message := shape.Sentence(shape.Types(content, shape.OpenAPI(schema)), prefix, s.After.GetKind()+" of "+s.After.GetAPIVersion())
		if message == "" {
			continue
		}
		all = append(all, Mistake{Of: referenceTo(s.Composite), Message: message})
		wrong := referenceTo(s.After)
		items = slices.DeleteFunc(items, func(i Item) bool { return i.Resource.Reference == wrong })
	}
	return items, all, nil
}
