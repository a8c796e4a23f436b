package deletion

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// TestDeleteOfControlPlaneWaitsForItsCredential shows that a control plane which has nothing left in Azure stays while its
// credential is taken away and the infrastructure needs that.
func TestDeleteOfControlPlaneWaitsForItsCredential(t *testing.T) {
	noted := fixture.Annotated(v1beta1.AnnotationCredential, "my-cluster-aso-secret")
	lost := fixture.Annotated(v1beta1.AnnotationCredentialFailed, v1beta1.IdentityNotAllowed+": not for this namespace")
	group := fixture.With(fixture.Parse(t, fixture.GroupYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"))
	infrastructure := fixture.With(fixture.Parse(t, fixture.InfrastructureYAML[:len(fixture.InfrastructureYAML)-len("spec: {}\n")]+"spec:"+fixture.NetworkRefs), fixture.OfCluster)
	named := fixture.With(group.DeepCopy(), fixture.Annotated(aso.AnnotationCredentialFrom, "my-cluster-aso-secret"))
	tests := map[string]struct {
		notes []fixture.Change
		group *unstructured.Unstructured
		gone  bool
		waits bool
	}{
		"no identity":           {group: group},
		"all is well":           {notes: []fixture.Change{noted}, group: group},
		"lost":                  {notes: []fixture.Change{noted, lost}, group: group, waits: true},
		"missing":               {notes: []fixture.Change{noted, fixture.Annotated(v1beta1.AnnotationCredentialFailed, v1beta1.CredentialMissing+": x")}, group: group, waits: true},
		"stale":                 {notes: []fixture.Change{noted, fixture.Annotated(v1beta1.AnnotationCredentialFailed, v1beta1.CredentialFailed+": x")}, group: group},
		"never there":           {notes: []fixture.Change{lost}, group: group},
		"in use":                {notes: []fixture.Change{noted}, group: named},
		"gone, and none knows":  {notes: []fixture.Change{noted}, group: named, gone: true, waits: true},
		"gone, and left alone":  {notes: []fixture.Change{noted}, group: fixture.With(named.DeepCopy(), fixture.Annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip)), gone: true},
		"lost, nothing is left": {notes: []fixture.Change{noted, lost}, group: fixture.Parse(t, fixture.GroupYAML)},
	}
	secret := fixture.With(fixture.Parse(t, "{apiVersion: v1, kind: Secret, metadata: {namespace: default, name: my-cluster-aso-secret}}"), fixture.Controlled(fixture.ASOControlPlane, "my-cluster"))
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			controlPlane := fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), append([]fixture.Change{fixture.OfCluster, fixture.Deleting(names.Finalizer)}, tc.notes...)...)
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), infrastructure.DeepCopy(), controlPlane, tc.group.DeepCopy())
			if !tc.gone {
				m.CreateAs("somebody", secret.DeepCopy())
			}
			result := m.Reconcile(deleter(m, composite.AzureASOManagedControlPlane), "my-cluster")
			if waits := result.RequeueAfter == pollInterval && m.Find(fixture.ASOControlPlane, "my-cluster") != nil; waits != tc.waits {
				t.Errorf("waits: %v, want %v", waits, tc.waits)
			}
			if events := m.TakeEvents(); (len(events) == 1) != tc.waits {
				t.Errorf("events %q, want one: %v", events, tc.waits)
			}
		})
	}
}

