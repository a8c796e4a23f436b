package objects

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	testclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

var now = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

// told returns Objects of a management cluster that has the objects, with the kinds of all that are given.
func told(t *testing.T, objects ...client.Object) *Objects {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range composite.Catalogue() {
		scheme.AddKnownTypeWithName(k.GroupVersionKind, &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(k.GroupVersion().WithKind(k.Kind+"List"), &unstructured.UnstructuredList{})
	}
	scheme.AddKnownTypeWithName(aso.ManagedCluster.GroupVersionKind(), &metav1.PartialObjectMetadata{})
	scheme.AddKnownTypeWithName(aso.ManagedCluster.GroupVersionKind().GroupVersion().WithKind("ManagedClusterList"), &metav1.PartialObjectMetadataList{})
	o := &Objects{Clock: testclock.NewFakePassiveClock(now)}
	o.Begin(fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build(), func(obj metav1.Object) bool {
		return obj.GetLabels()[clusterv1.WatchLabel] == ""
	})
	o.change(func(v *view) {
		v.clusters = true
		v.composites = []composite.Kind{composite.AzureManagedControlPlane, composite.AzureManagedMachinePool, composite.AKSCluster}
	})
	return o
}

// compare compares some of the metrics with what they ought to be; lines are without their HELP and TYPE.
func compare(t *testing.T, o *Objects, want string, metrics ...string) {
	t.Helper()
	got, err := testutil.CollectAndFormat(o, expfmt.TypeTextPlain, metrics...)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(got)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if all := strings.Join(lines, "\n"); all != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", all, strings.TrimSpace(want))
	}
}

func object(kind composite.Kind, name string, content string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"namespace":"team","uid":%q,"creationTimestamp":"2026-11-27T11:00:00Z"%s`,
		kind.GroupVersion(), kind.Kind, name, name, content)); err != nil {
		panic(err)
	}
	return obj
}

// status is the end of an object with a condition for Cluster API.
func status(conditionType, value, reason string) string {
	return fmt.Sprintf(`},"status":{"v1beta2":{"conditions":[{"type":%q,"status":%q,"reason":%q,"lastTransitionTime":"2026-11-27T11:50:00Z"}]}}}`, conditionType, value, reason)
}

func TestNothing(t *testing.T) {
	var none *Objects
	none.Begin(nil, nil)()
	none.Composed(aso.ManagedCluster.GroupVersionKind())
	none.NoCredential("", client.ObjectKey{})
	none.Credential("", client.ObjectKey{}, Credential{})
	compare(t, New(), "")
	o := told(t, object(composite.AzureManagedControlPlane, "a", "}}"))
	o.Begin(o.view.reader, o.view.watched)()
	compare(t, o, "") // It has ended.
}

func TestStates(t *testing.T) {
	pool, plane := composite.AzureManagedMachinePool, composite.AzureManagedControlPlane
	o := told(t,
		object(plane, "new", "}}"),
		object(plane, "ready", status("Ready", "True", "Provisioned")),
		object(plane, "making", status("Ready", "False", "Creating")),
		object(plane, "of-azure", status("Ready", "False", "ThatAzureMadeUp")),
		object(plane, "paused", status("Paused", "True", "Paused")),
		object(plane, "not-composed", `},"status":{"conditions":[{"type":"Synced","status":"False","reason":"ReconcileError","lastTransitionTime":"2026-11-27T11:59:00Z"}]}}`),
		object(plane, "stopped", `},"status":{"conditions":[{"type":"Synced","status":"False","reason":"ReconcilePaused","lastTransitionTime":"2026-11-27T11:59:00Z"}]}}`),
		object(plane, "of-others", `,"labels":{"cluster.x-k8s.io/watch-filter":"b"}}}`),
		object(pool, "going", `,"deletionTimestamp":"2026-11-27T11:30:00Z","finalizers":["a"]}}`),
		object(pool, "quota", status("Ready", "False", "QuotaExceeded")),
		object(composite.AKSCluster, "app", `},"status":{"conditions":[{"type":"Ready","status":"True","reason":"Available"}]}}`),
	)
	compare(t, o, `
