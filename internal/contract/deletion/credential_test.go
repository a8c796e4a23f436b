package deletion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
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
	tests := map[string]struct {
		notes []fixture.Change
		group *unstructured.Unstructured
		waits bool
	}{
		"no identity":           {group: group},
		"all is well":           {notes: []fixture.Change{noted}, group: group},
		"lost":                  {notes: []fixture.Change{noted, lost}, group: group, waits: true},
		"missing":               {notes: []fixture.Change{noted, fixture.Annotated(v1beta1.AnnotationCredentialFailed, v1beta1.CredentialMissing+": x")}, group: group, waits: true},
		"stale":                 {notes: []fixture.Change{noted, fixture.Annotated(v1beta1.AnnotationCredentialFailed, v1beta1.CredentialFailed+": x")}, group: group},
		"never there":           {notes: []fixture.Change{lost}, group: group},
		"lost, nothing is left": {notes: []fixture.Change{noted, lost}, group: fixture.Parse(t, fixture.GroupYAML)},
	}
	secret := fixture.With(fixture.Parse(t, "{apiVersion: v1, kind: Secret, metadata: {namespace: default, name: my-cluster-aso-secret}}"), fixture.Controlled(fixture.ASOControlPlane, "my-cluster"))
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			controlPlane := fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), append([]fixture.Change{fixture.OfCluster, fixture.Deleting(names.Finalizer)}, tc.notes...)...)
			m := fixture.New(t, fixture.Cluster(fixture.ClusterDeleting), infrastructure.DeepCopy(), controlPlane, tc.group.DeepCopy(), secret.DeepCopy())
			result := m.Reconcile(deleter(m, composite.AzureASOManagedControlPlane), "my-cluster")
			if waits := result.RequeueAfter == pollInterval && m.Find(fixture.ASOControlPlane, "my-cluster") != nil; waits != tc.waits {
				t.Errorf("waits: %v, want %v", waits, tc.waits)
			}
			if owner := m.Find(secret.GroupVersionKind(), "my-cluster-aso-secret").GetOwnerReferences()[0].Kind; (owner == fixture.ASOCluster.Kind) == tc.waits {
				t.Errorf("the Secret belongs to the %s", owner)
			}
			if events := m.TakeEvents(); (len(events) == 1) != tc.waits {
				t.Errorf("events %q, want one: %v", events, tc.waits)
			}
		})
	}
}

// TestCredentialIsTransferred shows to whom the Secret belongs after the composite resource that carries the credential.
func TestCredentialIsTransferred(t *testing.T) {
	composes := fixture.With(fixture.Parse(t, fixture.InfrastructureYAML[:len(fixture.InfrastructureYAML)-len("spec: {}\n")]+"spec:"+fixture.NetworkRefs), fixture.OfCluster)
	carrying := composite.AzureASOManagedCluster
	carrying.Credential = true
	lost := fixture.Annotated(v1beta1.AnnotationCredential, "my-cluster-aso-secret", v1beta1.AnnotationCredentialFailed, v1beta1.IdentityNotAllowed+": not for this namespace")
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		kind    composite.Kind
		deleted *unstructured.Unstructured
		others  []client.Object
		want    string
	}{
		"to the infrastructure, which composes": {cluster: fixture.Cluster(fixture.ClusterDeleting), kind: composite.AzureASOManagedControlPlane,
			deleted: fixture.Parse(t, fixture.ControlPlaneYAML), others: []client.Object{composes.DeepCopy()}, want: "AzureASOManagedCluster"},
		"to no infrastructure that composes nothing": {cluster: fixture.ClusterOfTyped(fixture.ClusterDeleting), kind: composite.AzureManagedControlPlane,
			deleted: fixture.Parse(t, fixture.TypedControlPlaneYAML), others: []client.Object{fixture.With(fixture.Parse(t, fixture.TypedInfrastructureYAML), fixture.OfCluster)}, want: "AzureManagedControlPlane"},
		"to no infrastructure of another provider": {cluster: fixture.Cluster(fixture.ClusterDeleting, func(c *clusterv1.Cluster) { c.Spec.InfrastructureRef.Kind = "OtherCluster" }), kind: composite.AzureASOManagedControlPlane,
			deleted: fixture.Parse(t, fixture.ControlPlaneYAML), others: []client.Object{composes.DeepCopy()}, want: "AzureASOManagedControlPlane"},
		"from an infrastructure to nobody": {cluster: fixture.Cluster(fixture.ClusterDeleting), kind: carrying,
			deleted: fixture.Parse(t, fixture.InfrastructureYAML), want: "AzureASOManagedCluster"},
		"from an infrastructure that has lost it to nobody": {cluster: fixture.Cluster(fixture.ClusterDeleting), kind: carrying,
			deleted: fixture.With(fixture.Parse(t, fixture.InfrastructureYAML), lost), want: "AzureASOManagedCluster"},
		"from none that does not carry it": {cluster: fixture.Cluster(fixture.ClusterDeleting), kind: composite.AzureASOManagedMachinePool,
			deleted: fixture.Parse(t, fixture.PoolYAML), others: []client.Object{composes.DeepCopy()}, want: "AzureASOManagedMachinePool"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			xr := fixture.With(tc.deleted, fixture.OfCluster, fixture.Deleting(names.Finalizer))
			secret := fixture.With(fixture.Parse(t, "{apiVersion: v1, kind: Secret, metadata: {namespace: default, name: my-cluster-aso-secret}}"), fixture.Controlled(tc.kind.GroupVersionKind, xr.GetName()))
			m := fixture.New(t, append(tc.others, tc.cluster, xr, secret)...)
			m.Reconcile(deleter(m, tc.kind), xr.GetName())
			if m.Find(tc.kind.GroupVersionKind, xr.GetName()) != nil {
				t.Error("the composite resource is still there")
			}
			var owners []string
			for _, owner := range m.Find(secret.GroupVersionKind(), "my-cluster-aso-secret").GetOwnerReferences() {
				owners = append(owners, owner.Kind)
			}
			if diff := cmp.Diff([]string{tc.want}, owners); diff != "" {
				t.Errorf("owners of the Secret: -want +got:\n%s", diff)
			}
		})
	}
}
