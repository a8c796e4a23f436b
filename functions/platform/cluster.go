// Package platform composes the kinds for application teams: a Cluster API Cluster with the topology of a ClusterClass that
// a platform team has chosen.
package platform

import (
	"cmp"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
	answers "github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// clusterResource is the composition resource name of the Cluster.
const clusterResource = "cluster"

// Reasons of the condition Accepted that are about other objects.
const (
	reasonNoClaim       = "NoClaim"
	reasonNameTaken     = "NameTaken"
	reasonClassNotFound = v1alpha1.ReasonClassNotFound
	reasonClassUnfit    = "ClusterClassUnfit"
)

// The kinds that are composed or read.
var (
	clusterKind        = schema.GroupVersionKind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "Cluster"}
	classKind          = schema.GroupVersionKind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "ClusterClass"}
	machinePoolKind    = schema.GroupVersionKind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "MachinePool"}
	controlPlaneKind   = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "AzureASOManagedControlPlane"}
	asoMachinePoolKind = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "AzureASOManagedMachinePool"}
)

// A key says where the Cluster is: it is named like what the application team has made.
type key struct{ namespace, name string }

// Cluster composes AKSCluster and XAKSCluster.
type Cluster struct{}

// Compose implements composer.Composer. A mistake of the application team's leaves a Cluster that exists as it is.
func (Cluster) Compose(in *composer.Request) (*composer.Result, error) {
	p, err := policyOf(in.Input())
	if err != nil {
		return nil, err
	}
	at, problem := keyOf(in.XR)
	if problem != nil {
		return refusal(in, problem, nil)
	}
	observed := in.Observed[clusterResource]
	class, other, seen, err := lookUp(in, p, at)
	if err != nil {
		return nil, err
	}
	if observed == nil && other != nil && !controls(in.XR, other) {
		return refusal(in, taken(at, other), nil)
	}
	spec, _, err := field.At[map[string]any]("spec").In(plainObject(in.XR))
	if err != nil {
		return nil, fmt.Errorf("cannot read spec: %w", err)
	}
	wanted, problem, err := parametersOf(spec, p, appliedTo(seen.cluster))
	if err != nil {
		return nil, err
	}
	if problem != nil {
		return refusal(in, problem, seen)
	}
	// AKS may have upgraded by itself, and goes back to nothing older; Cluster API has to know.
	wanted.Version = kubeversion.NotBelow(wanted.Version, seen.version())
	cluster, problem := clusterOf(at, wanted, p)
	if problem == nil {
		problem = cmp.Or(fits(cluster, class, p, at), refusedCluster(in, at))
	}
	if problem != nil {
		return refusal(in, problem, seen)
	}
	return accepted(cluster, seen), nil
}

// keyOf says where the Cluster of the composite is. The problem is a composite that stands for no claim.
func keyOf(xr *unstructured.Unstructured) (key, *composer.Blocked) {
	if xr.GetNamespace() != "" {
		return key{xr.GetNamespace(), xr.GetName()}, nil
	}
	claim := field.At[map[string]string]("spec", "claimRef").ValueIn(plainObject(xr))
	if claim["name"] == "" || claim["namespace"] == "" {
		return key{}, &composer.Blocked{Reason: reasonNoClaim,
			Message: "spec.claimRef is missing, but must name a claim because the cluster goes to its namespace; make an AKSClusterClaim"}
	}
	return key{claim["namespace"], claim["name"]}, nil
}

// lookUp asks for everything at once: Crossplane calls a function no more than a handful of times.
func lookUp(in *composer.Request, p *policy, at key) (class, other *unstructured.Unstructured, s *seen, err error) {
	var errs [5]error
	s = &seen{cluster: in.Observed[clusterResource]}
	class, errs[0] = in.GetIn("clusterclass", classKind, p.classNamespace(at), p.class.Name)
	if s.cluster == nil {
		other, errs[1] = in.GetIn("cluster", clusterKind, at.namespace, at.name)
		if errs[1] == nil && other != nil && controls(in.XR, other) {
			s.cluster = other
		}
	} else {
		s.controlPlane, errs[2] = controlPlaneOf(in, s.cluster)
		s.machinePools, errs[3] = in.ListIn("machinepools", machinePoolKind, at.namespace, clusterv1.ClusterNameLabel, at.name)
		s.asoPools, errs[4] = in.ListIn("asomachinepools", asoMachinePoolKind, at.namespace, clusterv1.ClusterNameLabel, at.name)
	}
	return class, other, s, errors.Join(errs[:]...)
}

