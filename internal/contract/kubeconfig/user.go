package kubeconfig

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// userFailedReason is the reason of Events about a kubeconfig for people that cannot be written.
const userFailedReason = "UserKubeconfigFailed"

// copyForUsers keeps <cluster>-kubeconfig-user of a control plane with typed fields equal to the kubeconfig that ASO writes for
// people who log in to Entra: it calls kubelogin, and holds no secret. Cluster API does not read it, CAPZ's users do.
//
// A mistake about it is reported and no error: Cluster API's own kubeconfig must not wait for it.
func (w *Writer) copyForUsers(ctx context.Context, s *access.Scope, managedCluster *unstructured.Unstructured) error {
	destination, ok := destinationAt(managedCluster, userCredentials)
	name := secretName(s) + "-user"
	if !ok || s.Kind.Inline || !withEntra(managedCluster) || destination.name == name {
		return nil
	}
	err := w.copyTo(ctx, s, managedCluster, destination, name)
	if wrong, ok := asUserError(err); ok {
		w.Events.Warn(s.XR, userFailedReason, "MirrorKubeconfig", wrong.message)
		return nil
	}
	if err == nil {
		w.Events.Clear(s.XR, userFailedReason)
	}
	return err
}

func (w *Writer) copyTo(ctx context.Context, s *access.Scope, managedCluster *unstructured.Unstructured, destination secretKey, name string) error {
	source, err := w.sourceOf(ctx, s, destination.name, managedCluster)
	if err != nil || source == nil {
		return err // When ASO writes it, that leads here.
	}
	kubeconfig, err := kubeconfigIn(source, destination)
	if err != nil {
		return err
	}
	return w.writeKubeconfig(ctx, s, name, kubeconfig, nil)
}
