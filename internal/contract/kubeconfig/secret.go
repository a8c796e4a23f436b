package kubeconfig

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

// adoptASOSecret makes a Secret that ASO writes itself under the contract's name readable by Cluster API. ASO writes all
// of it anew each time and its type cannot change, so only a missing label is added; nothing is contended.
func (w *Writer) adoptASOSecret(ctx context.Context, s *access.Scope, destination secretKey, source *corev1.Secret) error {
	if destination.key != secret.KubeconfigDataName {
		return mistake("Cluster API reads key %s of Secret %s, but ASO is to write %s; change the key in "+
			"spec.operatorSpec.secrets of the ManagedCluster", secret.KubeconfigDataName, destination.name, destination.key)
	}
	if err := dataOnly(destination.name, source.Data[destination.key]); err != nil || source.Labels[clusterv1.ClusterNameLabel] == s.Cluster.Name {
		return err
	}
	labelled := source.DeepCopy()
	metav1.SetMetaDataLabel(&labelled.ObjectMeta, clusterv1.ClusterNameLabel, s.Cluster.Name)
	return w.Patch(ctx, labelled, client.MergeFrom(source))
}

// writeKubeconfig makes the Secret of the name have the kubeconfig and the annotations, if it does not.
func (w *Writer) writeKubeconfig(ctx context.Context, s *access.Scope, name string, kubeconfig []byte, annotations map[string]string) error {
	current, err := w.secret(ctx, s, name)
	if err != nil {
		return err
	}
	if current != nil {
		if owner := metav1.GetControllerOf(current); owner != nil && owner.UID != s.XR.GetUID() {
			return mistake("Secret %s belongs to %s %s, so the kubeconfig cannot be written to it; delete it or rename its owner's",
				current.Name, owner.Kind, owner.Name)
		}
		if current.Type != clusterv1.ClusterSecretType {
			return w.replace(ctx, s, current)
		}
	}
	wanted := w.wantedSecret(s, name, current, kubeconfig, annotations)
	switch {
	case current == nil:
		return w.Create(ctx, wanted)
	case equality.Semantic.DeepEqual(wanted, current):
		return nil
	}
	return w.Patch(ctx, wanted, client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{}))
}

// replace deletes a Secret whose type is another than the contract's, as a type cannot change. Its end leads here.
func (w *Writer) replace(ctx context.Context, s *access.Scope, current *corev1.Secret) error {
	ours := metav1.IsControlledBy(current, s.XR) || len(access.OwningManagedClusters(current)) > 0
	if !ours {
		return mistake("Secret %s has type %s, but Cluster API's contract asks for %s; delete it, and it is written anew",
			current.Name, current.Type, clusterv1.ClusterSecretType)
	}
	uid := current.UID
	return client.IgnoreNotFound(w.Delete(ctx, current, client.Preconditions{UID: &uid}))
}

// wantedSecret returns current, or a new Secret, as the contract has it; labels, annotations and keys of others stay.
func (w *Writer) wantedSecret(s *access.Scope, name string, current *corev1.Secret, kubeconfig []byte, annotations map[string]string) *corev1.Secret {
	wanted := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.XR.GetNamespace(), Name: name},
		Type:       clusterv1.ClusterSecretType,
	}
	if current != nil {
		wanted = current.DeepCopy()
	}
	metav1.SetMetaDataLabel(&wanted.ObjectMeta, clusterv1.ClusterNameLabel, s.Cluster.Name)
	if !metav1.IsControlledBy(wanted, s.XR) {
		wanted.OwnerReferences = append(wanted.OwnerReferences, *metav1.NewControllerRef(s.XR, s.XR.GroupVersionKind()))
	}
	for _, name := range []string{names.TokenExpiresAtAnnotation, tokenRenewAtAnnotation, digestAnnotation} {
		delete(wanted.Annotations, name)
	}
	if len(annotations) > 0 {
		if wanted.Annotations == nil {
			wanted.Annotations = map[string]string{}
		}
		maps.Copy(wanted.Annotations, annotations)
	}
	if wanted.Data == nil {
		wanted.Data = map[string][]byte{}
	}
	wanted.Data[secret.KubeconfigDataName] = kubeconfig
	return wanted
}

// secret reads a Secret of the namespace; nil when it does not exist.
func (w *Writer) secret(ctx context.Context, s *access.Scope, name string) (*corev1.Secret, error) {
	found := &corev1.Secret{}
	err := w.Live.Get(ctx, client.ObjectKey{Namespace: s.XR.GetNamespace(), Name: name}, found)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", name, err)
	}
	return found, nil
}

// digest is how an alteration of a written kubeconfig is noticed.
func digest(kubeconfig []byte) string {
	sum := sha256.Sum256(kubeconfig)
	return hex.EncodeToString(sum[:])
}