capz_composite_resources{kind="AKSCluster",state="ready"} 1
capz_composite_resources{kind="AzureManagedControlPlane",state="failed"} 2
capz_composite_resources{kind="AzureManagedControlPlane",state="paused"} 2
capz_composite_resources{kind="AzureManagedControlPlane",state="pending"} 1
capz_composite_resources{kind="AzureManagedControlPlane",state="ready"} 1
capz_composite_resources{kind="AzureManagedControlPlane",state="waiting"} 1
capz_composite_resources{kind="AzureManagedMachinePool",state="deleting"} 1
capz_composite_resources{kind="AzureManagedMachinePool",state="failed"} 1
capz_composite_resources_oldest_seconds{kind="AzureManagedControlPlane",state="failed"} 600
capz_composite_resources_oldest_seconds{kind="AzureManagedControlPlane",state="pending"} 3600
capz_composite_resources_oldest_seconds{kind="AzureManagedControlPlane",state="waiting"} 600
capz_composite_resources_oldest_seconds{kind="AzureManagedMachinePool",state="deleting"} 1800
capz_composite_resources_oldest_seconds{kind="AzureManagedMachinePool",state="failed"} 600
`, "capz_composite_resources", "capz_composite_resources_oldest_seconds")
}

func TestUnready(t *testing.T) {
	resources := `},"status":{"resources":[
		{"resource":{"kind":"ManagedCluster"},"ready":false,"reason":"QuotaExceeded"},
		{"resource":{"kind":"ResourceGroup"},"ready":true,"reason":"Succeeded"},
		{"resource":{"kind":"Stranger"},"ready":false,"reason":"FromNowhere"},
		{"ready":false},7]}}`
	o := told(t, object(composite.AzureManagedControlPlane, "a", resources), object(composite.AzureManagedControlPlane, "b", resources))
	compare(t, o, `
capz_unready_resources{kind="ManagedCluster",reason="QuotaExceeded"} 2
capz_unready_resources{kind="other",reason="other"} 4
`, "capz_unready_resources")
}

func TestDrifted(t *testing.T) {
	condition := func(conditionType, value string) string {
		return fmt.Sprintf(`},"status":{"conditions":[{"type":%q,"status":%q,"reason":"FieldsDiffer"}]}}`, conditionType, value)
	}
	pool, plane := composite.AzureManagedMachinePool, composite.AzureManagedControlPlane
	o := told(t,
		object(plane, "a", condition("Drifted", "True")), object(plane, "b", condition("Drifted", "True")), object(plane, "c", condition("Drifted", "False")),
		object(plane, "d", condition("Drifted", "Unknown")), object(pool, "e", condition("Ready", "True")), object(pool, "f", "}}"),
	)
	compare(t, o, `capz_drifted_composite_resources{kind="AzureManagedControlPlane"} 2`, "capz_drifted_composite_resources")
}

func TestClusters(t *testing.T) {
	cluster := func(name, kind, phase string) *clusterv1.Cluster {
		c := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
		c.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: composite.InfrastructureGroup, Kind: kind, Name: name}
		c.Status.Phase = phase
		return c
	}
	pool := func(name, kind, phase string) *clusterv1.MachinePool {
		p := &clusterv1.MachinePool{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
		p.Spec.Template.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: composite.InfrastructureGroup, Kind: kind, Name: name}
		p.Status.Phase = phase
		return p
	}
	hidden := cluster("hidden", "AzureCluster", "Provisioned")
	hidden.Labels = map[string]string{clusterv1.WatchLabel: "b"}
	o := told(t, cluster("a", "AzureCluster", "Provisioned"), cluster("b", "AzureCluster", "Provisioned"), cluster("c", "AzureManagedCluster", "Provisioning"),
		cluster("aws", "AWSCluster", "Provisioned"), cluster("odd", "AzureASOManagedCluster", "MadeUp"), hidden,
		pool("a", "AzureMachinePool", "Running"), pool("aws", "AWSMachinePool", "Running"))
	compare(t, o, `
