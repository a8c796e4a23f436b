package preview

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1" //nolint:staticcheck // CAPZ's templates are written in it.
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/core/webhooks/conversion"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// load takes the objects in and does what the API server and Cluster API core would: versions, namespaces, owners. Secrets are left
// out: no function gets one, and what is made here is written to files.
func (p *Preview) load(objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		if o.GroupVersionKind().GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
			continue
		}
		o, err := Current(o)
		if err != nil {
			return err
		}
		if o.GetNamespace() == "" {
			o.SetNamespace("default")
		}
		if err := setDefaults(o); err != nil {
			return err
		}
		if p.cluster == nil || o.GetUID() == "" {
			o.SetUID(uid(o))
		}
		if p.composed[o.GetUID()] != nil {
			return fmt.Errorf("%s %s of namespace %s is there twice", o.GetKind(), o.GetName(), o.GetNamespace())
		}
		p.objects = append(p.objects, o)
		p.composed[o.GetUID()] = map[string]*unstructured.Unstructured{}
	}
	for _, o := range p.objects {
		kind := o.GroupVersionKind().GroupKind()
		if aso.IsASO(kind.Group) && !aso.StateOf(o).Failed {
			finish(o) // It is the user's own, and Azure succeeds with it, too.
		}
		if k, _ := composite.Lookup(kind); k.Credential {
			// provider-capz says so once ASO can sign in to Azure.
			if o.GetAnnotations()[v1beta1.AnnotationCredential] == "" {
				meta.AddAnnotations(o, map[string]string{v1beta1.AnnotationCredential: "preview"})
			}
		}
		if kind == composite.AzureCluster.GroupKind() {
			assumeZones(o)
		}
		switch kind {
		case clusterv1.GroupVersion.WithKind("Cluster").GroupKind():
			p.own(o, o.GetName(), "spec", "infrastructureRef")
			p.own(o, o.GetName(), "spec", "controlPlaneRef")
		case clusterv1.GroupVersion.WithKind("MachinePool").GroupKind():
			cluster, _, _ := unstructured.NestedString(o.Object, "spec", "clusterName")
			label(o, cluster)
			p.own(o, cluster, "spec", "template", "spec", "infrastructureRef")
		}
	}
	if err := errors.Join(p.tellMachines(), p.tellPools()); err != nil {
		return err
	}
	return p.addMachines()
}

// assumeZones has an AzureCluster be in a location with the zones that most have: which there are, provider-capz finds out in Azure.
func assumeZones(azureCluster *unstructured.Unstructured) {
	if _, known, _ := unstructured.NestedFieldNoCopy(azureCluster.Object, "status", "failureDomains"); known {
		return
	}
	var domains []any
	for _, zone := range []string{"1", "2", "3"} {
		domains = append(domains, map[string]any{"name": zone, "controlPlane": true})
	}
	_ = unstructured.SetNestedSlice(azureCluster.Object, domains, "status", "failureDomains") // What has no status gets one.
}

// uid returns a UID made of what names the object: the one that `crossplane composition render` gives an object without.
func uid(o *unstructured.Unstructured) types.UID {
	name := o.GroupVersionKind().String() + "\x00" + o.GetNamespace() + "\x00" + o.GetName()
	return types.UID(uuid.NewSHA1(uuid.Nil, []byte(name)).String())
}

// attach puts on a composed object what Crossplane does: whose it is, and under which name.
func attach(o, xr *unstructured.Unstructured, name string) error {
	if namespace := xr.GetNamespace(); namespace != "" {
		o.SetNamespace(namespace)
	}
	meta.AddLabels(o, map[string]string{xcrd.LabelKeyNamePrefixForComposed: xr.GetName()})
	xcrd.SetCompositionResourceName(o, name)
	return meta.AddControllerReference(o, meta.AsController(meta.TypedReferenceTo(xr, xr.GroupVersionKind())))
}

// own makes o the owner of the object that it refers to (CAPI contract: core sets owner and label).
func (p *Preview) own(o *unstructured.Unstructured, cluster string, fields ...string) {
	ref, _, _ := unstructured.NestedStringMap(o.Object, fields...)
	for _, x := range p.composites() {
		if x.GetKind() != ref["kind"] || x.GetName() != ref["name"] || x.GetNamespace() != o.GetNamespace() {
			continue
		}
		label(x, cluster)
		if slices.ContainsFunc(x.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.UID == o.GetUID() }) {
			continue
		}
		refs, _, _ := unstructured.NestedSlice(x.Object, "metadata", "ownerReferences")
		refs = append(refs, map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName(), "uid": string(o.GetUID())})
		_ = unstructured.SetNestedSlice(x.Object, refs, "metadata", "ownerReferences")
	}
}

func label(o *unstructured.Unstructured, cluster string) {
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[clusterv1.ClusterNameLabel] = cluster
	o.SetLabels(labels)
}

