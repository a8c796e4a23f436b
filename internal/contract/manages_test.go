package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// inSpec sets a field of spec; inStatus one of status.
func inSpec(name string, value any) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { setIn(o, "spec", name, value) }
}

func inStatus(name string, value any) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { setIn(o, "status", name, value) }
}

func setIn(o *unstructured.Unstructured, part, name string, value any) {
	fields, ok := o.Object[part].(map[string]any)
	if !ok {
		fields = map[string]any{}
		o.Object[part] = fields
	}
	fields[name] = value
}

// write creates the object as the field manager does.
func (m *management) write(manager string, obj client.Object) {
	m.t.Helper()
	if err := m.Create(m.t.Context(), obj, client.FieldOwner(manager)); err != nil {
		m.t.Fatal(err)
	}
	m.takeWrites()
}

// applied says which fields of spec provider-capz has applied to the object.
func applied(obj *unstructured.Unstructured) map[string]any { return decidedOf(obj) }

func TestDecideVersionOfTheUsersManagedCluster(t *testing.T) {
	version := annotated(v1beta1.AnnotationManages, "version")
	tests := map[string]struct {
		xr    []func(*unstructured.Unstructured)
		live  []func(*unstructured.Unstructured)
		want  any
		held  bool
		event string
	}{
		"not told to":                       {live: []func(*unstructured.Unstructured){inSpec("kubernetesVersion", "1.32.1")}, want: "1.32.1"},
		"told to decide something else":     {xr: []func(*unstructured.Unstructured){annotated(v1beta1.AnnotationManages, "replicas")}},
		"told to":                           {xr: []func(*unstructured.Unstructured){version}, want: "1.33.2", held: true},
		"told to, among others":             {xr: []func(*unstructured.Unstructured){annotated(v1beta1.AnnotationManages, "replicas, version")}, want: "1.33.2", held: true},
		"as the user has it too":            {xr: []func(*unstructured.Unstructured){version}, live: []func(*unstructured.Unstructured){inSpec("kubernetesVersion", "1.33.2")}, want: "1.33.2", held: true},
		"the user has another":              {xr: []func(*unstructured.Unstructured){version}, live: []func(*unstructured.Unstructured){inSpec("kubernetesVersion", "1.32.1")}, want: "1.32.1", event: `ManagedByOther annotation infrastructure.cluster.x-k8s.io/manages lets Cluster API decide kubernetesVersion of ManagedCluster my-cluster, but .spec.kubernetesVersion: conflict with "kubectl"`},
		"Azure has upgraded it":             {xr: []func(*unstructured.Unstructured){version}, live: []func(*unstructured.Unstructured){inStatus("currentKubernetesVersion", "1.33.10")}, want: "1.33.10", held: true},
		"Azure has an older one":            {xr: []func(*unstructured.Unstructured){version}, live: []func(*unstructured.Unstructured){inStatus("currentKubernetesVersion", "1.33.1")}, want: "1.33.2", held: true},
		"composed, so the function decides": {xr: []func(*unstructured.Unstructured){version}, live: []func(*unstructured.Unstructured){controlled(typedControlPlaneKind, "my-cluster")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, typedCluster(), with(with(parse(t, typedControlPlaneYAML), ofCluster, composedNothing), tc.xr...))
			m.write("kubectl", with(parse(t, managedClusterYAML), tc.live...))
			before := m.get(managedClusterGVK, "my-cluster")
			r := m.typedControlPlane(&entra{now: start})
			m.reconcile(r, "my-cluster")
			m.reconcile(r, "my-cluster")
			got := m.get(managedClusterGVK, "my-cluster")
			if value := got.Object["spec"].(map[string]any)["kubernetesVersion"]; value != tc.want {
				t.Errorf("spec.kubernetesVersion %v, want %v", value, tc.want)
			}
			held := map[string]any{}
			if tc.held {
				held["kubernetesVersion"] = tc.want
			}
			if diff := cmp.Diff(held, applied(got)); diff != "" {
				t.Errorf("applied: -want +got:\n%s", diff)
			}
			if told := strings.Join(m.takeEvents(), "\n"); (told != "") != (tc.event != "") || !strings.Contains(told, tc.event) {
				t.Errorf("events %q, want one with %q", told, tc.event)
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
	manages := func(what string) func(*unstructured.Unstructured) { return annotated(v1beta1.AnnotationManages, what) }
	three := int32(3)
	tests := map[string]struct {
		xr           []func(*unstructured.Unstructured)
		live         []func(*unstructured.Unstructured)
		version      string
		controlPlane []func(*unstructured.Unstructured)
		want         map[string]any
		event        string
	}{
		"not told to":                       {version: "v1.33.2", want: map[string]any{}},
		"replicas":                          {xr: []func(*unstructured.Unstructured){manages("replicas")}, version: "v1.33.2", want: map[string]any{"count": int64(3)}},
		"replicas, which AKS decides":       {xr: []func(*unstructured.Unstructured){manages("replicas")}, live: []func(*unstructured.Unstructured){inSpec("enableAutoScaling", true)}, want: map[string]any{}},
		"version":                           {xr: []func(*unstructured.Unstructured){manages("version")}, version: "v1.33.2", want: map[string]any{"orchestratorVersion": "1.33.2"}},
		"both":                              {xr: []func(*unstructured.Unstructured){manages("version,replicas")}, version: "v1.33.2", want: map[string]any{"orchestratorVersion": "1.33.2", "count": int64(3)}},
		"version, but none is asked for":    {xr: []func(*unstructured.Unstructured){manages("version")}, want: map[string]any{}},
		"version, upgraded by AKS":          {xr: []func(*unstructured.Unstructured){manages("version")}, version: "v1.33.2", controlPlane: []func(*unstructured.Unstructured){inStatus("version", "v1.33.4"), inStatus("autoUpgradeVersion", "v1.33.4")}, want: map[string]any{"orchestratorVersion": "1.33.4"}},
		"version, the pool is newer":        {xr: []func(*unstructured.Unstructured){manages("version")}, version: "v1.33.1", live: []func(*unstructured.Unstructured){inStatus("currentOrchestratorVersion", "1.33.2")}, want: map[string]any{"orchestratorVersion": "1.33.2"}},
		"version above the control plane's": {xr: []func(*unstructured.Unstructured){manages("version")}, version: "v1.34.0", want: map[string]any{}, event: `VersionAwaitsControlPlane the pool is upgraded to 1.34.0 when the control plane is, which has "v1.33.2" now`},
		"version, no control plane yet":     {xr: []func(*unstructured.Unstructured){manages("version")}, version: "v1.33.2", controlPlane: []func(*unstructured.Unstructured){func(o *unstructured.Unstructured) { delete(o.Object, "status") }}, want: map[string]any{}, event: `which has "" now`},
		"composed, so the function decides": {xr: []func(*unstructured.Unstructured){manages("version,replicas")}, version: "v1.33.2", live: []func(*unstructured.Unstructured){controlled(typedMachinePoolKind, "my-cluster-pool0")}, want: map[string]any{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0"},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: &three},
			}
			owner.Spec.Template.Spec.Version = tc.version
			m := newManagement(t, typedCluster(), owner,
				with(with(parse(t, typedControlPlaneYAML), ofCluster, inStatus("version", "v1.33.2")), tc.controlPlane...),
				with(with(parse(t, typedPoolYAML), ofMachinePool, composedNothing), tc.xr...))
			m.write("kubectl", with(parse(t, agentPoolYAML), tc.live...))
			r := m.typedMachinePool(nil)
			m.reconcile(r, "my-cluster-pool0")
			m.takeWrites()
			m.reconcile(r, "my-cluster-pool0")
			if writes := m.takeWrites(); len(writes) > 0 {
				t.Errorf("written again though nothing changed: %v", writes)
			}
			if diff := cmp.Diff(tc.want, applied(m.get(agentPoolGVK, "my-cluster-pool0"))); diff != "" {
				t.Errorf("applied: -want +got:\n%s", diff)
			}
			if told := strings.Join(m.takeEvents(), "\n"); (told != "") != (tc.event != "") || !strings.Contains(told, tc.event) {
				t.Errorf("events %q, want one with %q", told, tc.event)
			}
		})
	}
}

// TestLetGo takes decisions away in the ways that a user can, and sees what stays.
func TestLetGo(t *testing.T) {
	tests := map[string]struct {
		change func(*management)
		want   map[string]any
	}{
		"one of two": {change: func(m *management) {
			m.update(typedMachinePoolKind, "my-cluster-pool0", annotated(v1beta1.AnnotationManages, "replicas"))
		}, want: map[string]any{"count": int64(3)}},
		"both": {change: func(m *management) {
			m.update(typedMachinePoolKind, "my-cluster-pool0", annotated(v1beta1.AnnotationManages, ""))
		}, want: map[string]any{}},
		"with the pool": {change: func(m *management) {
			if err := m.Delete(m.t.Context(), m.get(typedMachinePoolKind, "my-cluster-pool0")); err != nil {
				m.t.Fatal(err)
			}
		}, want: map[string]any{}},
		"none, as the control plane falls behind": {change: func(m *management) {
			m.update(typedControlPlaneKind, "my-cluster", inStatus("version", "v1.30.0"))
		}, want: map[string]any{"count": int64(3), "orchestratorVersion": "1.33.2"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			three := int32(3)
			owner := &clusterv1.MachinePool{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool0"},
				Spec:       clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: &three},
			}
			owner.Spec.Template.Spec.Version = "v1.33.2"
			m := newManagement(t, typedCluster(), owner, with(parse(t, typedControlPlaneYAML), ofCluster, inStatus("version", "v1.33.2")),
				with(parse(t, typedPoolYAML), ofMachinePool, composedNothing, annotated(v1beta1.AnnotationManages, "version,replicas")))
			m.write("kubectl", parse(t, agentPoolYAML))
			m.reconcile(m.typedMachinePool(nil), "my-cluster-pool0")
			before := m.get(agentPoolGVK, "my-cluster-pool0").Object["spec"]
			tc.change(m)
			m.reconcile(m.typedMachinePool(nil), "my-cluster-pool0")
			got := m.get(agentPoolGVK, "my-cluster-pool0")
			if got == nil {
				t.Fatal("the user's agent pool is gone")
			}
			if diff := cmp.Diff(tc.want, applied(got)); diff != "" {
				t.Errorf("applied: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(before, got.Object["spec"]); diff != "" {
				t.Errorf("spec changed: -want +got:\n%s", diff)
			}
		})
	}
}

// TestDecideMakesNothing has an object vanish between the read and the write.
func TestDecideMakesNothing(t *testing.T) {
	m := newManagement(t)
	obj := parse(t, managedClusterYAML)
	if err := m.api().decide(t.Context(), parse(t, typedControlPlaneYAML), obj, decisions{"kubernetesVersion": "1.33.2"}); err == nil {
		t.Error("decide() of an object that is gone: no error")
	}
	if m.get(managedClusterGVK, "my-cluster") != nil {
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
