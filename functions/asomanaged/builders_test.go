package asomanaged

import (
	"maps"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
)

// Names that all tests share.
const (
	ns          = "ns"
	coreV1Beta2 = "cluster.x-k8s.io/v1beta2"
	capz        = "infrastructure.cluster.x-k8s.io/v1beta1"

	aks        = "containerservice.azure.com/v1api20250801"
	aksPreview = "containerservice.azure.com/v20251002preview"
	network    = "network.azure.com/v1api20240301"
	resources  = "resources.azure.com/v1api20200601"

	crossplaneManager = "apiextensions.crossplane.io/composed/0123456789abcdef"
)

var created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

type unstr = unstructured.Unstructured

func list(items ...any) []any { return items }

func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func inline(apiVersion, kind, name string, edits ...edit) *unstr {
	o := &unstr{Object: map[string]any{}}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetName(name)
	return edited(o, edits...)
}

func group(name string) *unstr {
	return inline(resources, "ResourceGroup", name, set("westeurope", "spec", "location"))
}

func owned(apiVersion, kind, name, owner string, edits ...edit) *unstr {
	return inline(apiVersion, kind, name, append([]edit{set(owner, "spec", "owner", "name")}, edits...)...)
}

func aksCluster(edits ...edit) *unstr {
	return owned(aks, "ManagedCluster", "mc", "rg", append([]edit{set("westeurope", "spec", "location")}, edits...)...)
}

func aksPool(name string, edits ...edit) *unstr {
	return owned(aks, "ManagedClustersAgentPool", name, "mc",
		append([]edit{set("azure"+name, "spec", "azureName"), set("System", "spec", "mode")}, edits...)...)
}

// live makes an object as the API server has it.
func live(apiVersion, kind, name string, edits ...edit) *unstr {
	return inline(apiVersion, kind, name, append([]edit{func(o *unstr) {
		o.SetNamespace(ns)
		o.SetUID(types.UID("uid-" + kind + "-" + name))
		o.SetCreationTimestamp(metav1.NewTime(created))
		o.SetGeneration(1)
	}}, edits...)...)
}

func ref(kind, name string) map[string]any {
	return dict("apiGroup", "infrastructure.cluster.x-k8s.io", "kind", kind, "name", name)
}

func cluster(edits ...edit) *unstr {
	return live(coreV1Beta2, "Cluster", "c1", append([]edit{
		set(ref("AzureASOManagedCluster", "infra"), "spec", "infrastructureRef"),
		set(ref("AzureASOManagedControlPlane", "cp"), "spec", "controlPlaneRef"),
		set(list("10.0.0.0/16", "fd00::/108"), "spec", "clusterNetwork", "services", "cidrBlocks"),
		set(list("10.244.0.0/16"), "spec", "clusterNetwork", "pods", "cidrBlocks"),
	}, edits...)...)
}

func machinePool(pool string, edits ...edit) *unstr {
	return live(coreV1Beta2, "MachinePool", "mp-"+pool, append([]edit{
		set("c1", "metadata", "labels", "cluster.x-k8s.io/cluster-name"),
		set("c1", "spec", "clusterName"),
		set(int64(3), "spec", "replicas"),
		set("v1.33.6", "spec", "template", "spec", "version"),
		set(ref("AzureASOManagedMachinePool", pool), "spec", "template", "spec", "infrastructureRef"),
	}, edits...)...)
}

func compositeObject(kind, name, ownerKind, owner string, entries ...*unstr) *unstr {
	items := make([]any, 0, len(entries))
	for _, e := range entries {
		items = append(items, e.DeepCopy().Object)
	}
	return live(capz, kind, name, set(items, "spec", "resources"), func(o *unstr) {
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: coreV1Beta2, Kind: ownerKind, Name: owner, UID: types.UID("uid-" + ownerKind + "-" + owner)}})
		o.SetLabels(map[string]string{"cluster.x-k8s.io/cluster-name": "c1"})
	})
}

func infraXR(entries ...*unstr) *unstr {
	return compositeObject("AzureASOManagedCluster", "infra", "Cluster", "c1", entries...)
}

