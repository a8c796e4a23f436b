package mirror

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// clusters applies what Cluster API decides of the ManagedCluster that backs a control plane.
func clusters(m *fixture.Management) reconcile.Func {
	api := m.API()
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		s := m.Scope(composite.AzureManagedControlPlane, req.Name)
		managedCluster, err := ManagedCluster(ctx, api.Live, s.XR)
		if err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, DecideCluster(ctx, api, s, managedCluster)
	}
}

func TestDecideVersionOfTheUsersManagedCluster(t *testing.T) {
	version := fixture.Annotated(v1beta1.AnnotationManages, "version")
	tests := map[string]struct {
		xr    []fixture.Change
		live  []fixture.Change
		want  any
		held  bool
		event string
	}{
		"manages nothing":                   {live: []fixture.Change{fixture.InSpec("kubernetesVersion", "1.32.1")}, want: "1.32.1"},
		"manages something else":            {xr: []fixture.Change{fixture.Annotated(v1beta1.AnnotationManages, "replicas")}},
		"manages version":                   {xr: []fixture.Change{version}, want: "1.33.2", held: true},
		"manages version, among others":     {xr: []fixture.Change{fixture.Annotated(v1beta1.AnnotationManages, "replicas, version")}, want: "1.33.2", held: true},
		"as the user has it too":            {xr: []fixture.Change{version}, live: []fixture.Change{fixture.InSpec("kubernetesVersion", "1.33.2")}, want: "1.33.2", held: true},
		"the user has another":              {xr: []fixture.Change{version}, live: []fixture.Change{fixture.InSpec("kubernetesVersion", "1.32.1")}, want: "1.32.1", event: `ManagedByOther annotation infrastructure.cluster.x-k8s.io/manages lets Cluster API decide kubernetesVersion of ManagedCluster my-cluster, but .spec.kubernetesVersion: conflict with "kubectl"`},
		"Azure has upgraded it":             {xr: []fixture.Change{version}, live: []fixture.Change{fixture.InStatus("currentKubernetesVersion", "1.33.10")}, want: "1.33.10", held: true},
		"Azure has an older one":            {xr: []fixture.Change{version}, live: []fixture.Change{fixture.InStatus("currentKubernetesVersion", "1.33.1")}, want: "1.33.2", held: true},
		"composed, so the function decides": {xr: []fixture.Change{version}, live: []fixture.Change{fixture.Controlled(fixture.TypedControlPlane, "my-cluster")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.ClusterOfTyped(), fixture.With(fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster, fixture.ComposedNothing), tc.xr...))
			m.CreateAs("kubectl", fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), tc.live...))
			before := m.Find(fixture.ManagedCluster, "my-cluster")
			r := clusters(m)
			m.Reconcile(r, "my-cluster")
			m.Reconcile(r, "my-cluster")
			got := m.Find(fixture.ManagedCluster, "my-cluster")
			if value := got.Object["spec"].(map[string]any)["kubernetesVersion"]; value != tc.want {
				t.Errorf("spec.kubernetesVersion %v, want %v", value, tc.want)
			}
			held := map[string]any{}
			if tc.held {
				held["kubernetesVersion"] = tc.want
			}
			if diff := cmp.Diff(held, m.Applied(got)); diff != "" {
				t.Errorf("applied: -want +got:\n%s", diff)
			}
			if events := strings.Join(m.TakeEvents(), "\n"); (events != "") != (tc.event != "") || !strings.Contains(events, tc.event) {
				t.Errorf("events %q, want one with %q", events, tc.event)
			}
			unstructured.RemoveNestedField(before.Object, "spec", "kubernetesVersion")
			unstructured.RemoveNestedField(got.Object, "spec", "kubernetesVersion")
			if diff := cmp.Diff(before.Object["spec"], got.Object["spec"]); diff != "" {
				t.Errorf("something else was changed: -want +got:\n%s", diff)
			}
		})
	}
}

