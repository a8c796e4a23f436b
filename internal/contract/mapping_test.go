package contract

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

func TestMapping(t *testing.T) {
	infra := clusterv1.ContractVersionedObjectReference{APIGroup: asoMachinePoolKind.Group, Kind: asoMachinePoolKind.Kind, Name: "pool0"}
	machinePool := &clusterv1.MachinePool{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mp"}}
	machinePool.Spec.Template.Spec.InfrastructureRef = infra
	m := newManagement(t, myCluster(), with(parse(t, controlPlaneYAML), ofCluster), with(parse(t, infrastructureYAML), ofCluster),
		with(parse(t, poolYAML), ofMachinePool))
	of := func(kind schema.GroupVersionKind) mapper { return mapper{client: m.Client, kind: kind} }
	fromNode := func(ctx context.Context, obj client.Object) []ctrl.Request {
		return of(asoMachinePoolKind).fromNode(ctx, client.ObjectKeyFromObject(myCluster()), obj.(*corev1.Node)) //nolint:forcetypeassert // It is one.
	}
	allNodes := func(ctx context.Context, obj client.Object) []ctrl.Request {
		return of(asoMachinePoolKind).fromNode(ctx, client.ObjectKeyFromObject(obj), nil)
	}
	tests := map[string]struct {
		obj  client.Object
		to   func(context.Context, client.Object) []ctrl.Request
		want string
	}{
		"Cluster to infrastructure":          {obj: myCluster(), to: of(asoClusterKind).fromCluster, want: "my-cluster"},
		"Cluster to control plane":           {obj: myCluster(), to: of(asoControlPlaneKind).fromCluster, want: "my-cluster"},
		"Cluster to pools":                   {obj: myCluster(), to: of(asoMachinePoolKind).fromCluster, want: "pool0"},
		"Cluster of other kinds":             {obj: myCluster(func(c *clusterv1.Cluster) { c.Spec.InfrastructureRef.Kind = "AzureCluster" }), to: of(asoClusterKind).fromCluster},
		"MachinePool to pool":                {obj: machinePool, to: of(asoMachinePoolKind).fromMachinePool, want: "pool0"},
		"control plane to infrastructure":    {obj: with(parse(t, controlPlaneYAML), ofCluster), to: of(asoClusterKind).fromMember, want: "my-cluster"},
		"composed to its composite resource": {obj: with(parse(t, vnetYAML), controlled(asoClusterKind, "x")), to: of(asoClusterKind).fromComposed, want: "x"},
		"composed by another kind":           {obj: with(parse(t, vnetYAML), controlled(asoControlPlaneKind, "x")), to: of(asoClusterKind).fromComposed},
		"copy to control plane":              {obj: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{OwnerReferences: with(parse(t, vnetYAML), controlled(asoControlPlaneKind, "x")).GetOwnerReferences()}}, to: of(asoControlPlaneKind).fromSecret, want: "x"},
		"source to control plane":            {obj: asoSecret("aso", "value", ""), to: of(asoControlPlaneKind).fromSecret, want: "my-cluster"},
		"any other Secret":                   {obj: &corev1.Secret{}, to: of(asoControlPlaneKind).fromSecret},
		"lost its controller":                {obj: with(parse(t, managedClusterYAML), composedBy("x")), to: of(asoControlPlaneKind).fromObject, want: "x"},
		"controlled by another kind":         {obj: with(parse(t, managedClusterYAML), composedBy("x"), controlled(asoMachinePoolKind, "x")), to: of(asoControlPlaneKind).fromObject},
		"Node to its pool":                   {obj: node("a", "pool0", "g", ""), to: fromNode, want: "pool0"},
		"Node of no pool":                    {obj: node("a", "pool7", "g", ""), to: fromNode},
		"Node without a pool":                {obj: node("a", "", "g", ""), to: fromNode},
		"all Nodes to pools":                 {obj: myCluster(), to: allNodes, want: "pool0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, r := range tc.to(t.Context(), tc.obj) {
				got += r.Name
			}
			if got != tc.want {
				t.Errorf("mapped to %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPredicates(t *testing.T) {
	version := func(v string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) { o.SetResourceVersion(v) }
	}
	status := func(key string, value any) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) { o.Object["status"] = map[string]any{key: value} }
	}
	generation := func(o *unstructured.Unstructured) { o.SetGeneration(9) }
	xr := func(changes ...func(*unstructured.Unstructured)) client.Object {
		return with(with(parse(t, poolYAML), version("1")), changes...)
	}
	vnet := func(changes ...func(*unstructured.Unstructured)) client.Object {
		return with(with(parse(t, vnetYAML), version("1")), changes...)
	}
	managedCluster := func(changes ...func(*unstructured.Unstructured)) client.Object {
		return with(with(parse(t, managedClusterYAML), version("1")), changes...)
	}
	tests := map[string]struct {
		predicate     predicate.Predicate
		before, after client.Object
		want          bool
	}{
		"XR: conditions":       {predicate: xrChanged(), before: xr(), after: xr(version("2"), status("conditions", []any{"x"}))},
		"XR: replicas":         {predicate: xrChanged(), before: xr(), after: xr(version("2"), status("replicas", int64(2))), want: true},
		"XR: endpoint":         {predicate: xrChanged(), before: xr(), after: xr(version("2"), status("controlPlaneEndpoint", map[string]any{"host": "h"})), want: true},
		"XR: spec":             {predicate: xrChanged(), before: xr(), after: xr(version("2"), generation), want: true},
		"XR: finalizers":       {predicate: xrChanged(), before: xr(), after: xr(version("2"), stripped), want: true},
		"XR: resync":           {predicate: xrChanged(), before: xr(), after: xr(), want: true},
		"endpoint: same":       {predicate: endpointChanged(), before: xr(), after: xr(version("2"), generation)},
		"endpoint: new":        {predicate: endpointChanged(), before: xr(), after: xr(version("2"), status("controlPlaneEndpoint", map[string]any{"host": "h"})), want: true},
		"composed: status":     {predicate: composedChanged(managedClusterKind), before: vnet(), after: vnet(version("2"), status("id", "x"))},
		"composed: mirrored":   {predicate: composedChanged(managedClusterKind), before: managedCluster(), after: managedCluster(version("2")), want: true},
		"composed: policy":     {predicate: composedChanged(managedClusterKind), before: vnet(), after: vnet(version("2"), annotated(reconcilePolicyAnnotation, "skip")), want: true},
		"composed: undecided":  {predicate: composedChanged(managedClusterKind), before: vnet(), after: vnet(version("2"), annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided)), want: true},
		"composed: going":      {predicate: composedChanged(managedClusterKind), before: vnet(), after: vnet(version("2"), deleting("aso")), want: true},
		"Cluster: status":      {predicate: specChanged(), before: numbered(myCluster(), "1"), after: numbered(myCluster(), "2")},
		"Cluster: annotations": {predicate: specChanged(), before: numbered(myCluster(), "1"), after: numbered(myCluster(func(c *clusterv1.Cluster) { c.Annotations = map[string]string{"a": "b"} }), "2"), want: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.predicate.Update(event.UpdateEvent{ObjectOld: tc.before, ObjectNew: tc.after}); got != tc.want {
				t.Errorf("Update = %v, want %v", got, tc.want)
			}
			if !tc.predicate.Create(event.CreateEvent{Object: tc.after}) || !tc.predicate.Delete(event.DeleteEvent{Object: tc.after}) {
				t.Error("a creation or deletion does not pass")
			}
		})
	}
}

