package contract

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// backing are the indexes of the kinds that ASO objects back.
var backing = []fixture.Index{
	{Object: access.NewObject(fixture.ASOControlPlane), Field: mirror.BackingIndex, Value: mirror.IndexBacking(fixture.ManagedCluster.GroupKind())},
	{Object: access.NewObject(fixture.TypedControlPlane), Field: mirror.BackingIndex, Value: mirror.IndexBacking(fixture.ManagedCluster.GroupKind())},
	{Object: access.NewObject(fixture.TypedMachinePool), Field: mirror.BackingIndex, Value: mirror.IndexBacking(fixture.AgentPool.GroupKind())},
}

func node(name, pool, group string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{mirror.NodePoolLabel: pool, mirror.NodeResourceGroupLabel: group}}}
}

func TestMapping(t *testing.T) {
	infra := clusterv1.ContractVersionedObjectReference{APIGroup: fixture.ASOMachinePool.Group, Kind: fixture.ASOMachinePool.Kind, Name: "pool0"}
	machinePool := &clusterv1.MachinePool{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mp"}}
	machinePool.Spec.Template.Spec.InfrastructureRef = infra
	m := fixture.NewIndexed(t, backing, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), fixture.OfCluster),
		fixture.With(fixture.Parse(t, fixture.PoolYAML), fixture.OfMachinePool))
	of := func(kind composite.Kind) mapper { return mapper{client: m.Client, kind: kind} }
	fromNode := func(ctx context.Context, obj client.Object) []ctrl.Request {
		return of(composite.AzureASOManagedMachinePool).fromNode(ctx, client.ObjectKeyFromObject(fixture.Cluster()), obj.(*corev1.Node)) //nolint:forcetypeassert // It is one.
	}
	allNodes := func(ctx context.Context, obj client.Object) []ctrl.Request {
		return of(composite.AzureASOManagedMachinePool).fromNode(ctx, client.ObjectKeyFromObject(obj), nil)
	}
	tests := map[string]struct {
		obj  client.Object
		to   func(context.Context, client.Object) []ctrl.Request
		want string
	}{
		"Cluster to infrastructure":          {obj: fixture.Cluster(), to: of(composite.AzureASOManagedCluster).fromCluster, want: "my-cluster"},
		"Cluster to control plane":           {obj: fixture.Cluster(), to: of(composite.AzureASOManagedControlPlane).fromCluster, want: "my-cluster"},
		"Cluster to pools":                   {obj: fixture.Cluster(), to: of(composite.AzureASOManagedMachinePool).fromCluster, want: "pool0"},
		"Cluster of other kinds":             {obj: fixture.Cluster(func(c *clusterv1.Cluster) { c.Spec.InfrastructureRef.Kind = "AzureCluster" }), to: of(composite.AzureASOManagedCluster).fromCluster},
		"MachinePool to pool":                {obj: machinePool, to: of(composite.AzureASOManagedMachinePool).fromMachinePool, want: "pool0"},
		"control plane to infrastructure":    {obj: fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), to: of(composite.AzureASOManagedCluster).fromSibling, want: "my-cluster"},
		"composed to its composite resource": {obj: fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOCluster, "x")), to: of(composite.AzureASOManagedCluster).fromComposed, want: "x"},
		"composed by another kind":           {obj: fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOControlPlane, "x")), to: of(composite.AzureASOManagedCluster).fromComposed},
		"copy to control plane":              {obj: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{OwnerReferences: fixture.With(fixture.Parse(t, fixture.VNetYAML), fixture.Controlled(fixture.ASOControlPlane, "x")).GetOwnerReferences()}}, to: of(composite.AzureASOManagedControlPlane).fromSecret, want: "x"},
		"source to control plane":            {obj: fixture.ASOSecret("aso", "value", ""), to: of(composite.AzureASOManagedControlPlane).fromSecret, want: "my-cluster"},
		"any other Secret":                   {obj: &corev1.Secret{}, to: of(composite.AzureASOManagedControlPlane).fromSecret},
		"lost its controller":                {obj: fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Labelled("x")), to: of(composite.AzureASOManagedControlPlane).fromObject, want: "x"},
		"controlled by another kind":         {obj: fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Labelled("x"), fixture.Controlled(fixture.ASOMachinePool, "x")), to: of(composite.AzureASOManagedControlPlane).fromObject},
		"Node to its pool":                   {obj: node("a", "pool0", "g"), to: fromNode, want: "pool0"},
		"Node of no pool":                    {obj: node("a", "pool7", "g"), to: fromNode},
		"Node without a pool":                {obj: node("a", "", "g"), to: fromNode},
		"all Nodes to pools":                 {obj: fixture.Cluster(), to: allNodes, want: "pool0"},
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
	xr := func(changes ...fixture.Change) client.Object {
		return fixture.With(fixture.With(fixture.Parse(t, fixture.PoolYAML), version("1")), changes...)
	}
	vnet := func(changes ...fixture.Change) client.Object {
		return fixture.With(fixture.With(fixture.Parse(t, fixture.VNetYAML), version("1")), changes...)
	}
	managedCluster := func(changes ...fixture.Change) client.Object {
		return fixture.With(fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), version("1")), changes...)
	}
	machine := func(version string, ready metav1.ConditionStatus, since int64) client.Object {
		m := &clusterv1.Machine{Status: clusterv1.MachineStatus{NodeRef: clusterv1.MachineNodeReference{Name: "n"}}}
		m.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineNodeReadyCondition, Status: ready, LastTransitionTime: metav1.Unix(since, 0)}}
		return numbered(m, version)
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
		"composed: status":     {predicate: composedChanged(fixture.ManagedCluster.GroupKind()), before: vnet(), after: vnet(version("2"), status("id", "x"))},
		"composed: mirrored":   {predicate: composedChanged(fixture.ManagedCluster.GroupKind()), before: managedCluster(), after: managedCluster(version("2")), want: true},
		"composed: policy":     {predicate: composedChanged(fixture.ManagedCluster.GroupKind()), before: vnet(), after: vnet(version("2"), fixture.Annotated(aso.AnnotationReconcilePolicy, "skip")), want: true},
		"composed: undecided":  {predicate: composedChanged(fixture.ManagedCluster.GroupKind()), before: vnet(), after: vnet(version("2"), fixture.Annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided)), want: true},
		"composed: going":      {predicate: composedChanged(fixture.ManagedCluster.GroupKind()), before: vnet(), after: vnet(version("2"), fixture.Deleting("aso")), want: true},
		"Machine: ready":       {predicate: machineChanged(), before: machine("1", metav1.ConditionTrue, 1), after: machine("2", metav1.ConditionTrue, 2)},
		"Machine: in doubt":    {predicate: machineChanged(), before: machine("1", metav1.ConditionTrue, 1), after: machine("2", metav1.ConditionUnknown, 2), want: true},
		"Machine: still so":    {predicate: machineChanged(), before: machine("1", metav1.ConditionUnknown, 2), after: machine("2", metav1.ConditionUnknown, 2)},
		"Machine: Node gone":   {predicate: machineChanged(), before: machine("1", metav1.ConditionUnknown, 2), after: machine("2", metav1.ConditionFalse, 3), want: true},
		"Cluster: status":      {predicate: SpecChanged(), before: numbered(fixture.Cluster(), "1"), after: numbered(fixture.Cluster(), "2")},
		"Cluster: annotations": {predicate: SpecChanged(), before: numbered(fixture.Cluster(), "1"), after: numbered(fixture.Cluster(func(c *clusterv1.Cluster) { c.Annotations = map[string]string{"a": "b"} }), "2"), want: true},
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

