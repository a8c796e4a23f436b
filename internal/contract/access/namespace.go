package access

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Terminating reports whether a namespace is being deleted, after which it takes no new object. The reader is a cache: one whose deletion
// has just begun may not be known yet. One that is not known at all is not being deleted.
func Terminating(namespaces client.Reader, name string) bool {
	return terminating(namespaces, name) != nil
}

func terminating(namespaces client.Reader, name string) *metav1.PartialObjectMetadata {
	if name == "" {
		return nil
	}
	namespace := Metadata(corev1.SchemeGroupVersion.WithKind("Namespace"))
	err := namespaces.Get(context.Background(), client.ObjectKey{Name: name}, namespace)
	if err != nil || namespace.DeletionTimestamp.IsZero() {
		return nil
	}
	return namespace
}

// RefusedByNamespace reports whether an object could not be created because its namespace is being deleted.
func RefusedByNamespace(err error) bool {
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}