func TestMovesPools(t *testing.T) {
	controlPlane := func(changes ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
		return with(with(parse(t, typedControlPlaneYAML), inStatus("version", "v1.33.2")), changes...)
	}
	tests := map[string]struct {
		after *unstructured.Unstructured
		want  bool
	}{
		"conditions":          {after: controlPlane(inStatus("conditions", []any{"x"}))},
		"spec":                {after: controlPlane(inSpec("version", "v1.34.0"))},
		"its deletion begins": {after: controlPlane(deleting(Finalizer)), want: true},
		"another version":     {after: controlPlane(inStatus("version", "v1.34.0")), want: true},
		"upgraded by AKS":     {after: controlPlane(inStatus("autoUpgradeVersion", "v1.33.4")), want: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := movesPools().Update(event.UpdateEvent{ObjectOld: controlPlane(), ObjectNew: tc.after}); got != tc.want {
				t.Errorf("Update = %v, want %v", got, tc.want)
			}
		})
	}
}

func numbered(obj client.Object, resourceVersion string) client.Object {
	obj.SetResourceVersion(resourceVersion)
	return obj
}

func TestCachesKeepNoSecrets(t *testing.T) {
	secret := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "s", Labels: map[string]string{"a": "b"},
		Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: "{data: …}"}, ManagedFields: []metav1.ManagedFieldsEntry{{}},
	}}
	got, err := stripSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	want := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "s", Labels: map[string]string{"a": "b"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
