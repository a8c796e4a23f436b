package changes

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/internal/topology"
)

// An expansion is what other controllers than this project's make of objects.
type expansion struct {
	objects        []*unstructured.Unstructured
	notes, unknown []string
	mistakes       []Mistake
}

// expand returns objects with the Clusters that those for application teams stand for, and with what Cluster API makes of topologies.
func (m *maker) expand(ctx context.Context, objects []*unstructured.Unstructured) (*expansion, error) {
	all := &expansion{}
	objects, refusals, err := preview.WithClusters(ctx, m.Cluster, m.Function, objects)
	if err != nil {
		return nil, err
	}
	for _, r := range refusals {
		if r.Reason == v1alpha1.ReasonClassNotFound {
			all.unknown = append(all.unknown, fmt.Sprintf("%s: what it stands for is not planned: it %s", referenceTo(r.Of), r.Message))
			continue
		}
		all.mistakes = append(all.mistakes, MistakeOf(r.Of, r.Message))
	}
	made, err := topology.Expand(ctx, m.Read, objects)
	if err != nil {
		return nil, err
	}
	for _, wrong := range made.Mistakes {
		all.mistakes = append(all.mistakes, MistakeOf(wrong.Of, wrong.Message))
	}
	all.objects, all.notes, all.unknown = made.Objects, made.Notes, append(all.unknown, made.Unknown...)
	all.unknown = append(all.unknown, m.usedElsewhere(made.Used)...)
	return all, nil
}

// usedElsewhere says of which ClusterClasses and templates that the manifests change no Cluster is among what is planned: others may use them.
func (m *maker) usedElsewhere(used []*unstructured.Unstructured) []string {
	var unknown []string
	for _, o := range m.Manifests {
		kind, _ := composite.Lookup(o.GroupVersionKind().GroupKind())
		template := kind.Role == composite.Template && kind.GroupKind() != composite.AzureMachineTemplate.GroupKind()
		class := o.GroupVersionKind().GroupKind() == clusterv1.GroupVersion.WithKind("ClusterClass").GroupKind()
		same := func(other *unstructured.Unstructured) bool { return preview.SameObject(o, other) }
		i := slices.IndexFunc(m.Live, same)
		if !template && !class || i < 0 || slices.ContainsFunc(used, same) || len(differences("", asked(m.Live[i]), asked(o))) == 0 {
			continue
		}
		unknown = append(unknown, fmt.Sprintf("%s: what it changes in Clusters that use it is not planned: give the manifests of these, too", referenceTo(o)))
	}
	return unknown
}

// readComposed reads what the live composite resources consist of.
func (m *maker) readComposed(ctx context.Context) error {
	m.composed = map[types.UID]map[string]*unstructured.Unstructured{}
	for _, xr := range m.Live {
		if !preview.IsComposite(xr) {
			continue
		}
		composed, err := m.Cluster.Composed(ctx, xr)
		if err != nil {
			return err
		}
		m.composed[xr.GetUID()] = composed
	}
	return nil
}

// gone returns what is deleted with the live composite resources that Cluster API deletes.
func (m *maker) gone(p *preview.Preview) []Item {
	var items []Item
	for _, xr := range m.Live {
		if !preview.IsComposite(xr) || slices.ContainsFunc(p.Objects(), func(o *unstructured.Unstructured) bool { return preview.SameObject(o, xr) }) {
			continue
		}
		composed := m.composed[xr.GetUID()]
		for _, name := range slices.Sorted(maps.Keys(composed)) {
			o := composed[name]
			if aso.Held(o) {
				continue
			}
			item := Item{Action: Delete, Resource: resourceOf(o), Of: referenceTo(xr), Count: 1}
			if reason := staysInAzure(o); reason != "" {
				item.Action, item.Reason = Leave, reason
			}
			items = append(items, item)
		}
	}
	return items
}
