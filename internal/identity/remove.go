package identity

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// revoke deletes the Secret, used or not, so that ASO can do nothing more for the cluster. Nothing else is deleted.
func (r *Reconciler) revoke(ctx context.Context, current *corev1.Secret) error {
	err := r.Delete(ctx, current, client.Preconditions{UID: &current.UID})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("cannot delete Secret %s: %w", current.Name, err)
	}
	return r.letGo(ctx, current)
}

// letGo takes the finalizer away from the Secret as it is now.
func (r *Reconciler) letGo(ctx context.Context, current *corev1.Secret) error {
	secret := access.Metadata(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := r.live.Get(ctx, client.ObjectKeyFromObject(current), secret)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the metadata of Secret %s: %w", current.Name, err)
	}
	if secret.UID != current.UID {
		return nil
	}
	return r.secrets.LetGo(ctx, secret)
}

// renew lets a Secret go that somebody deletes, and reports whether it did: its end leads here, and it is made anew. It stays where that
// cannot be, as the namespace takes no new Secret, or where all goes that needs it. That is read from the API server itself: any of them
// may have begun to go a moment ago.
func (r *Reconciler) renew(ctx context.Context, xr *unstructured.Unstructured, cluster *clusterv1.Cluster, current *corev1.Secret) (bool, error) {
	for kind, key := range map[schema.GroupVersionKind]client.ObjectKey{
		corev1.SchemeGroupVersion.WithKind("Namespace"): {Name: current.Namespace},
		clusterv1.GroupVersion.WithKind("Cluster"):      client.ObjectKeyFromObject(cluster),
		xr.GroupVersionKind():                           client.ObjectKeyFromObject(xr),
	} {
		obj := access.Metadata(kind)
		err := r.live.Get(ctx, key, obj)
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("cannot read %s %s: %w", kind.Kind, key.Name, err)
		}
		if !obj.DeletionTimestamp.IsZero() {
			return false, nil
		}
	}
	return true, r.letGo(ctx, current)
}
