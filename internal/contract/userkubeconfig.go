package contract

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// userKubeconfigFailed is the reason of Events about a kubeconfig for people that cannot be made.
const userKubeconfigFailed = "UserKubeconfigFailed"

// mirrorUserKubeconfig keeps <cluster>-kubeconfig-user of a typed control plane equal to the kubeconfig that ASO writes for
// people who log in to Entra: it calls kubelogin, and holds no secret. Cluster API does not read it, CAPZ's users do.
//
// A mistake about it is shown and no error: Cluster API's own kubeconfig must not wait for it.
func (m *controlPlaneMirror) mirrorUserKubeconfig(ctx context.Context, s *scope, managedCluster *unstructured.Unstructured) error {
	destination, ok := destinationAt(managedCluster, userCredentials)
	name := kubeconfigName(s) + "-user"
	if !ok || !typed(s.xr) || !aadManaged.value(managedCluster) || destination.name == name {
		return nil
	}
	err := m.copyUserKubeconfig(ctx, s, managedCluster, destination, name)
	if wrong, ok := asUserError(err); ok {
		m.events.warn(s.xr, userKubeconfigFailed, "MirrorKubeconfig", wrong.message)
		return nil
	}
	if err == nil {
		m.events.clear(s.xr, userKubeconfigFailed)
	}
	return err
}

func (m *controlPlaneMirror) copyUserKubeconfig(ctx context.Context, s *scope, managedCluster *unstructured.Unstructured, destination secretKey, name string) error {
	source, err := m.sourceOf(ctx, s, destination.name, managedCluster)
	if err != nil || source == nil {
		return err // ASO has yet to write it, which leads here.
	}
	kubeconfig, err := kubeconfigIn(source, destination)
	if err != nil {
		return err
	}
	return m.writeKubeconfig(ctx, s, name, kubeconfig, nil)
}
