// Package credential keeps the Secrets that Azure Service Operator (ASO) signs in with for as long as composite resources have ASO objects
// which need them: without its credential ASO deletes nothing in Azure. A namespace that is being deleted loses all its Secrets at
// once, and garbage collection in the foreground takes those of a Cluster first.
//
// A finalizer on the Secret does that, whoever has made it. There is one only while there is a composite resource: the last one
// takes it away before its own, so that none is left when provider-capz is uninstalled.
package credential

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

var secretKind = corev1.SchemeGroupVersion.WithKind("Secret")

// A Keeper puts the finalizer on Secrets and takes it away. It reads nothing of a Secret but its metadata.
type Keeper struct {
	access.API
}

// Hold puts the finalizer on the Secrets that ASO signs in with for what a composite resource has composed.
func (k *Keeper) Hold(ctx context.Context, xr *unstructured.Unstructured) error {
	objects, err := k.composed(ctx, xr)
	if err != nil {
		return err
	}
	for _, name := range secretsOf(objects) {
		secret, err := k.secret(ctx, client.ObjectKey{Namespace: xr.GetNamespace(), Name: name})
		if err != nil {
			return err
		}
		if secret == nil {
			continue
		}
		if err := k.hold(ctx, secret); err != nil {
			return err
		}
	}
	return nil
}

// secretsOf returns the names of the Secrets that ASO signs in with for the objects, if they are there.
func secretsOf(objects []*metav1.PartialObjectMetadata) []string {
	var all []string
	for _, obj := range objects {
		if name, _ := azure.SecretOf(obj); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// secret returns the metadata of a Secret; nil when there is none.
func (k *Keeper) secret(ctx context.Context, key client.ObjectKey) (*metav1.PartialObjectMetadata, error) {
	secret := access.Metadata(secretKind)
	err := k.Metadata.Get(ctx, key, secret)
	switch {
	case err == nil:
		return secret, nil
	case apierrors.IsNotFound(err):
		return nil, nil
	}
	return nil, fmt.Errorf("cannot read the metadata of Secret %s: %w", key.Name, err)
}

func held(secret metav1.Object) bool {
	return slices.Contains(secret.GetFinalizers(), names.CredentialFinalizer)
}

// hold puts the finalizer on a Secret. One that is being deleted takes none.
func (k *Keeper) hold(ctx context.Context, secret *metav1.PartialObjectMetadata) error {
	if held(secret) || !secret.DeletionTimestamp.IsZero() {
		return nil
	}
	return k.change(ctx, secret, func(s *metav1.PartialObjectMetadata) { controllerutil.AddFinalizer(s, names.CredentialFinalizer) })
}

// LetGo takes the finalizer away from a Secret, whoever uses it.
func (k *Keeper) LetGo(ctx context.Context, secret *metav1.PartialObjectMetadata) error {
	if !held(secret) {
		return nil
	}
	return k.change(ctx, secret, func(s *metav1.PartialObjectMetadata) { controllerutil.RemoveFinalizer(s, names.CredentialFinalizer) })
}

// change writes the finalizers of a Secret. The lock keeps those that others write meanwhile.
func (k *Keeper) change(ctx context.Context, secret *metav1.PartialObjectMetadata, change func(*metav1.PartialObjectMetadata)) error {
	changed := secret.DeepCopy()
	change(changed)
	err := k.Patch(ctx, changed, client.MergeFromWithOptions(secret, client.MergeFromWithOptimisticLock{}))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot write the finalizers of Secret %s: %w", secret.Name, err)
	}
	return nil
}

// Release takes the finalizer away from the Secrets that a composite resource, whose objects are gone, may have been the last one to use.
func (k *Keeper) Release(ctx context.Context, xr *unstructured.Unstructured) error {
	cluster := xr.GetLabels()[clusterv1.ClusterNameLabel]
	return k.release(ctx, xr.GetNamespace(), xr.GetUID(), func(secret *metav1.PartialObjectMetadata) bool {
		return secret.Labels[clusterv1.ClusterNameLabel] == cluster
	})
}

// ReleaseAfter is Release for a composite resource of a namespace that is gone, of which nothing is known any more. What is made for one
// Cluster goes with its owner, which leads here again.
func (k *Keeper) ReleaseAfter(ctx context.Context, namespace string) error {
	return k.release(ctx, namespace, "", func(*metav1.PartialObjectMetadata) bool { return false })
}

// release takes the finalizer away from the Secrets of a namespace that nobody uses, leaving the composite resource with the UID out: of
// those that are being deleted or belong to nobody, and of the others that it concerns.
func (k *Keeper) release(ctx context.Context, namespace string, but types.UID, concerns func(*metav1.PartialObjectMetadata) bool) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(secretKind)
	if err := k.Metadata.List(ctx, list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("cannot list the metadata of Secrets: %w", err)
	}
	for i := range list.Items {
		secret := &list.Items[i]
		if !held(secret) || secret.DeletionTimestamp.IsZero() && metav1.GetControllerOf(secret) != nil && !concerns(secret) {
			continue
		}
		secret = secret.DeepCopy()
		secret.SetGroupVersionKind(secretKind) // Items of a list have none.
		user, err := k.user(ctx, secret, but)
		if err != nil {
			return err
		}
		if user != "" {
			continue
		}
		if err := k.LetGo(ctx, secret); err != nil {
			return err
		}
	}
	return nil
}
