package preview

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Refusal says why an object for an application team stands for no Cluster, or for the one that there is.
type Refusal struct {
	Of              *unstructured.Unstructured
	Reason, Message string
}

// IsForApplications reports whether an object is of a kind for application teams, or a claim of one.
func IsForApplications(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == composite.PlatformGroup
}

// WithClusters returns objects with the Clusters that those for application teams among them stand for. The cluster is nil for none.
func WithClusters(ctx context.Context, cluster Cluster, function fnv1.FunctionRunnerServiceServer, objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, []Refusal, error) {
	if !slices.ContainsFunc(objects, IsForApplications) {
		return objects, nil, nil
	}
	p := &Preview{cluster: cluster, function: function, composed: map[types.UID]map[string]*unstructured.Unstructured{}, answered: map[types.UID]answer{}}
	for _, o := range objects {
		current, err := Current(o.DeepCopy())
		if err != nil {
			return nil, nil, err
		}
		p.objects = append(p.objects, current)
	}
	var refusals []Refusal
	for _, o := range slices.Clone(p.objects) {
		if !IsForApplications(o) {
			continue
		}
		refusal, err := p.addCluster(ctx, o)
		if err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
		}
		if refusal != nil {
			refusals = append(refusals, *refusal)
		}
	}
	return p.objects, refusals, nil
}

var (
	specClaimRef    = field.At[map[string]any]("spec", "claimRef")
	specResourceRef = field.At[string]("spec", "resourceRef", "name")
	// onlyOfClaims are the fields of a claim's spec that its composite resource does not have.
	onlyOfClaims = []string{"resourceRef", "writeConnectionSecretToRef", "compositeDeletePolicy"}
)

// addCluster adds what an object for an application team is composed of, or has it be as it is to be.
func (p *Preview) addCluster(ctx context.Context, o *unstructured.Unstructured) (*Refusal, error) {
	xr, err := p.compositeOf(ctx, o)
	if err != nil {
		return nil, err
	}
	composed := map[string]*unstructured.Unstructured{}
	for _, other := range p.objects {
		if name := xcrd.GetCompositionResourceName(other); name != "" && metav1.IsControlledBy(other, xr) {
			composed[name] = other
		}
	}
	p.composed[xr.GetUID()] = composed
	rsp, err := p.call(ctx, xr)
	if err != nil {
		return nil, err
	}
	if problem, fatal := problemOf(xr, rsp); fatal {
		return &Refusal{Of: o, Message: problem.Message}, nil
	}
	for _, name := range slices.Sorted(maps.Keys(rsp.GetDesired().GetResources())) {
		wanted, err := desired(rsp.GetDesired().GetResources()[name], xr, name)
		if err != nil {
			return nil, err
		}
		before := composed[name]
		i := slices.IndexFunc(p.objects, func(other *unstructured.Unstructured) bool { return SameObject(other, wanted) })
		if before == nil && i >= 0 {
			before = p.objects[i]
		}
		after := Applied(before, wanted, plan.ComposedManager)
		if i >= 0 {
			p.objects[i] = after
		} else {
			p.objects = append(p.objects, after)
		}
	}
	for _, c := range rsp.GetConditions() {
		if c.GetType() == v1alpha1.ConditionAccepted && c.GetStatus() == fnv1.Status_STATUS_CONDITION_FALSE {
			return &Refusal{Of: o, Reason: c.GetReason(), Message: c.GetMessage()}, nil
		}
	}
	return nil, nil
}

// compositeOf returns the composite resource of an object for an application team: the object itself, or what Crossplane makes of a claim.
func (p *Preview) compositeOf(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	kind, claimed := composite.Claimed(o.GroupVersionKind().GroupKind())
	if !claimed {
		xr := o.DeepCopy()
		if xr.GetUID() == "" {
			xr.SetUID(uid(xr))
		}
		return xr, nil
	}
	xr := &unstructured.Unstructured{Object: map[string]any{}}
	if name := specResourceRef.Value(o); name != "" && p.cluster != nil {
		found, err := p.cluster.Select(ctx, &fnv1.ResourceSelector{ApiVersion: kind.GroupVersion().String(), Kind: kind.Kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: name}})
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			xr = found[0].DeepCopy()
		}
	}
	spec, _, err := unstructured.NestedMap(o.Object, "spec")
	if err != nil {
		return nil, err
	}
	for _, name := range onlyOfClaims {
		delete(spec, name)
	}
	old, _, _ := unstructured.NestedMap(xr.Object, "spec")
	for _, name := range []string{"resourceRefs", "claimRef", "compositionRef", "compositionRevisionRef"} { // They are Crossplane's.
		if value, ok := old[name]; ok {
			spec[name] = value
		}
	}
	xr.Object["spec"] = spec
	if xr.GetUID() == "" {
		xr.SetGroupVersionKind(kind.GroupVersionKind)
		xr.SetName(o.GetName())
		xr.SetUID(uid(xr))
		err = specClaimRef.Set(xr, map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName(), "namespace": o.GetNamespace()})
	}
	return xr, err
}
