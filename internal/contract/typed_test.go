package contract

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The parts of Cluster my-cluster of typed kinds; the control plane and the pool have composed their ASO objects.
const (
	typedInfrastructureYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureManagedCluster
metadata:
  name: my-cluster
  finalizers: [infrastructure.cluster.x-k8s.io/provider-capz]
  annotations: {clusterctl.cluster.x-k8s.io/block-move: "true"}
spec: {}
`
	typedControlPlaneYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureManagedControlPlane
metadata:
  name: my-cluster
  finalizers: [infrastructure.cluster.x-k8s.io/provider-capz]
  annotations: {clusterctl.cluster.x-k8s.io/block-move: "true"}
spec:
  version: v1.33.2
  crossplane:
    resourceRefs:
    - {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, name: my-cluster}
`
	typedPoolYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureManagedMachinePool
metadata:
  name: my-cluster-pool0
  finalizers: [infrastructure.cluster.x-k8s.io/provider-capz]
  annotations: {clusterctl.cluster.x-k8s.io/block-move: "true"}
spec:
  name: pool0
  mode: System
  crossplane:
    resourceRefs:
    - {apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedClustersAgentPool, name: my-cluster-pool0}
`
)

var managedClusterGVK = managedClusterKind.WithVersion(containerserviceVersion)

// typedCluster returns a Cluster of the typed kinds.
func typedCluster(changes ...func(*clusterv1.Cluster)) *clusterv1.Cluster {
	return myCluster(append([]func(*clusterv1.Cluster){func(c *clusterv1.Cluster) {
		c.Spec.ControlPlaneRef.Kind, c.Spec.InfrastructureRef.Kind = typedControlPlaneKind.Kind, typedClusterKind.Kind
	}}, changes...)...)
}

// composedNothing makes a composite resource one whose user has written its ASO object.
func composedNothing(obj *unstructured.Unstructured) {
	unstructured.RemoveNestedField(obj.Object, "spec", "crossplane")
}

func (m *management) typedControlPlane(e *entra) *Reconciler {
	r := m.controlPlane(e)
	r.kind, r.mirrored = typedControlPlaneKind, managedClusterKind
	return r
}

func (m *management) typedMachinePool(nodes []*corev1.Node) *Reconciler {
	r := m.machinePool(nodes)
	r.kind, r.mirrored = typedMachinePoolKind, agentPoolKind
	return r
}

func TestFamilyOf(t *testing.T) {
	for _, kind := range append(Kinds(), TypedKinds()...) {
		f := familyOf(kind)
		if want := !strings.HasPrefix(kind.Kind, "AzureASO"); f.typed != want {
			t.Errorf("family of %s typed: %v, want %v", kind.Kind, f.typed, want)
		}
		if kind != f.infrastructure && kind != f.controlPlane && kind != f.machinePool {
			t.Errorf("%s has no part in its family %v", kind.Kind, f.kinds())
		}
	}
	if f := familyOf(infrastructure.WithKind("AzureCluster")); f.typed || f.controlPlane.Kind != "" {
		t.Errorf("AzureCluster is of family %v", f)
	}
}

func TestObjectBehind(t *testing.T) {
	named := func(name string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) { o.SetName(name) }
	}
	ours := controlled(typedControlPlaneKind, "my-cluster")
	release := func(o *unstructured.Unstructured) {
		yes := true
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "helm.toolkit.fluxcd.io/v2", Kind: "HelmRelease", Name: "r", UID: "r", Controller: &yes}})
	}
	tests := map[string]struct {
		xr     string
		change func(*unstructured.Unstructured)
		live   *unstructured.Unstructured
		want   string
	}{
		"composed":                            {live: with(parse(t, managedClusterYAML), ours), want: "my-cluster"},
		"composed, not there yet":             {},
		"the user's own, of the same name":    {change: composedNothing, live: parse(t, managedClusterYAML), want: "my-cluster"},
		"the user's own, of another tool":     {change: composedNothing, live: with(parse(t, managedClusterYAML), release), want: "my-cluster"},
		"the user's own, named":               {change: annotatedNothing(v1beta1.AnnotationManagedCluster, "mine"), live: with(parse(t, managedClusterYAML), named("mine")), want: "mine"},
		"of that name, but another is named":  {change: annotatedNothing(v1beta1.AnnotationManagedCluster, "mine"), live: parse(t, managedClusterYAML)},
		"a name that no object can have":      {change: func(o *unstructured.Unstructured) { composedNothing(o); o.SetName("My.cluster-") }, live: parse(t, managedClusterYAML), want: "my-cluster"},
		"another composite resource's":        {change: composedNothing, live: with(parse(t, managedClusterYAML), controlled(typedControlPlaneKind, "other"))},
		"of spec.resources, and the user's":   {xr: controlPlaneYAML, live: parse(t, managedClusterYAML)},
		"of spec.resources, and composed":     {xr: controlPlaneYAML, live: with(parse(t, managedClusterYAML), controlled(asoControlPlaneKind, "my-cluster")), want: "my-cluster"},
		"nothing in spec.resources":           {xr: strings.Split(controlPlaneYAML, "spec:")[0], live: parse(t, managedClusterYAML)},
		"the annotation of another kind only": {xr: controlPlaneYAML, change: annotated(v1beta1.AnnotationManagedCluster, "mine"), live: with(parse(t, managedClusterYAML), named("mine"))},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.xr == "" {
				tc.xr = typedControlPlaneYAML
			}
			xr := parse(t, tc.xr)
			if tc.change != nil {
				tc.change(xr)
			}
			m := newManagement(t)
			if tc.live != nil {
				m = newManagement(t, tc.live)
			}
			obj, err := m.api().managedClusterOf(t.Context(), xr)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if obj != nil {
				got = obj.GetName()
			}
			if got != tc.want {
				t.Errorf("behind it stands %q, want %q", got, tc.want)
			}
		})
	}
}

func annotatedNothing(keysAndValues ...string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) { composedNothing(o); annotated(keysAndValues...)(o) }
}

func TestTypedEndpoint(t *testing.T) {
	endpoint := map[string]any{"host": "my-cluster.hcp.azmk8s.io", "port": int64(443)}
	reported := func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"controlPlaneEndpoint": endpoint}
	}
	m := newManagement(t, typedCluster(), with(parse(t, typedInfrastructureYAML), ofCluster),
		with(parse(t, typedControlPlaneYAML), ofCluster, reported))
	infrastructure := m.reconciler(typedClusterKind)
	infrastructure.mirror = &clusterMirror{api: infrastructure.api}
	for range 2 {
		m.reconcile(m.typedControlPlane(&entra{now: start}), "my-cluster")
		m.reconcile(infrastructure, "my-cluster")
	}
	if diff := cmp.Diff([]string{"patch AzureManagedControlPlane my-cluster", "patch AzureManagedCluster my-cluster"}, m.takeWrites()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, kind := range []string{typedControlPlaneKind.Kind, typedClusterKind.Kind} {
		if diff := cmp.Diff(endpoint, specControlPlaneEndpoint.value(m.get(v1beta1.GroupVersion.WithKind(kind), "my-cluster"))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", kind, diff)
		}
	}
}

// typedSecrets are where ASO is told to write the kubeconfigs of a cluster with Entra.
func typedSecrets(admin bool) map[string]any {
	secrets := destination("userCredentials", "my-cluster-user-aso-kubeconfig", "value")
	if admin {
		secrets["adminCredentials"] = map[string]any{"name": "my-cluster-aso-kubeconfig", "key": "value"}
	}
	return secrets
}

func TestTypedKubeconfigs(t *testing.T) {
	admin := asoSecret("my-cluster-aso-kubeconfig", "value", adminKubeconfig)
	user := asoSecret("my-cluster-user-aso-kubeconfig", "value", userKubeconfig)
	inTheWay := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster-kubeconfig-user", UID: "way"}, Type: corev1.SecretTypeOpaque,
	}
	const both = "my-cluster-kubeconfig my-cluster-kubeconfig-user"
	withEntra := func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"aadProfile": map[string]any{"managed": true}}
	}
	own := func(o *unstructured.Unstructured) { o.SetOwnerReferences(nil) }
	tests := map[string]struct {
		secrets   map[string]any
		noAccount bool
		live      []func(*unstructured.Unstructured)
		xr        []func(*unstructured.Unstructured)
		objects   []client.Object
		want      string
		token     bool
		event     string
	}{
		"local accounts only":                 {secrets: destination("adminCredentials", "my-cluster-aso-kubeconfig", "value"), objects: []client.Object{admin}, want: "my-cluster-kubeconfig"},
		"Entra too":                           {secrets: typedSecrets(true), live: []func(*unstructured.Unstructured){withEntra}, objects: []client.Object{admin, user}, want: both},
		"Entra too, ASO has one to write":     {secrets: typedSecrets(true), live: []func(*unstructured.Unstructured){withEntra}, objects: []client.Object{admin}, want: "my-cluster-kubeconfig"},
		"Entra alone":                         {secrets: typedSecrets(false), noAccount: true, objects: []client.Object{user}, want: both, token: true},
		"the user's own":                      {secrets: typedSecrets(true), live: []func(*unstructured.Unstructured){withEntra, own}, xr: []func(*unstructured.Unstructured){composedNothing}, objects: []client.Object{admin, user}, want: both},
		"the user's own, which writes none":   {secrets: map[string]any{}, live: []func(*unstructured.Unstructured){own}, xr: []func(*unstructured.Unstructured){composedNothing}, event: "KubeconfigFailed ManagedCluster my-cluster has neither spec.operatorSpec.secrets.adminCredentials"},
		"a Secret in the way of the second":   {secrets: typedSecrets(true), live: []func(*unstructured.Unstructured){withEntra}, objects: []client.Object{admin, user, inTheWay}, want: "my-cluster-kubeconfig", event: "UserKubeconfigFailed Secret my-cluster-kubeconfig-user has type Opaque"},
		"userCredentials but no Entra so far": {secrets: typedSecrets(true), objects: []client.Object{admin, user}, want: "my-cluster-kubeconfig"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			live := with(managedClusterWith(t, tc.secrets, tc.noAccount), append([]func(*unstructured.Unstructured){controlled(typedControlPlaneKind, "my-cluster")}, tc.live...)...)
			m := newManagement(t, append(tc.objects, typedCluster(), live, with(with(parse(t, typedControlPlaneYAML), ofCluster), tc.xr...))...)
			r := m.typedControlPlane(&entra{now: start, life: time.Hour})
			for range 2 {
				_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "my-cluster"}})
				if failed := tc.event != "" && tc.want == ""; (err != nil) != failed || err != nil && !errors.Is(err, terminal(nil)) {
					t.Fatalf("Reconcile: %v", err)
				}
			}
			got := m.copies()
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("kubeconfigs: -want +got:\n%s", diff)
			}
			if writes := m.takeWrites(); len(writes) != len(got) {
				t.Errorf("written %v for %v", writes, got)
			}
			if tc.token && m.tokenOf() != "t1" {
				t.Error("the kubeconfig for Cluster API has no token")
			}
			if strings.Contains(tc.want, "-user") {
				if diff := cmp.Diff(userKubeconfig, string(m.secret("my-cluster-kubeconfig-user").Data["value"])); diff != "" {
					t.Errorf("kubeconfig for people: -want +got:\n%s", diff)
				}
			}
			if told := strings.Join(m.takeEvents(), "\n"); (told != "") != (tc.event != "") || !strings.Contains(told, tc.event) {
				t.Errorf("events %q, want one with %q", told, tc.event)
			}
		})
	}
}

// copies returns the names of the Secrets that the control plane controls, all of the contract's type.
func (m *management) copies() []string {
	m.t.Helper()
	list := &corev1.SecretList{}
	if err := m.List(m.t.Context(), list); err != nil {
		m.t.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		owner := metav1.GetControllerOf(&list.Items[i])
		if owner == nil || owner.Kind != typedControlPlaneKind.Kind {
			continue
		}
		if list.Items[i].Type != clusterv1.ClusterSecretType || list.Items[i].Labels[clusterv1.ClusterNameLabel] != "my-cluster" {
			m.t.Errorf("Secret %s is not the contract's: %v", list.Items[i].Name, list.Items[i].ObjectMeta)
		}
		names = append(names, list.Items[i].Name)
	}
	return names
}

func TestTypedMapping(t *testing.T) {
	ownPool := with(parse(t, strings.ReplaceAll(typedPoolYAML, "my-cluster-pool0", "other")), ofMachinePool, annotatedNothing(v1beta1.AnnotationAgentPool, "written"),
		func(o *unstructured.Unstructured) { unstructured.RemoveNestedField(o.Object, "spec", "name") })
	m := newManagement(t, typedCluster(), with(parse(t, typedControlPlaneYAML), ofCluster), with(parse(t, typedInfrastructureYAML), ofCluster),
		with(parse(t, typedPoolYAML), ofMachinePool), ownPool)
	written := with(parse(t, agentPoolYAML), func(o *unstructured.Unstructured) { o.SetName("written") })
	cluster := mapper{client: m.Client, kind: typedClusterKind}
	controlPlane := mapper{client: m.Client, kind: typedControlPlaneKind, mirrored: managedClusterKind}
	pool := mapper{client: m.Client, kind: typedMachinePoolKind, mirrored: agentPoolKind}
	aso := mapper{client: m.Client, kind: asoControlPlaneKind, mirrored: managedClusterKind}
	nodes := func(node *corev1.Node) []ctrl.Request {
		return pool.fromNode(t.Context(), client.ObjectKeyFromObject(myCluster()), node)
	}
	tests := map[string]struct {
		got  []ctrl.Request
		want string
	}{
		"Cluster to infrastructure":                {got: cluster.fromCluster(t.Context(), typedCluster()), want: "my-cluster"},
		"Cluster to control plane":                 {got: controlPlane.fromCluster(t.Context(), typedCluster()), want: "my-cluster"},
		"Cluster to pools":                         {got: pool.fromCluster(t.Context(), typedCluster()), want: "my-cluster-pool0 other"},
		"Cluster of the other family":              {got: controlPlane.fromCluster(t.Context(), myCluster())},
		"source to control plane":                  {got: controlPlane.fromSecret(t.Context(), asoSecret("aso", "value", "")), want: "my-cluster"},
		"the user's ManagedCluster":                {got: controlPlane.fromObject(t.Context(), parse(t, managedClusterYAML)), want: "my-cluster"},
		"the user's ManagedCluster to ASO kinds":   {got: aso.fromObject(t.Context(), parse(t, managedClusterYAML))},
		"a composed ManagedCluster":                {got: controlPlane.fromObject(t.Context(), with(parse(t, managedClusterYAML), controlled(typedControlPlaneKind, "x"))), want: "x"},
		"the user's agent pool":                    {got: pool.fromObject(t.Context(), written), want: "other"},
		"Node to its pool, and to one of any name": {got: nodes(node("a", "pool0", "g", "")), want: "my-cluster-pool0 other"},
		"Node of a pool that is none of these":     {got: nodes(node("a", "pool7", "g", "")), want: "other"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			names := make([]string, len(tc.got))
			for i := range tc.got {
				names[i] = tc.got[i].Name
			}
			if got := strings.Join(names, " "); got != tc.want {
				t.Errorf("mapped to %q, want %q", got, tc.want)
			}
		})
	}
}
