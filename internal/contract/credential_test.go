package contract

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// TestDeleteOfControlPlaneWaitsForItsCredential says that a control plane which has nothing left in Azure stays while its
// credential is taken away and the infrastructure needs that.
func TestDeleteOfControlPlaneWaitsForItsCredential(t *testing.T) {
	told := annotated(v1beta1.AnnotationCredential, "my-cluster-aso-secret")
	lost := annotated(v1beta1.AnnotationCredentialFailed, v1beta1.IdentityNotAllowed+": not for this namespace")
	group := with(parse(t, groupYAML), controlled(asoClusterKind, "my-cluster"))
	infrastructure := with(parse(t, infrastructureYAML[:len(infrastructureYAML)-len("spec: {}\n")]+"spec:"+networkRefs), ofCluster)
	tests := map[string]struct {
		said  []func(*unstructured.Unstructured)
		group *unstructured.Unstructured
		waits bool
	}{
		"no identity":           {group: group},
		"all is well":           {said: []func(*unstructured.Unstructured){told}, group: group},
		"lost":                  {said: []func(*unstructured.Unstructured){told, lost}, group: group, waits: true},
		"missing":               {said: []func(*unstructured.Unstructured){told, annotated(v1beta1.AnnotationCredentialFailed, v1beta1.CredentialMissing+": x")}, group: group, waits: true},
		"stale":                 {said: []func(*unstructured.Unstructured){told, annotated(v1beta1.AnnotationCredentialFailed, v1beta1.CredentialFailed+": x")}, group: group},
		"never there":           {said: []func(*unstructured.Unstructured){lost}, group: group},
		"lost, nothing is left": {said: []func(*unstructured.Unstructured){told, lost}, group: parse(t, groupYAML)},
	}
	secret := with(parse(t, "{apiVersion: v1, kind: Secret, metadata: {namespace: default, name: my-cluster-aso-secret}}"), controlled(asoControlPlaneKind, "my-cluster"))
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			controlPlane := with(parse(t, controlPlaneYAML), append([]func(*unstructured.Unstructured){ofCluster, deleting(Finalizer)}, tc.said...)...)
			m := newManagement(t, myCluster(clusterDeleting), infrastructure.DeepCopy(), controlPlane, tc.group.DeepCopy(), secret.DeepCopy())
			result := m.reconcile(m.reconciler(asoControlPlaneKind), "my-cluster")
			if waits := result.RequeueAfter == usedInterval && m.get(asoControlPlaneKind, "my-cluster") != nil; waits != tc.waits {
				t.Errorf("waits: %v, want %v", waits, tc.waits)
			}
			if owner := m.get(secret.GroupVersionKind(), "my-cluster-aso-secret").GetOwnerReferences()[0].Kind; (owner == asoClusterKind.Kind) == tc.waits {
				t.Errorf("the Secret belongs to the %s", owner)
			}
			if events := m.takeEvents(); (len(events) == 1) != tc.waits {
				t.Errorf("events %q, want one: %v", events, tc.waits)
			}
		})
	}
}