func controlPlaneXR(entries ...*unstr) *unstr {
	return edited(compositeObject("AzureASOManagedControlPlane", "cp", "Cluster", "c1", entries...), set("v1.33.6", "spec", "version"))
}

func poolXR(name string, entries ...*unstr) *unstr {
	return compositeObject("AzureASOManagedMachinePool", name, "MachinePool", "mp-"+name, entries...)
}

// ready says in the XR's status that its resources are.
func ready(xr *unstr) *unstr {
	xr = xr.DeepCopy()
	var items []any
	for _, e := range entries(xr) {
		items = append(items, statusItem(e, true))
	}
	_ = unstructured.SetNestedSlice(xr.Object, items, "status", "resources")
	return xr
}

func statusItem(o *unstr, isReady bool) map[string]any {
	gvk := o.GroupVersionKind()
	return dict("resource", dict("group", gvk.Group, "version", gvk.Version, "kind", gvk.Kind, "name", o.GetName()), "ready", isReady)
}

func entries(xr *unstr) []*unstr {
	items, _, _ := unstructured.NestedSlice(xr.Object, "spec", "resources")
	var out []*unstr
	for _, i := range items {
		out = append(out, &unstr{Object: i.(map[string]any)})
	}
	return out
}

// condition sets ASO's condition.
func condition(status, severity, reason, message string) edit {
	return set(list(dict("type", "Ready", "status", status, "severity", severity, "reason", reason, "message", message, "observedGeneration", int64(1))), "status", "conditions")
}

var succeeded = condition("True", "", "Succeeded", "")

// looked is what the function adds to an object that ASO only looks with, before anything is sent to Azure.
func looked(o *unstr) {
	annotate(policy, "skip")(o)
	annotate("infrastructure.cluster.x-k8s.io/ownership", "undecided")(o)
}

// held is what an object has while it waits in Kubernetes.
func held(o *unstr) {
	annotate(policy, "skip")(o)
	annotate(heldMark, "true")(o)
}

// exists returns desired as the API server has it after Crossplane has applied it for xr, ASO has taken it up, and Azure
// has created it.
func exists(t testing.TB, xr, desired *unstr, edits ...edit) *unstr {
	t.Helper()
	applied := edited(desired, func(o *unstr) {
		o.SetNamespace(ns)
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: capz, Kind: xr.GetKind(), Name: xr.GetName(), UID: xr.GetUID(), Controller: new(true)}})
		o.SetLabels(union(o.GetLabels(), map[string]string{"crossplane.io/composite": xr.GetName()}))
		o.SetAnnotations(union(o.GetAnnotations(), map[string]string{"crossplane.io/composition-resource-name": name(o)}))
	})
	fields := managedfieldstest.NewTestFieldManager(managedfields.NewDeducedTypeConverter(), desired.GroupVersionKind())
	must(t, fields.Apply(applied, crossplaneManager, true))
	taken := edited(fields.Live().(*unstr), set("/subscriptions/s/providers/"+desired.GetKind()+"/"+desired.GetName(), "metadata", "annotations", "serviceoperator.azure.com/resource-id"),
		func(o *unstr) { o.SetFinalizers([]string{"serviceoperator.azure.com/finalizer"}) })
	if _, named, _ := unstructured.NestedString(desired.Object, "spec", "azureName"); !named {
		set(desired.GetName(), "spec", "azureName")(taken)
	}
	must(t, fields.Update(taken, "aso-controller"))
	out := edited(fields.Live().(*unstr), func(o *unstr) {
		o.SetUID(types.UID("uid-" + name(desired)))
		o.SetCreationTimestamp(metav1.NewTime(created))
		o.SetGeneration(1)
		at := o.GetManagedFields()
		for i := range at {
			at[i].Time = &metav1.Time{Time: created}
		}
		o.SetManagedFields(at)
	}, succeeded)
	return edited(out, edits...)
}

func union(a, b map[string]string) map[string]string {
	out := maps.Clone(b)
	maps.Copy(out, a)
	return out
}
