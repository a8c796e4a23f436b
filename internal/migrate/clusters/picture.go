package clusters

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

var (
	clusterKind     = clusterv1.GroupVersion.WithKind("Cluster")
	machinePoolKind = clusterv1.GroupVersion.WithKind("MachinePool")

	clusterPaused      = field.At[bool]("spec", "paused")
	clusterTopology    = field.At[map[string]any]("spec", "topology")
	infrastructureRef  = field.At[map[string]any]("spec", "infrastructureRef")
	controlPlaneRef    = field.At[map[string]any]("spec", "controlPlaneRef")
	poolRef            = field.At[map[string]any]("spec", "template", "spec", "infrastructureRef")
	poolCluster        = field.At[string]("spec", "clusterName")
	poolVersion        = field.At[string]("spec", "template", "spec", "version")
	statusReady        = field.At[bool]("status", "ready")
	statusResources    = field.At[[]any]("status", "resources")
	specProviderIDList = field.At[[]any]("spec", "providerIDList")
)

// A picture is what there is of one Cluster.
type picture struct {
	cluster *unstructured.Unstructured
	state   string
	// infrastructure and controlPlane are those of the Cluster, pools those of its MachinePools.
	infrastructure, controlPlane *pair
	pools                        []*pair
	children                     []*child
}

// A pair is a composite resource of each family: each takes the place of the other, and has its name.
type pair struct {
	typedKind, inlineKind composite.Kind
	name                  string
	// typed and inline are nil where they do not exist.
	typed, inline *unstructured.Unstructured
	// referrer is the object of Cluster API that refers to one of them, at ref.
	referrer *unstructured.Unstructured
	ref      field.Path[map[string]any]
}

// A child is an ASO object that one of a pair composes.
type child struct {
	*unstructured.Unstructured

	// typed and inline are whose it is on either side. Known reports that the one on the typed side has composed it once.
	typed, inline *pair
	known         bool
}

