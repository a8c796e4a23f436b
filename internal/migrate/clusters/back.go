package clusters

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// beforeBack are the states in which the objects are still to go back.
var beforeBack = []string{toInline, atInline, toTyped}

func (m *Migration) pauseBack(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeBack, func(p *picture) ([]walk.Change, error) { return m.pause(p, toTyped, inlineOf) })
}

// pausedBack says of which ASO objects Azure may still be changed.
func (m *Migration) pausedBack(ctx context.Context) ([]string, error) {
	p, err := m.read(ctx)
	if err != nil || p.state != toTyped {
		return nil, err
	}
	return p.unskipped(), nil
}

// hold has Crossplane and provider-capz leave the inline objects alone, in whatever state they are.
func (m *Migration) hold(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeBack, func(p *picture) ([]walk.Change, error) {
		return p.each(func(of *pair) ([]walk.Change, error) {
			if of.inline == nil {
				return nil, nil
			}
			return m.change(of.inline, "is composed no more", func(o *unstructured.Unstructured) error {
				walk.Annotate(o, func(a map[string]string) {
					a[names.CrossplanePausedAnnotation] = "true"
					delete(a, names.PausedByAnnotation)
				})
				return nil
			})
		})
	})
}

func (m *Migration) handBack(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeBack, func(p *picture) ([]walk.Change, error) {
		return m.give(ctx, p, func(c *child) (from, to *pair) { return c.inline, c.typed }, back)
	})
}

func (m *Migration) referBack(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeBack, func(p *picture) ([]walk.Change, error) {
		return m.referTo(p, func(of *pair) string { return of.typedKind.Kind })
	})
}

// goOnBack lets the typed objects and the Cluster go on.
func (m *Migration) goOnBack(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeBack, func(p *picture) ([]walk.Change, error) {
		changes, err := p.each(func(of *pair) ([]walk.Change, error) {
			return m.change(of.typed, "is no longer paused for itself", func(o *unstructured.Unstructured) error {
				walk.Annotate(o, func(a map[string]string) { delete(a, clusterv1.PausedAnnotation) })
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
		change, err := m.unpause(p, atTyped)
		return append(changes, change...), err
	})
}

func (m *Migration) openBack(ctx context.Context) ([]string, error) {
	return m.open(ctx, typedOf)
}
