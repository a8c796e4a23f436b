package identity

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// allows reports whether clusters in a namespace may use an AzureClusterIdentity: no allowedNamespaces mean none, empty ones
// all; else it must be listed, or match a selector that is not empty.
func allows(ctx context.Context, c client.Reader, identity *v1beta1.AzureClusterIdentity, namespace string) (bool, error) {
	allowed := identity.Spec.AllowedNamespaces
	switch {
	case allowed == nil:
		return false, nil
	case allowed.NamespaceList == nil && allowed.Selector == nil:
		return true, nil
	case slices.Contains(allowed.NamespaceList, namespace):
		return true, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(allowed.Selector)
	if err != nil {
		return false, wrong("spec.allowedNamespaces.selector of AzureClusterIdentity %s/%s is invalid: %v", identity.Namespace, identity.Name, err)
	}
	if selector.Empty() {
		return false, nil
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := c.Get(ctx, client.ObjectKey{Name: namespace}, found); err != nil {
		return false, fmt.Errorf("cannot read namespace %s: %w", namespace, err)
	}
	return selector.Matches(labels.Set(found.Labels)), nil
}
