package contract

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// credentialOwed reports whether a control plane whose deletion is done has to stay for its credential. That is made for a control
// plane only, and the infrastructure, which is deleted after it, could not be deleted in Azure without.
func (r *Reconciler) credentialOwed(ctx context.Context, s *scope, xr *unstructured.Unstructured) (bool, error) {
	reason, message := v1beta1.ReadCredentialFailure(xr.GetAnnotations())
	if !v1beta1.CredentialLost(xr.GetAnnotations()[v1beta1.AnnotationCredential], reason) {
		return false, nil
	}
	infrastructure, err := r.infrastructureAfter(ctx, s, xr)
	if err != nil || infrastructure == nil {
		return false, err
	}
	composed, err := r.live.composed(ctx, infrastructure)
	if err != nil || len(composed.objects) == 0 {
		return false, err
	}
	r.events.warn(xr, "CredentialAwaited", "WaitForCredential", fmt.Sprintf(
		"waits for the credential with which the resources of AzureASOManagedCluster %s are deleted in Azure: %s", infrastructure.GetName(), v1beta1.CredentialFailure(reason, message)))
	return true, nil
}

// infrastructureAfter returns the infrastructure that is deleted after the control plane, by ASO as well; nil when there is none.
func (r *Reconciler) infrastructureAfter(ctx context.Context, s *scope, xr *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if r.kind != asoControlPlaneKind || s.cluster == nil || !refersTo(s.cluster.Spec.InfrastructureRef, asoClusterKind) {
		return nil, nil
	}
	return r.live.object(ctx, xr.GetNamespace(), objectRef{asoClusterKind, s.cluster.Spec.InfrastructureRef.Name})
}

// leaveCredential leaves the credential of a control plane that goes now to the infrastructure. As the control plane's it would
// be deleted with it where the Cluster is deleted in the foreground: garbage collection counts no owner then that is going, too.
func (r *Reconciler) leaveCredential(ctx context.Context, s *scope, xr *unstructured.Unstructured) error {
	infrastructure, err := r.infrastructureAfter(ctx, s, xr)
	if err != nil || infrastructure == nil {
		return err
	}
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	key := client.ObjectKey{Namespace: xr.GetNamespace(), Name: v1beta1.CredentialSecret(s.cluster.Name)}
	if err := r.live.Get(ctx, key, secret); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(secret, xr) {
		return nil
	}
	left := secret.DeepCopy()
	left.OwnerReferences = append(
		slices.DeleteFunc(left.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == xr.GetUID() }),
		metav1.OwnerReference{APIVersion: infrastructure.GetAPIVersion(), Kind: infrastructure.GetKind(), Name: infrastructure.GetName(), UID: infrastructure.GetUID()})
	return client.IgnoreNotFound(r.Patch(ctx, left, client.MergeFromWithOptions(secret, client.MergeFromWithOptimisticLock{})))
}