// Current returns o in the version that composers work at: composites at v1beta1, Cluster API's kinds at v1beta2.
func Current(o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	gvk := o.GroupVersionKind()
	switch {
	case gvk.Group == composite.InfrastructureGroup:
		o.SetAPIVersion(v1beta1.GroupVersion.String())
	case gvk == clusterv1beta1.GroupVersion.WithKind("Cluster"):
		old, out := &clusterv1beta1.Cluster{}, &clusterv1.Cluster{}
		return converted(o, old, out, func() error { return conversion.ConvertClusterV1Beta1ToHub(context.Background(), old, out) })
	case gvk == clusterv1beta1.GroupVersion.WithKind("ClusterClass"):
		old, out := &clusterv1beta1.ClusterClass{}, &clusterv1.ClusterClass{}
		return converted(o, old, out, func() error { return conversion.ConvertClusterClassV1Beta1ToHub(context.Background(), old, out) })
	case gvk == clusterv1beta1.GroupVersion.WithKind("MachinePool"):
		old, out := &clusterv1beta1.MachinePool{}, &clusterv1.MachinePool{}
		return converted(o, old, out, func() error { return conversion.ConvertMachinePoolV1Beta1ToHub(context.Background(), old, out) })
	}
	return o, nil
}

func converted(o *unstructured.Unstructured, old, out any, convert func() error) (*unstructured.Unstructured, error) {
	if err := shape.Convert(o.Object, old); err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	if err := convert(); err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(out)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	u := &unstructured.Unstructured{Object: m}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind(o.GetKind()))
	return u, nil
}

// succeed makes o look as ASO leaves it when Azure has done all it was asked.
func succeed(o *unstructured.Unstructured) {
	status := map[string]any{"conditions": []any{map[string]any{
		"type": "Ready", "status": "True", "reason": "Succeeded", "observedGeneration": o.GetGeneration(),
	}}}
	if profiles, found, _ := unstructured.NestedSlice(o.Object, "spec", "agentPoolProfiles"); found {
		status["agentPoolProfiles"] = profiles
		status["fqdn"] = o.GetName() + ".preview.invalid"
	}
	o.Object["status"] = status
}

// looking reports whether o only looks for what it stands for.
func looking(o *unstructured.Unstructured) bool {
	return o.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipUndecided
}

// notFound makes o look as ASO leaves it when Azure does not have what it looks for: a preview shows what would be made.
func notFound(o *unstructured.Unstructured) {
	o.Object["status"] = map[string]any{"conditions": []any{map[string]any{
		"type": "Ready", "status": "False", "severity": "Warning", "reason": aso.ReasonResourceNotFound, "observedGeneration": o.GetGeneration(),
	}}}
}

// found makes o look as ASO leaves it when it has found in Azure what it looks for.
func found(o *unstructured.Unstructured, status map[string]any) {
	status = runtime.DeepCopyJSON(status)
	status["conditions"] = []any{map[string]any{"type": "Ready", "status": "True", "reason": "Succeeded", "observedGeneration": o.GetGeneration()}}
	o.Object["status"] = status
}

// ownAnnotations has Crossplane own the annotations that are there for a time, so that they go when the function leaves them out. Upon a cluster
// it owns all that it applies.
func (p *Preview) ownAnnotations(o *unstructured.Unstructured) {
	if p.cluster != nil {
		return
	}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{
		Manager: "preview", Operation: metav1.ManagedFieldsOperationApply, APIVersion: o.GetAPIVersion(), FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:` + aso.AnnotationReconcilePolicy + `":{},"f:` + aso.AnnotationHeld + `":{},"f:` + v1beta1.AnnotationOwnership + `":{}}}}`),
	}})
}

// mirror does what provider-capz would: the endpoint goes from the control plane to the cluster's infrastructure.
func (p *Preview) mirror(xr *unstructured.Unstructured) {
	endpoint, found, _ := unstructured.NestedMap(xr.Object, "status", "controlPlaneEndpoint")
	if !found {
		return
	}
	for _, o := range p.composites() {
		k, _ := composite.Lookup(o.GroupVersionKind().GroupKind())
		if k.Role == composite.InfrastructureCluster && o.GetNamespace() == xr.GetNamespace() &&
			o.GetLabels()[clusterv1.ClusterNameLabel] == xr.GetLabels()[clusterv1.ClusterNameLabel] {
			_ = unstructured.SetNestedMap(o.Object, endpoint, "spec", "controlPlaneEndpoint")
		}
	}
}

func equalStatus(a, b *unstructured.Unstructured) bool {
	return reflect.DeepEqual(a.Object["status"], b.Object["status"])
}

// problemOf returns what the function says is wrong or missing, in the words that a user would read on the object.
func problemOf(xr *unstructured.Unstructured, rsp *fnv1.RunFunctionResponse) (problem *Problem, fatal bool) {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return &Problem{Kind: xr.GetKind(), Name: xr.GetName(), Message: r.GetMessage()}, true
		}
	}
	for _, c := range rsp.GetConditions() {
		if c.GetType() == "ResourcesReady" && c.GetStatus() != fnv1.Status_STATUS_CONDITION_TRUE {
			return &Problem{Kind: xr.GetKind(), Name: xr.GetName(), Message: c.GetMessage()}, false
		}
	}
	return nil, false
}
