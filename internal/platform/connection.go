package platform

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// secretType is what Crossplane gives its own connection Secrets (crossplane-runtime, pkg/resource).
const secretType corev1.SecretType = "connection.crossplane.io/v1alpha1"

// reasonSecretTaken is the reason of the Event about a Secret of somebody else's.
const reasonSecretTaken = "ConnectionSecretTaken"

// takenRetry is how long it takes at most to notice that a Secret of somebody else's is gone, which leads nowhere.
const takenRetry = 30 * time.Second

// connect makes the connection Secret have what Cluster API's kubeconfig Secret has, and takes away one of an earlier name.
func (r *Reconciler) connect(ctx context.Context, t team, cluster *clusterv1.Cluster) (ctrl.Result, error) {
	if err := r.dropOthers(ctx, t); err != nil {
		return ctrl.Result{}, err
	}
	if t.secret == "" || !cluster.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	kubeconfig, err := r.kubeconfig(ctx, cluster)
	if err != nil || kubeconfig == nil {
		return ctrl.Result{}, err // Yet to be written, which leads here.
	}
	current := &corev1.Secret{}
	err = r.live.Get(ctx, client.ObjectKey{Namespace: cluster.Namespace, Name: t.secret}, current)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("cannot read Secret %s: %w", t.secret, err)
	}
	exists := err == nil
	if exists && !metav1.IsControlledBy(current, t.owner) {
		r.events.Eventf(t.owner, nil, corev1.EventTypeWarning, reasonSecretTaken, "WriteConnectionSecret",
			"spec.writeConnectionSecretToRef.name is %q, but must be another because a Secret of that name exists and is not this cluster's; it is left as it is", t.secret)
		return ctrl.Result{RequeueAfter: takenRetry}, nil
	}
	wanted := wantedSecret(t, cluster, current, kubeconfig)
	if !exists {
		return ctrl.Result{}, r.Create(ctx, wanted)
	}
	if equality.Semantic.DeepEqual(wanted, current) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Patch(ctx, wanted, client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{}))
}

// kubeconfig returns the content of Cluster API's kubeconfig Secret; nil while there is none.
func (r *Reconciler) kubeconfig(ctx context.Context, cluster *clusterv1.Cluster) ([]byte, error) {
	source := &corev1.Secret{}
	name := secret.Name(cluster.Name, secret.Kubeconfig)
	err := r.live.Get(ctx, client.ObjectKey{Namespace: cluster.Namespace, Name: name}, source)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", name, err)
	}
	// One without the label is not Cluster API's: somebody may have put it there.
	if source.Labels[clusterv1.ClusterNameLabel] != cluster.Name {
		return nil, nil
	}
	return source.Data[secret.KubeconfigDataName], nil
}

// wantedSecret returns current, or a new Secret when that is empty, as it must be; labels and annotations of others stay.
func wantedSecret(t team, cluster *clusterv1.Cluster, current *corev1.Secret, kubeconfig []byte) *corev1.Secret {
	wanted := current.DeepCopy()
	wanted.Namespace, wanted.Name = cluster.Namespace, t.secret
	if wanted.Type == "" {
		wanted.Type = secretType
	}
	metav1.SetMetaDataLabel(&wanted.ObjectMeta, ClusterLabel, cluster.Name)
	if !metav1.IsControlledBy(wanted, t.owner) {
		wanted.OwnerReferences = append(wanted.OwnerReferences, controllerRef(t.owner))
	}
	wanted.Data = map[string][]byte{KubeconfigKey: kubeconfig}
	if endpoint := cluster.Spec.ControlPlaneEndpoint; endpoint.IsValid() {
		wanted.Data[EndpointKey] = []byte("https://" + endpoint.String())
	}
	return wanted
}

// controllerRef does not block the deletion of its owner: nothing has to happen before the Secret goes.
func controllerRef(owner *unstructured.Unstructured) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{
		APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(), Controller: &yes,
	}
}

// dropOthers deletes connection Secrets of the cluster that the spec does not name any longer.
func (r *Reconciler) dropOthers(ctx context.Context, t team) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := r.live.List(ctx, list, client.InNamespace(t.cluster.Namespace), client.MatchingLabels{ClusterLabel: t.cluster.Name})
	if err != nil {
		return fmt.Errorf("cannot list connection Secrets: %w", err)
	}
	for i := range list.Items {
		found := &list.Items[i]
		if found.Name == t.secret || !metav1.IsControlledBy(found, t.owner) {
			continue
		}
		uid := found.UID
		found.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		if err := client.IgnoreNotFound(r.Delete(ctx, found, client.Preconditions{UID: &uid})); err != nil {
			return fmt.Errorf("cannot delete Secret %s: %w", found.Name, err)
		}
	}
	return nil
}