func controlPlaneOf(in *composer.Request, cluster *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ref := field.At[map[string]string]("spec", "controlPlaneRef").ValueIn(plainObject(cluster))
	if ref["kind"] != controlPlaneKind.Kind || ref["name"] == "" {
		return nil, nil
	}
	return in.GetIn("controlplane", controlPlaneKind, cluster.GetNamespace(), ref["name"])
}

// refusedCluster returns the problem that the API server refuses the Cluster, as one of Cluster API's webhooks does.
func refusedCluster(in *composer.Request, at key) *composer.Blocked {
	answer, refused := answers.Of(in.XR)[clusterResource]
	if !refused {
		return nil
	}
	return composer.Blockedf(composer.ReasonRefused, "Cluster %s/%s is refused by the API server: %s", at.namespace, at.name,
		cmp.Or(answer, answers.InEvents))
}

// controls reports whether the composite is the controller of an object.
func controls(xr, obj *unstructured.Unstructured) bool {
	owner := metav1.GetControllerOf(obj)
	return owner != nil && owner.UID == xr.GetUID()
}

func taken(at key, other *unstructured.Unstructured) *composer.Blocked {
	whose := "was made by hand"
	if owner := metav1.GetControllerOf(other); owner != nil {
		whose = fmt.Sprintf("belongs to %s %s", owner.Kind, owner.Name)
	}
	return composer.Blockedf(reasonNameTaken,
		"metadata.name is %q, but must be another because Cluster %s/%s exists and %s; it is left as it is", at.name, at.namespace, at.name, whose)
}

// fits checks that the ClusterClass is there and takes what it is given.
func fits(cluster, class *unstructured.Unstructured, p *policy, at key) *composer.Blocked {
	if class == nil {
		return composer.Blockedf(reasonClassNotFound,
			"waits for ClusterClass %s/%s, which the platform team has to provide", p.classNamespace(at), p.class.Name)
	}
	object := plainObject(class)
	declared := field.At[[]any]("spec", "variables").ValueIn(object)
	discovered := field.At[[]any]("status", "variables").ValueIn(object)
	variables := byName(append(declared, discovered...))
	used := field.At[[]any]("spec", "topology", "variables").ValueIn(cluster.Object)
	for _, item := range append(used, variable(variableNodePool, nil)) {
		name, _ := item.(map[string]any)["name"].(string)
		if variables[name] == nil {
			return unfit(class, fmt.Sprintf("it has no variable %q, which spec.%s needs", name, fieldOf(name)))
		}
	}
	classes := field.At[[]any]("spec", "workers", "machinePools").ValueIn(object)
	for _, item := range classes {
		if c, _ := item.(map[string]any); c["class"] == p.class.NodePools {
			return nil
		}
	}
	return unfit(class, fmt.Sprintf("it has no machine pool class %q", p.class.NodePools))
}

func unfit(class *unstructured.Unstructured, why string) *composer.Blocked {
	return composer.Blockedf(reasonClassUnfit,
		"the platform team's ClusterClass %s/%s cannot be used because %s", class.GetNamespace(), class.GetName(), why)
}

// fieldOf returns the field of spec that a variable comes from.
func fieldOf(variable string) string {
	switch variable {
	case variableNodePool:
		return "nodePools"
	case variableDNSServiceIP:
		return "network.serviceCIDR"
	}
	return variable
}

// plainObject returns the object with numbers and lists as the unstructured accessors take them.
func plainObject(u *unstructured.Unstructured) map[string]any {
	object, _ := plain(u.Object).(map[string]any)
	return object
}