// each returns the changes of all pairs.
func (p *picture) each(changes func(*pair) ([]walk.Change, error)) ([]walk.Change, error) {
	var all []walk.Change
	for _, of := range p.pairs() {
		some, err := changes(of)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// pairs returns all pairs, the infrastructure last: it is removed after the others.
func (p *picture) pairs() []*pair {
	return slices.Concat([]*pair{p.controlPlane}, p.pools, []*pair{p.infrastructure})
}

// refersTo reports whether a reference is to a kind of one of the two families that plays the role.
func refersTo(ref map[string]any, role composite.Role) bool {
	kind, ok := composite.Lookup(schema.GroupKind{Group: field.Text(ref["apiGroup"]), Kind: field.Text(ref["kind"])})
	return ok && kind.Role == role && (kind.Family == composite.Managed || kind.Family == composite.ASOManaged) && field.Text(ref["name"]) != ""
}

// read reads what there is. The error is a walk.BlockedError where the Cluster is none of these families'.
func (m *Migration) read(ctx context.Context) (*picture, error) {
	cluster, err := m.Get(ctx, clusterKind, m.Namespace, m.Name)
	switch {
	case err != nil:
		return nil, err
	case cluster == nil:
		return nil, blocked("there is no Cluster %s/%s", m.Namespace, m.Name)
	}
	p := &picture{cluster: cluster, state: cluster.GetAnnotations()[StateAnnotation]}
	for _, of := range []struct {
		to            **pair
		ref           field.Path[map[string]any]
		typed, inline composite.Kind
	}{
		{&p.infrastructure, infrastructureRef, composite.AzureManagedCluster, composite.AzureASOManagedCluster},
		{&p.controlPlane, controlPlaneRef, composite.AzureManagedControlPlane, composite.AzureASOManagedControlPlane},
	} {
		ref := of.ref.Value(cluster)
		if !refersTo(ref, of.typed.Role) {
			return nil, blocked("Cluster %s/%s: %s is to %s, but must be to %s", m.Namespace, m.Name, of.ref, cmp.Or(field.Text(ref["kind"]), "nothing"), of.typed.Kind)
		}
		*of.to = &pair{typedKind: of.typed, inlineKind: of.inline, name: field.Text(ref["name"]), referrer: cluster, ref: of.ref}
	}
	machinePools, err := m.List(ctx, machinePoolKind, client.InNamespace(m.Namespace))
	if err != nil {
		return nil, err
	}
	for _, machinePool := range machinePools {
		if poolCluster.Value(machinePool) != m.Name {
			continue
		}
		ref := poolRef.Value(machinePool)
		if !refersTo(ref, composite.InfrastructureMachinePool) {
			return nil, blocked("MachinePool %s/%s: %s is to %s, but must be to %s", m.Namespace, machinePool.GetName(), poolRef, cmp.Or(field.Text(ref["kind"]), "nothing"), composite.AzureManagedMachinePool.Kind)
		}
		p.pools = append(p.pools, &pair{
			typedKind: composite.AzureManagedMachinePool, inlineKind: composite.AzureASOManagedMachinePool, name: field.Text(ref["name"]), referrer: machinePool, ref: poolRef,
		})
	}
	return p, m.readPairs(ctx, p)
}

// readPairs reads the composite resources and what they compose.
func (m *Migration) readPairs(ctx context.Context, p *picture) error {
	for _, of := range p.pairs() {
		var err error
		if of.typed, err = m.Get(ctx, of.typedKind.GroupVersionKind, m.Namespace, of.name); err != nil {
			return err
		}
		if of.inline, err = m.Get(ctx, of.inlineKind.GroupVersionKind, m.Namespace, of.name); err != nil {
			return err
		}
	}
	for _, of := range p.pairs() {
		if err := m.readChildren(ctx, p, of, of.typed, true); err != nil {
			return err
		}
	}
	for _, of := range p.pairs() {
		if err := m.readChildren(ctx, p, of, of.inline, false); err != nil {
			return err
		}
	}
	slices.SortFunc(p.children, compareChildren)
	return nil
}

// readChildren reads what a composite resource refers to and nobody else has referred to before it.
func (m *Migration) readChildren(ctx context.Context, p *picture, of *pair, xr *unstructured.Unstructured, known bool) error {
	if xr == nil {
		return nil
	}
	refs, err := access.ComposedRefs(xr)
	if err != nil {
		return fmt.Errorf("%s: %w", title(xr), err)
	}
	for _, ref := range refs {
		read := slices.ContainsFunc(p.children, func(c *child) bool {
			return c.GroupVersionKind().GroupKind() == ref.GroupKind() && c.GetName() == ref.Name
		})
		if read {
			continue
		}
		o, err := m.Get(ctx, ref.GroupVersionKind, m.Namespace, ref.Name)
		if err != nil {
			return err
		}
		if o == nil {
			continue // Crossplane notes an object before it makes it.
		}
		p.children = append(p.children, p.childOf(of, o, known))
	}
	return nil
}

// surroundings are the kinds of what an AKS cluster lies in: they belong to the infrastructure, which is deleted after the control plane.
var surroundings = []aso.Kind{aso.ResourceGroup, aso.VirtualNetwork, aso.VirtualNetworksSubnet, aso.PrivateEndpoint}

// childOf returns an object with whose it is. The typed control plane composes all but the agent pools.
func (p *picture) childOf(of *pair, o *unstructured.Unstructured, known bool) *child {
	c := &child{Unstructured: o, typed: of, inline: of, known: known}
	switch of {
	case p.controlPlane:
		if rankOf(o, surroundings) < len(surroundings) {
			c.inline = p.infrastructure
		}
	case p.infrastructure:
		c.typed = p.controlPlane
	}
	return c
}

func rankOf(o *unstructured.Unstructured, kinds []aso.Kind) int {
	at := slices.IndexFunc(kinds, func(k aso.Kind) bool { return k.GroupKind() == o.GroupVersionKind().GroupKind() })
	if at < 0 {
		return len(kinds)
	}
	return at
}

// compareChildren orders what others lie in before them, and the rest by kind and name.
func compareChildren(a, b *child) int {
	first := slices.Concat(surroundings, []aso.Kind{aso.ManagedCluster, aso.ManagedClustersAgentPool})
	return cmp.Or(cmp.Compare(rankOf(a.Unstructured, first), rankOf(b.Unstructured, first)), cmp.Compare(plan.NameOf(a.Unstructured), plan.NameOf(b.Unstructured)))
}

// of returns the children that are an inline composite resource's.
func (p *picture) of(inline *pair) []*child {
	return slices.DeleteFunc(slices.Clone(p.children), func(c *child) bool { return c.inline != inline })
}

// controls reports whether a composite resource, which may be nil, is the controller of an object.
func controls(xr *unstructured.Unstructured, o metav1.Object) bool {
	return xr != nil && metav1.IsControlledBy(o, xr)
}

func blocked(format string, args ...any) error {
	return &walk.BlockedError{Problems: []string{fmt.Sprintf(format, args...)}}
}

// title is an object as messages have it.
func title(o client.Object) string {
	return fmt.Sprintf("%s %s/%s", o.GetObjectKind().GroupVersionKind().Kind, o.GetNamespace(), o.GetName())
}