func TestDecideAboutTheUsersAgentPool(t *testing.T) {
	manages := func(what string) func(*unstructured.Unstructured) {
		return fixture.Annotated(v1beta1.AnnotationManages, what)
	}
	three := int32(3)
	tests := map[string]struct {
		xr           []fixture.Change
		live         []fixture.Change
		version      string
		controlPlane []fixture.Change
		want         map[string]any
		event        string
	}{
		"manages nothing":                   {version: "v1.33.2", want: map[string]any{}},
		"replicas, of a pool of no number":  {xr: []fixture.Change{manages("replicas")}, live: []fixture.Change{settledAt(3)}, want: map[string]any{"count": int64(3)}},
		"replicas, AKS had another number":  {xr: []fixture.Change{manages("replicas")}, live: []fixture.Change{settledAt(5)}, want: map[string]any{}},
		"replicas, AKS not asked since":     {xr: []fixture.Change{manages("replicas")}, live: []fixture.Change{settledAt(3), fixture.InStatus("conditions", []any{})}, want: map[string]any{}},
		"replicas":                          {xr: []fixture.Change{manages("replicas")}, live: []fixture.Change{fixture.InSpec("count", int64(3))}, version: "v1.33.2", want: map[string]any{"count": int64(3)}},
		"replicas, which AKS decides":       {xr: []fixture.Change{manages("replicas")}, live: []fixture.Change{fixture.InSpec("enableAutoScaling", true)}, want: map[string]any{}},
		"version":                           {xr: []fixture.Change{manages("version")}, version: "v1.33.2", want: map[string]any{"orchestratorVersion": "1.33.2"}},
		"both":                              {xr: []fixture.Change{manages("version,replicas")}, live: []fixture.Change{fixture.InSpec("count", int64(3))}, version: "v1.33.2", want: map[string]any{"orchestratorVersion": "1.33.2", "count": int64(3)}},
		"version, but none is asked for":    {xr: []fixture.Change{manages("version")}, want: map[string]any{}},
		"version, upgraded by AKS":          {xr: []fixture.Change{manages("version")}, version: "v1.33.2", controlPlane: []fixture.Change{fixture.InStatus("version", "v1.33.4"), fixture.InStatus("autoUpgradeVersion", "v1.33.4")}, want: map[string]any{"orchestratorVersion": "1.33.4"}},
		"version, the pool is newer":        {xr: []fixture.Change{manages("version")}, version: "v1.33.1", live: []fixture.Change{fixture.InStatus("currentOrchestratorVersion", "1.33.2")}, want: map[string]any{"orchestratorVersion": "1.33.2"}},
		"version above the control plane's": {xr: []fixture.Change{manages("version")}, version: "v1.34.0", want: map[string]any{}, event: `VersionAwaitsControlPlane the pool is upgraded to 1.34.0 when the control plane is, which has "v1.33.2" now`},
		"version, no control plane yet":     {xr: []fixture.Change{manages("version")}, version: "v1.33.2", controlPlane: []fixture.Change{func(o *unstructured.Unstructured) { delete(o.Object, "status") }}, want: map[string]any{}, event: `which has "" now`},
		"composed, so the function decides": {xr: []fixture.Change{manages("version,replicas")}, version: "v1.33.2", live: []fixture.Change{fixture.Controlled(fixture.TypedMachinePool, "my-cluster-pool0")}, want: map[string]any{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0"},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: &three},
			}
			owner.Spec.Template.Spec.Version = tc.version
			m := fixture.New(t, fixture.ClusterOfTyped(), owner,
				fixture.With(fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster, fixture.InStatus("version", "v1.33.2")), tc.controlPlane...),
				fixture.With(fixture.With(fixture.Parse(t, fixture.TypedPoolYAML), fixture.OfMachinePool, fixture.ComposedNothing), tc.xr...))
			m.CreateAs("kubectl", fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), tc.live...))
			r := pools(m, composite.AzureManagedMachinePool, nil)
			m.Reconcile(r, "my-cluster-pool0")
			m.TakeWrites()
			m.Reconcile(r, "my-cluster-pool0")
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
			if diff := cmp.Diff(tc.want, m.Applied(m.Find(fixture.AgentPool, "my-cluster-pool0"))); diff != "" {
				t.Errorf("applied: -want +got:\n%s", diff)
			}
			if events := strings.Join(m.TakeEvents(), "\n"); (events != "") != (tc.event != "") || !strings.Contains(events, tc.event) {
				t.Errorf("events %q, want one with %q", events, tc.event)
			}
		})
	}
}

