package clusters

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// removeTyped removes the typed control plane and pools, which have composed nothing any more.
func (m *Migration) removeTyped(ctx context.Context) ([]walk.Change, error) {
	return m.remove(ctx, atInline, typedOf, func(p *picture) []*pair { return append([]*pair{p.controlPlane}, p.pools...) })
}

// removeTypedInfrastructure removes what the others are in; it would wait for them.
func (m *Migration) removeTypedInfrastructure(ctx context.Context) ([]walk.Change, error) {
	return m.remove(ctx, atInline, typedOf, func(p *picture) []*pair { return []*pair{p.infrastructure} })
}

func (m *Migration) removeInline(ctx context.Context) ([]walk.Change, error) {
	return m.remove(ctx, atTyped, inlineOf, (*picture).pairs)
}

func typedOf(of *pair) *unstructured.Unstructured  { return of.typed }
func inlineOf(of *pair) *unstructured.Unstructured { return of.inline }

// remove deletes objects of one side, and lets them go after that: who goes on before it is deleted would compose.
func (m *Migration) remove(ctx context.Context, state string, side func(*pair) *unstructured.Unstructured, which func(*picture) []*pair) ([]walk.Change, error) {
	p, err := m.read(ctx)
	if err != nil {
		return nil, err
	}
	if p.state != state && !slices.Contains(beforeOf(state), p.state) { // A dry run is not there yet.
		return nil, nil
	}
	var changes []walk.Change
	for _, of := range which(p) {
		o := side(of)
		if o == nil || o.GetDeletionTimestamp() != nil && !keptBack(o) {
			continue
		}
		changes = append(changes, walk.ChangeOf(o, "is deleted; it has nothing in Azure any more", func(ctx context.Context) error {
			return m.removeOne(ctx, side(of))
		}))
	}
	return changes, nil
}

// beforeOf returns the states before one.
func beforeOf(state string) []string {
	if state == atInline {
		return beforeForth
	}
	return beforeBack
}

// keptBack reports whether an object is kept from being let go.
func keptBack(o client.Object) bool {
	annotations := o.GetAnnotations()
	_, paused := annotations[clusterv1.PausedAnnotation]
	return paused || annotations[names.CrossplanePausedAnnotation] == "true" && annotations[names.PausedByAnnotation] == ""
}

// removeOne deletes an object unless an ASO object is still its own.
func (m *Migration) removeOne(ctx context.Context, o *unstructured.Unstructured) error {
	p, err := m.read(ctx)
	if err != nil {
		return err
	}
	for _, c := range p.children {
		if controls(o, c) {
			return blocked("%s is still controlled by %s", title(c), title(o))
		}
	}
	uid := o.GetUID()
	if err := m.Client.Delete(ctx, o, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
		return err
	}
	current, err := m.Get(ctx, o.GroupVersionKind(), o.GetNamespace(), o.GetName())
	if err != nil || current == nil || current.GetUID() != uid {
		return err
	}
	released := current.DeepCopy()
	walk.Annotate(released, func(a map[string]string) {
		delete(a, clusterv1.PausedAnnotation)
		if a[names.PausedByAnnotation] == "" {
			delete(a, names.CrossplanePausedAnnotation)
		}
	})
	return client.IgnoreNotFound(m.Patch(ctx, current, released))
}

func (m *Migration) typedLeft(ctx context.Context) ([]string, error) {
	return m.left(ctx, typedOf, func(p *picture) []*pair { return append([]*pair{p.controlPlane}, p.pools...) })
}

func (m *Migration) typedInfrastructureLeft(ctx context.Context) ([]string, error) {
	return m.left(ctx, typedOf, func(p *picture) []*pair { return []*pair{p.infrastructure} })
}

func (m *Migration) inlineLeft(ctx context.Context) ([]string, error) {
	return m.left(ctx, inlineOf, (*picture).pairs)
}

// left says which objects are still there.
func (m *Migration) left(ctx context.Context, side func(*pair) *unstructured.Unstructured, which func(*picture) []*pair) ([]string, error) {
	p, err := m.read(ctx)
	if err != nil {
		return nil, err
	}
	var open []string
	for _, of := range which(p) {
		if o := side(of); o != nil {
			open = append(open, title(o)+" to be gone")
		}
	}
	return open, nil
}

// cleanUp takes away what the migration has noted; from the Cluster last.
func (m *Migration) cleanUp(ctx context.Context) ([]walk.Change, error) {
	p, err := m.read(ctx)
	if err != nil || p.state == "" {
		return nil, err
	}
	var changes []walk.Change
	forget := func(o *unstructured.Unstructured, annotations ...string) error {
		change, err := m.change(o, "loses the notes of the migration", func(o *unstructured.Unstructured) error {
			walk.Annotate(o, func(a map[string]string) {
				for _, name := range annotations {
					delete(a, name)
				}
			})
			return nil
		})
		changes = append(changes, change...)
		return err
	}
	for _, of := range p.pairs() {
		if of.inline == nil {
			continue
		}
		if err := forget(of.inline, fromAnnotation, generationsAnnotation); err != nil {
			return nil, err
		}
	}
	return changes, forget(p.cluster, StateAnnotation)
}
