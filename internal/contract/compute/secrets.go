package compute

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// writeSecrets writes what the machine needs in Secrets: the protected settings of its extensions, and the settings of Azure's cloud provider if
// it is of no template, which has them.
func (w *work) writeSecrets(ctx context.Context) error {
	if w.azureCluster == nil {
		return nil
	}
	extensions := azuremachine.Extensions(w.azureMachine, w.azureCluster.Spec.AzureEnvironment, w.facts.Size.Architecture)
	if err := keepProtectedSettings(ctx, w.API, w.XR, w.Cluster.Name, azuremachine.Name(w.azureMachine), extensions); err != nil {
		return err
	}
	if w.XR.GetAnnotations()[clusterv1.TemplateClonedFromGroupKindAnnotation] != "" {
		return nil
	}
	return w.AzureJSON.Write(ctx, w.API, w.XR, w.Cluster.Name, w.infrastructure, w.azureMachine.Spec.Identity, w.azureMachine.Spec.UserAssignedIdentities)
}

// keepProtectedSettings writes the Secrets with the protected settings of the extensions of a virtual machine or scale set.
func keepProtectedSettings(ctx context.Context, api access.API, xr *unstructured.Unstructured, cluster, machine string, extensions []v1beta1.VMExtension) error {
	for _, extension := range extensions {
		if len(extension.ProtectedSettings) == 0 {
			continue
		}
		data := map[string][]byte{}
		for name, value := range extension.ProtectedSettings {
			data[name] = []byte(value)
		}
		if err := keepSecret(ctx, api, xr, cluster, azuremachine.ProtectedSettingsSecret(machine, extension.Name), nil, data); err != nil {
			return err
		}
	}
	return nil
}

// keepSecret has a Secret with the data that goes with its owner. One that is not the owner's stays as it is: a user has made it.
func keepSecret(ctx context.Context, api access.API, owner *unstructured.Unstructured, cluster, name string, labels map[string]string, data map[string][]byte) error {
	current := &corev1.Secret{}
	err := api.Live.Get(ctx, client.ObjectKey{Namespace: owner.GetNamespace(), Name: name}, current)
	if apierrors.IsNotFound(err) {
		ref := metav1.NewControllerRef(owner, owner.GroupVersionKind())
		ref.BlockOwnerDeletion = nil
		all := map[string]string{clusterv1.ClusterNameLabel: cluster}
		maps.Copy(all, labels)
		err = api.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: owner.GetNamespace(), Name: name, Labels: all, OwnerReferences: []metav1.OwnerReference{*ref}},
			Data:       data,
		})
		if apierrors.IsAlreadyExists(err) {
			return nil // Its event leads here.
		}
		return err
	}
	if err != nil {
		return fmt.Errorf("cannot read Secret %s: %w", name, err)
	}
	if !metav1.IsControlledBy(current, owner) || equality.Semantic.DeepEqual(current.Data, data) {
		return nil
	}
	changed := current.DeepCopy()
	changed.Data = data
	return api.Patch(ctx, changed, client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{}))
}
