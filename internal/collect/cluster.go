package collect

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	clusterKind  = clusterv1.GroupVersion.WithKind("Cluster")
	identityRef  = field.At[map[string]any]("spec", "identityRef")
	clusterClass = field.At[string]("spec", "topology", "classRef", "name")
)

// Labels by which Crossplane names the claim of a composite resource.
const (
	claimName      = "crossplane.io/claim-name"
	claimNamespace = "crossplane.io/claim-namespace"
)

// A selection is the objects of a Cluster among all that there are.
type selection struct {
	all      []*unstructured.Unstructured
	selected map[types.UID]bool
}

// ofCluster returns the objects that belong to a Cluster: those that have its label or that it owns, with what owns it, and what this project
// consists of in the cluster. It returns nil when there is no such Cluster.
func ofCluster(all []*unstructured.Unstructured, namespace, name string) []*unstructured.Unstructured {
	s := selection{all: all, selected: map[types.UID]bool{}}
	i := slices.IndexFunc(all, func(o *unstructured.Unstructured) bool {
		return o.GroupVersionKind().GroupKind() == clusterKind.GroupKind() && o.GetNamespace() == namespace && o.GetName() == name
	})
	if i < 0 {
		return nil
	}
	cluster := all[i]
	s.selected[cluster.GetUID()] = true
	for _, o := range all {
		if o.GetNamespace() == namespace && o.GetLabels()[clusterv1.ClusterNameLabel] == name {
			s.selected[o.GetUID()] = true
		}
	}
	s.addOwned()
	s.addAbove(cluster)
	return slices.DeleteFunc(slices.Clone(all), func(o *unstructured.Unstructured) bool { return !s.selected[o.GetUID()] && !isInstallation(o) })
}

// addOwned adds what the selected objects own, and what that owns.
func (s selection) addOwned() {
	for again := true; again; {
		again = false
		for _, o := range s.all {
			if s.selected[o.GetUID()] {
				continue
			}
			for _, ref := range o.GetOwnerReferences() {
				if s.selected[ref.UID] {
					s.selected[o.GetUID()], again = true, true
				}
			}
		}
	}
}

// addAbove adds what the Cluster is owned by, claims and the ClusterClass.
func (s selection) addAbove(cluster *unstructured.Unstructured) {
	class := clusterClass.Value(cluster)
	above := []*unstructured.Unstructured{cluster}
	for len(above) > 0 {
		o := above[0]
		above = above[1:]
		for _, other := range s.all {
			if !s.selected[other.GetUID()] && isAbove(other, o) {
				s.selected[other.GetUID()] = true
				above = append(above, other)
			}
		}
	}
	for _, o := range s.all {
		if class != "" && o.GetKind() == "ClusterClass" && o.GetName() == class {
			s.selected[o.GetUID()] = true
		}
	}
}

// isAbove reports whether an object owns another, or is its claim.
func isAbove(above, o *unstructured.Unstructured) bool {
	for _, ref := range o.GetOwnerReferences() {
		if ref.UID == above.GetUID() {
			return true
		}
	}
	_, isClaim := composite.Claimed(above.GroupVersionKind().GroupKind())
	labels := o.GetLabels()
	return isClaim && above.GetName() == labels[claimName] && above.GetNamespace() == labels[claimNamespace]
}

// isInstallation reports whether an object is of no cluster but of what all clusters run by: packages, definitions, Compositions, settings.
func isInstallation(o *unstructured.Unstructured) bool {
	group := o.GroupVersionKind().Group
	return slices.Contains(crossplaneGroups, group) || group == providerGroup
}

// providerGroup is that of the settings of provider-capz.
const providerGroup = "provider.capz.crossplane.io"

// addIdentities adds the AzureClusterIdentities that the objects refer to in other namespaces.
func (c *collector) addIdentities(ctx context.Context) {
	if c.options.Namespace == "" {
		return
	}
	has := map[string]bool{}
	for _, o := range c.objects {
		if o.GetKind() == composite.AzureClusterIdentity.Kind {
			has[o.GetNamespace()+"/"+o.GetName()] = true
		}
	}
	for _, o := range slices.Clone(c.objects) {
		ref := identityRef.Value(o)
		namespace, name := field.Text(ref["namespace"]), field.Text(ref["name"])
		if namespace == "" {
			namespace = o.GetNamespace()
		}
		if name == "" || has[namespace+"/"+name] {
			continue
		}
		has[namespace+"/"+name] = true
		c.addObject(ctx, composite.AzureClusterIdentity.GroupVersionKind, namespace, name)
	}
}