// TestPoolFollowsMachines checks which changes of an instance's Machine have its pool looked at: not that there is one more, of a thousand.
func TestPoolFollowsMachines(t *testing.T) {
	machine := func(changes ...func(*clusterv1.Machine)) client.Object {
		m := &clusterv1.Machine{}
		for _, change := range changes {
			change(m)
		}
		return m
	}
	node := func(m *clusterv1.Machine) { m.Status.NodeRef.Name = "n" }
	leaving := func(m *clusterv1.Machine) { m.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }
	annotated := func(key string) func(*clusterv1.Machine) {
		return func(m *clusterv1.Machine) { m.Annotations = map[string]string{key: ""} }
	}
	tests := map[string]struct {
		change           func(*clusterv1.Machine)
		created, updated bool
	}{
		"nothing yet":          {change: func(m *clusterv1.Machine) { m.Status.Phase = "Pending" }},
		"a Node":               {change: node, created: true, updated: true},
		"its way out":          {change: leaving, created: true, updated: true},
		"to go first":          {change: annotated(clusterv1.DeleteMachineAnnotation), created: true, updated: true},
		"some annotation":      {change: annotated("a")},
		"the version of Nodes": {change: func(m *clusterv1.Machine) { m.Spec.Version = "v1.36.3" }, updated: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := numbered(machine(), "1"), numbered(machine(tc.change), "2")
			if got := nodeChanged().Create(event.CreateEvent{Object: after}); got != tc.created {
				t.Errorf("Create = %v, want %v", got, tc.created)
			}
			if got := nodeChanged().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != tc.updated {
				t.Errorf("Update = %v, want %v", got, tc.updated)
			}
			if !nodeChanged().Delete(event.DeleteEvent{Object: after}) {
				t.Error("its end does not pass")
			}
		})
	}
}

func TestMovesPools(t *testing.T) {
	controlPlane := func(changes ...fixture.Change) *unstructured.Unstructured {
		return fixture.With(fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.InStatus("version", "v1.33.2")), changes...)
	}
	tests := map[string]struct {
		after *unstructured.Unstructured
		want  bool
	}{
		"conditions":          {after: controlPlane(fixture.InStatus("conditions", []any{"x"}))},
		"spec":                {after: controlPlane(fixture.InSpec("version", "v1.34.0"))},
		"its deletion begins": {after: controlPlane(fixture.Deleting(names.Finalizer)), want: true},
		"another version":     {after: controlPlane(fixture.InStatus("version", "v1.34.0")), want: true},
		"upgraded by AKS":     {after: controlPlane(fixture.InStatus("autoUpgradeVersion", "v1.33.4")), want: true},
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
		Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: "{data: …}", names.TokenExpiresAtAnnotation: "2026-11-27T12:00:00Z"}, ManagedFields: []metav1.ManagedFieldsEntry{{}},
	}}
	got, err := stripSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	want := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "s", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{names.TokenExpiresAtAnnotation: "2026-11-27T12:00:00Z"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
