package deletion

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/credential"
)

// awaitsCredential reports whether a composite resource whose objects are gone has to stay for the credential of its Cluster, which is
// lost: the Secret is made for the one composite resource only that carries the credential, and without it the resources of the one that
// is deleted next could not be deleted in Azure. It counts whether the Secret is there, and what provider-capz reports beside.
func (d *Deleter) awaitsCredential(ctx context.Context, s *access.Scope) (bool, error) {
	next, err := d.deletedNext(ctx, s)
	if err != nil || next == nil {
		return false, err
	}
	composed, err := d.Live.Composed(ctx, next)
	if err != nil || len(composed.Objects) == 0 {
		return false, err
	}
	secret, err := d.lost(ctx, composed.Objects)
	if err != nil {
		return false, err
	}
	annotations := s.XR.GetAnnotations()
	reason, message := v1beta1.ReadCredentialFailure(annotations)
	why := v1beta1.CredentialFailure(reason, message)
	switch {
	case v1beta1.CredentialLost(annotations[v1beta1.AnnotationCredential], reason):
	case secret == v1beta1.CredentialSecret(s.Cluster.Name):
		why = credential.Loss(d.Metadata, s.XR.GetNamespace(), secret)
	default:
		return false, nil
	}
	d.Events.Warn(s.XR, "CredentialAwaited", "WaitForCredential", fmt.Sprintf(
		"waits for the credential with which the resources of %s %s are deleted in Azure: %s", next.GetKind(), next.GetName(), why))
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

// reportLost reports, on the composite resource that they belong to, that the objects which are left name a Secret that is gone, and
// whether they do: ASO says nothing of it on objects that are being deleted.
func (d *Deleter) reportLost(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) (bool, error) {
	name, err := d.lost(ctx, objects)
	if err != nil {
		return false, err
	}
	if name == "" {
		d.Events.Clear(xr, credential.Lost)
		return false, nil
	}
	d.Events.Warn(xr, credential.Lost, "DeleteComposite", credential.Loss(d.Metadata, xr.GetNamespace(), name))
	return true, nil
}

// lost returns the name of a Secret that objects name, which ASO has to delete in Azure, and that does not exist; else nothing.
func (d *Deleter) lost(ctx context.Context, objects []*unstructured.Unstructured) (string, error) {
	there := map[string]bool{}
	for _, obj := range objects {
		name, named := azure.SecretOf(obj)
		if !named || name == "" || there[name] || !aso.IsASO(obj.GroupVersionKind().Group) || !deletedInAzure(obj) {
			continue
		}
		key, secret := client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}, access.Metadata(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := d.Metadata.Get(ctx, key, secret)
		if apierrors.IsNotFound(err) { // The cache leaves some types of Secrets out.
			err = d.Live.Get(ctx, key, secret)
		}
		switch {
		case apierrors.IsNotFound(err):
			return name, nil
		case err != nil:
			return "", fmt.Errorf("cannot read the metadata of Secret %s: %w", name, err)
		}
		there[name] = true
	}
	return "", nil
}