// TestDecisionsThatDoNotLast has a user's ManagedCluster say of an agent pool what Cluster API is to decide.
func TestDecisionsThatDoNotLast(t *testing.T) {
	profile := func(fields map[string]any) fixture.Change {
		fields["vmSize"] = "Standard_D2s_v3"
		return fixture.InSpec("agentPoolProfiles", []any{map[string]any{"name": "system"}, fields})
	}
	const name = "pool0" // in Azure
	tests := map[string]struct {
		manages string
		live    []fixture.Change
		event   string
	}{
		"no profiles":             {manages: "replicas"},
		"a profile with a number": {manages: "replicas", live: []fixture.Change{profile(map[string]any{"name": name, "count": int64(1)})}, event: "ManagedCluster my-cluster has spec.agentPoolProfiles[1].count: 1, which"},
		"with a number and a version": {
			manages: "version,replicas", live: []fixture.Change{profile(map[string]any{"name": name, "count": int64(1), "orchestratorVersion": "1.33.1"})},
			event: "spec.agentPoolProfiles[1].count: 1 and spec.agentPoolProfiles[1].orchestratorVersion: 1.33.1, which",
		},
		"the number is the user's":  {manages: "version", live: []fixture.Change{profile(map[string]any{"name": name, "count": int64(1)})}},
		"a profile without numbers": {manages: "replicas", live: []fixture.Change{profile(map[string]any{"name": name})}},
		"another pool's":            {manages: "replicas", live: []fixture.Change{profile(map[string]any{"name": "other", "count": int64(1)})}},
		"nothing is decided":        {live: []fixture.Change{profile(map[string]any{"name": name, "count": int64(1)})}},
		"composed, so that the profiles are the function's": {
			manages: "replicas", live: []fixture.Change{profile(map[string]any{"name": name, "count": int64(1)}), fixture.Controlled(fixture.TypedControlPlane, "my-cluster")},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			three := int32(3)
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0"},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: &three},
			}
			owner.Spec.Template.Spec.Version = "v1.33.2"
			m := fixture.New(t, fixture.ClusterOfTyped(), owner,
				fixture.With(fixture.Parse(t, fixture.TypedControlPlaneYAML), fixture.OfCluster, fixture.ComposedNothing, fixture.InStatus("version", "v1.33.2")),
				fixture.With(fixture.Parse(t, fixture.TypedPoolYAML), fixture.OfMachinePool, fixture.ComposedNothing, fixture.Annotated(v1beta1.AnnotationManages, tc.manages)),
				fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), tc.live...))
			m.CreateAs("kubectl", fixture.With(fixture.Parse(t, fixture.AgentPoolYAML), fixture.InSpec("count", int64(3))))
			m.Reconcile(pools(m, composite.AzureManagedMachinePool, nil), "my-cluster-pool0")
			if events := strings.Join(m.TakeEvents(), "\n"); strings.Contains(events, "SetByManagedCluster") != (tc.event != "") || !strings.Contains(events, tc.event) {
				t.Errorf("events %q, want one with %q", events, tc.event)
			}
		})
	}
}

// TestDecideMakesNothing has an object vanish between the read and the write.
func TestDecideMakesNothing(t *testing.T) {
	m := fixture.New(t)
	obj := fixture.Parse(t, fixture.ManagedClusterYAML)
	if err := decide(t.Context(), m.API(), fixture.Parse(t, fixture.TypedControlPlaneYAML), obj, decisions{"kubernetesVersion": "1.33.2"}); err == nil {
		t.Error("decide() of an object that is gone: no error")
	}
	if m.Find(fixture.ManagedCluster, "my-cluster") != nil {
		t.Error("it was made")
	}
}

func TestNewest(t *testing.T) {
	tests := map[string]struct {
		versions []string
		want     string
	}{
		"none":             {},
		"one":              {versions: []string{"v1.33.2"}, want: "1.33.2"},
		"by number":        {versions: []string{"v1.33.9", "1.33.10"}, want: "1.33.10"},
		"empty":            {versions: []string{"", "v1.32.0", ""}, want: "1.32.0"},
		"what is none":     {versions: []string{"latest", "1.32.0"}, want: "1.32.0"},
		"nothing but such": {versions: []string{"latest"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := newest(tc.versions...); got != tc.want {
				t.Errorf("newest(%q) = %q, want %q", tc.versions, got, tc.want)
			}
		})
	}
}
