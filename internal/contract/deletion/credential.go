package deletion

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// awaitsCredential reports whether a composite resource whose objects are gone has to stay for the credential of its Cluster, which is
// lost: the Secret is made for the one composite resource only that carries the credential, and without it the resources of the one that
// is deleted next could not be deleted in Azure.
func (d *Deleter) awaitsCredential(ctx context.Context, s *access.Scope) (bool, error) {
	annotations := s.XR.GetAnnotations()
	reason, message := v1beta1.ReadCredentialFailure(annotations)
	if !v1beta1.CredentialLost(annotations[v1beta1.AnnotationCredential], reason) {
		return false, nil
	}
	next, err := d.deletedNext(ctx, s)
	if err != nil || next == nil {
		return false, err
	}
	composed, err := d.Live.Composed(ctx, next)
	if err != nil || len(composed.Objects) == 0 {
		return false, err
	}
	d.Events.Warn(s.XR, "CredentialAwaited", "WaitForCredential", fmt.Sprintf(
		"waits for the credential with which the resources of %s %s are deleted in Azure: %s", next.GetKind(), next.GetName(), v1beta1.CredentialFailure(reason, message)))
	return true, nil
}

// deletedNext returns the composite resource of the Cluster that is deleted after the one that carries the credential, and has composed
// objects itself; nil when there is none. Only the infrastructure is deleted after another one, the control plane.
func (d *Deleter) deletedNext(ctx context.Context, s *access.Scope) (*unstructured.Unstructured, error) {
	if !d.Kind.Credential || d.Kind.Role == composite.InfrastructureCluster || s.Cluster == nil {
		return nil, nil
	}
	ref := s.Cluster.Spec.InfrastructureRef
	kind, ok := composite.Referred(ref, composite.InfrastructureCluster)
	if !ok {
		return nil, nil
	}
	next, err := d.Live.Object(ctx, s.XR.GetNamespace(), access.Ref{GroupVersionKind: kind.GroupVersionKind, Name: ref.Name})
	if err != nil || next == nil {
		return nil, err
	}
	refs, err := access.ComposedRefs(next)
	if len(refs) == 0 {
		return nil, err
	}
	return next, nil
}

// transferCredential makes the composite resource that is deleted next the owner of the Secret with the credential. As the Secret of the
// one that carries the credential it would be deleted with that where the Cluster is deleted in the foreground: garbage collection does
// not count an owner then that is being deleted, too.
func (d *Deleter) transferCredential(ctx context.Context, s *access.Scope) error {
	next, err := d.deletedNext(ctx, s)
	if err != nil || next == nil {
		return err
	}
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	key := client.ObjectKey{Namespace: s.XR.GetNamespace(), Name: v1beta1.CredentialSecret(s.Cluster.Name)}
	if err := d.Live.Get(ctx, key, secret); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(secret, s.XR) {
		return nil
	}
	transferred := secret.DeepCopy()
	transferred.OwnerReferences = append(
		slices.DeleteFunc(transferred.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == s.XR.GetUID() }),
		metav1.OwnerReference{APIVersion: next.GetAPIVersion(), Kind: next.GetKind(), Name: next.GetName(), UID: next.GetUID()})
	return client.IgnoreNotFound(d.Patch(ctx, transferred, client.MergeFromWithOptions(secret, client.MergeFromWithOptimisticLock{})))
}