capz_clusters{family="Azure",phase="Provisioned"} 2
capz_clusters{family="AzureASOManaged",phase="Unknown"} 1
capz_clusters{family="AzureManaged",phase="Provisioning"} 1
capz_machine_pools{family="Azure",phase="Running"} 1
`, "capz_clusters", "capz_machine_pools")
}

func TestHeld(t *testing.T) {
	composed := func(name string, age time.Duration, annotations map[string]string) *metav1.PartialObjectMetadata {
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: name, UID: types.UID(name), Annotations: annotations, CreationTimestamp: ago(age),
		}}
		obj.SetGroupVersionKind(aso.ManagedCluster.GroupVersionKind())
		return obj
	}
	held := map[string]string{aso.AnnotationHeld: "true"}
	o := told(t, composed("a", time.Minute, held), composed("b", time.Hour, held), composed("c", 2*time.Hour, nil))
	compare(t, o, "", "capz_held_objects", "capz_held_objects_oldest_seconds") // The kind is not in the cache.
	o.Composed(aso.ManagedCluster.GroupVersionKind())
	o.Composed(aso.ManagedCluster.GroupVersionKind())
	compare(t, o, `
capz_held_objects{kind="ManagedCluster"} 2
capz_held_objects_oldest_seconds{kind="ManagedCluster"} 3600
`, "capz_held_objects", "capz_held_objects_oldest_seconds")
}

func TestTokens(t *testing.T) {
	token := func(owner string, left time.Duration) *corev1.Secret {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: owner + "-kubeconfig", Annotations: map[string]string{names.TokenExpiresAtAnnotation: now.Add(left).Format(time.RFC3339)},
		}}
		yes := true
		s.OwnerReferences = []metav1.OwnerReference{{UID: types.UID(owner), Controller: &yes}}
		return s
	}
	odd := token("ready", 0)
	odd.Name, odd.Annotations = "odd", map[string]string{names.TokenExpiresAtAnnotation: "tomorrow"}
	plane := composite.AzureManagedControlPlane
	o := told(t,
		object(plane, "ready", status("Ready", "True", "Provisioned")), token("ready", 50*time.Minute), odd,
		object(plane, "late", status("Ready", "True", "Provisioned")), token("late", -time.Minute),
		object(plane, "paused", status("Paused", "True", "Paused")), token("paused", -time.Hour),
		object(plane, "going", `,"deletionTimestamp":"2026-11-27T11:30:00Z","finalizers":["a"]}}`), token("going", -time.Hour),
		token("nobody", -time.Hour),
	)
	compare(t, o, `
capz_kubeconfig_tokens{left="1h"} 1
capz_kubeconfig_tokens{left="expired"} 1
`, "capz_kubeconfig_tokens")
}

func TestCredentials(t *testing.T) {
	o := told(t)
	identity := func(i int) client.ObjectKey {
		return client.ObjectKey{Namespace: "identities", Name: fmt.Sprintf("identity-%02d", i)}
	}
	for i := range 30 {
		of := client.ObjectKey{Namespace: "team", Name: fmt.Sprint(i)}
		o.Credential("AzureCluster", of, Credential{Identity: identity(i), Type: "ServicePrincipalCertificate", End: now.Add(time.Duration(29-i) * 24 * time.Hour)})
	}
	for _, name := range []string{"x", "y"} { // Two Clusters with one identity.
		o.Credential("AzureCluster", client.ObjectKey{Namespace: "team", Name: name}, Credential{Identity: client.ObjectKey{Name: "shared"}, Type: "WorkloadIdentity"})
	}
	o.Credential("AzureCluster", client.ObjectKey{Namespace: "team", Name: "gone"}, Credential{Identity: client.ObjectKey{Name: "gone"}, Type: "WorkloadIdentity"})
	o.NoCredential("AzureCluster", client.ObjectKey{Namespace: "team", Name: "gone"})
	compare(t, o, `
capz_credentials{left="30d",type="ServicePrincipalCertificate"} 23
capz_credentials{left="7d",type="ServicePrincipalCertificate"} 6
capz_credentials{left="expired",type="ServicePrincipalCertificate"} 1
capz_credentials{left="unknown",type="WorkloadIdentity"} 1
`, "capz_credentials")
	if n := testutil.CollectAndCount(o, "capz_credential_end_timestamp_seconds"); n != 20 {
		t.Errorf("%d credentials are told by name, want 20", n)
	}
	got, err := testutil.CollectAndFormat(o, expfmt.TypeTextPlain, "capz_credential_end_timestamp_seconds")
	if err != nil || !strings.Contains(string(got), `identity="identity-29"`) || strings.Contains(string(got), `identity="identity-09"`) {
		t.Errorf("those that end first are not told: %s, error %v", got, err)
	}
}
