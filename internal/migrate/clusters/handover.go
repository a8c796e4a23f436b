package clusters

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/handover"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

var secretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

// handOver gives the ASO objects, and the Secrets that provider-capz has written for the typed objects, to the inline ones.
func (m *Migration) handOver(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeForth, func(p *picture) ([]walk.Change, error) {
		return m.give(ctx, p, func(c *child) (from, to *pair) { return c.typed, c.inline }, forth)
	})
}

// A side returns the composite resource of a pair that gives, and the one that takes.
type side func(*pair) (from, to *unstructured.Unstructured)

func forth(of *pair) (from, to *unstructured.Unstructured) {
	if of.inline != nil {
		return of.typed, of.inline
	}
	planned := &unstructured.Unstructured{} // As a dry run has not made it.
	planned.SetGroupVersionKind(of.inlineKind.GroupVersionKind)
	planned.SetName(of.name)
	return of.typed, planned
}

func back(of *pair) (from, to *unstructured.Unstructured) { return of.inline, of.typed }

func (m *Migration) give(ctx context.Context, p *picture, owners func(*child) (from, to *pair), direction side) ([]walk.Change, error) {
	var changes []walk.Change
	for _, c := range p.children {
		giver, taker := owners(c)
		from, _ := direction(giver)
		_, to := direction(taker)
		if !controls(from, c) && !controls(to, c) {
			return nil, blocked("%s is controlled neither by %s %s nor by %s %s", title(c), giver.typedKind.Kind, giver.name, taker.inlineKind.Kind, taker.name)
		}
		what := fmt.Sprintf("is composed by %s %s", to.GetKind(), to.GetName())
		change, err := m.change(c.Unstructured, what, func(o *unstructured.Unstructured) error {
			own(o, from, to)
			handover.ToComposite(o, o.GroupVersionKind().GroupKind(), to)
			return nil
		})
		if err != nil {
			return nil, err
		}
		changes = append(changes, change...)
	}
	secrets, err := m.Metadata(ctx, secretKind, client.InNamespace(m.Namespace))
	if err != nil {
		return nil, err
	}
	for i := range secrets {
		secret := &secrets[i]
		at := slices.IndexFunc(p.pairs(), func(of *pair) bool { from, _ := direction(of); return controls(from, secret) })
		if at < 0 {
			continue
		}
		from, to := direction(p.pairs()[at])
		owned := secret.DeepCopy()
		own(owned, from, to)
		changes = append(changes, walk.ChangeOf(secret, fmt.Sprintf("belongs to %s %s", to.GetKind(), to.GetName()), func(ctx context.Context) error {
			return m.Patch(ctx, secret, owned)
		}))
	}
	return changes, nil
}

// own has an object be owned by to in the place of from, which may be nil.
func own(o metav1.Object, from, to *unstructured.Unstructured) {
	owners := slices.Clone(o.GetOwnerReferences())
	at := slices.IndexFunc(owners, func(r metav1.OwnerReference) bool { return from != nil && r.UID == from.GetUID() })
	if at < 0 {
		return
	}
	controller := *metav1.NewControllerRef(to, to.GroupVersionKind())
	controller.BlockOwnerDeletion = owners[at].BlockOwnerDeletion
	owners[at] = controller
	o.SetOwnerReferences(owners)
}

func same(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(a.Object, b.Object)
}