// TestDeleteTellsOfLostCredential shows what is said of a Secret that is gone too early, where, and how often.
func TestDeleteTellsOfLostCredential(t *testing.T) {
	const own = "{apiVersion: v1, kind: Secret, metadata: {namespace: default, name: own}}"
	tests := map[string]struct {
		changes []fixture.Change
		secrets []client.Object
		going   bool
		want    string
	}{
		"none named":           {},
		"there":                {changes: fixture.Changes(fixture.Annotated(aso.AnnotationCredentialFrom, "own")), secrets: []client.Object{fixture.Parse(t, own)}},
		"gone":                 {changes: fixture.Changes(fixture.Annotated(aso.AnnotationCredentialFrom, "own")), want: "Warning CredentialLost Secret own is gone, with which Azure Service Operator signs in, so that nothing is changed or deleted in Azure; make it again"},
		"made, and gone":       {changes: fixture.Changes(fixture.Annotated(aso.AnnotationCredentialFrom, "my-cluster-aso-secret")), want: "Warning CredentialLost Secret my-cluster-aso-secret is gone, with which Azure Service Operator signs in, so that nothing is changed or deleted in Azure; Event CredentialFailed of the control plane says"},
		"gone, not needed":     {changes: fixture.Changes(fixture.Annotated(aso.AnnotationCredentialFrom, "own", aso.AnnotationReconcilePolicy, aso.PolicyDetachOnDelete))},
		"gone with everything": {changes: fixture.Changes(fixture.Annotated(aso.AnnotationCredentialFrom, "own")), going: true, want: "Warning CredentialLost AzureASOManagedCluster my-cluster: Secret own is gone, with which Azure Service Operator signs in, so that nothing is changed or deleted in Azure, and namespace default, which is being deleted, takes no new one; name another Secret"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := fixture.Namespace()
			if tc.going {
				now := metav1.Now()
				namespace.DeletionTimestamp, namespace.Finalizers = &now, []string{"kubernetes"}
			}
			group := fixture.With(fixture.Parse(t, fixture.GroupYAML), append(fixture.Changes(fixture.Controlled(fixture.ASOCluster, "my-cluster"), fixture.Deleting("aso")), tc.changes...)...)
			m := fixture.New(t, append(tc.secrets, namespace, fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t), group)...)
			r := deleter(m, composite.AzureASOManagedCluster)
			if result := m.Reconcile(r, "my-cluster"); (result.RequeueAfter == pollInterval) != (tc.want != "") {
				t.Errorf("looks again after %s", result.RequeueAfter)
			}
			m.Reconcile(r, "my-cluster")
			events := m.TakeEvents()
			if tc.want == "" && len(events) > 0 || tc.want != "" && (len(events) != 1 || !strings.HasPrefix(events[0], tc.want)) {
				t.Errorf("events %q, want one: %q", events, tc.want)
			}
		})
	}
}

// TestDeleteReleasesCredential shows that the Secret stays until the last composite resource whose objects need it has none any more,
// and has no finalizer of ours when that one goes.
func TestDeleteReleasesCredential(t *testing.T) {
	for name, tc := range map[string]struct{ secret, from string }{
		"made for the Cluster": {"{apiVersion: v1, kind: Secret, metadata: {name: my-cluster-aso-secret, labels: {cluster.x-k8s.io/cluster-name: my-cluster}}}", "my-cluster-aso-secret"},
		"a person's":           {"{apiVersion: v1, kind: Secret, metadata: {name: own}}", "own"},
		"of the namespace":     {"{apiVersion: v1, kind: Secret, metadata: {name: aso-credential}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			uses := func(*unstructured.Unstructured) {}
			if tc.from != "" {
				uses = fixture.Annotated(aso.AnnotationCredentialFrom, tc.from)
			}
			secret := fixture.With(fixture.Parse(t, tc.secret), fixture.Deleting(names.CredentialFinalizer))
			if tc.from == "my-cluster-aso-secret" {
				fixture.Controlled(fixture.ASOControlPlane, "my-cluster")(secret)
			}
			m := fixture.New(t, fixture.Namespace(), fixture.Cluster(fixture.ClusterDeleting), fixture.NetworkOwner(t), secret,
				fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, fixture.Deleting(names.Finalizer)),
				fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), fixture.Controlled(fixture.ASOControlPlane, "my-cluster"), fixture.Deleting("aso"), uses),
				fixture.With(fixture.Parse(t, fixture.GroupYAML), fixture.Controlled(fixture.ASOCluster, "my-cluster"), fixture.Deleting("aso"), uses))
			there := func() bool { return m.Find(secret.GroupVersionKind(), secret.GetName()) != nil }
			controlPlane, infrastructure := deleter(m, composite.AzureASOManagedControlPlane), deleter(m, composite.AzureASOManagedCluster)
			m.Reconcile(controlPlane, "my-cluster")
			m.Release(fixture.ManagedCluster, "my-cluster")
			m.Reconcile(controlPlane, "my-cluster")
			if m.Find(fixture.ASOControlPlane, "my-cluster") != nil || !there() {
				t.Fatalf("after the control plane the Secret is there: %v", there())
			}
			m.Reconcile(infrastructure, "my-cluster")
			m.Release(fixture.Group, "rg")
			m.Reconcile(infrastructure, "my-cluster")
			want := []string{"patch Secret " + secret.GetName(), "patch AzureASOManagedCluster my-cluster"}
			if diff := cmp.Diff(want, m.TakeWrites()); diff != "" || there() {
				t.Errorf("at the end the Secret is there: %v; writes: -want +got:\n%s", there(), diff)
			}
		})
	}
}
