package sides

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	provider "github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// A poolPlay has the controller of provider-capz look at one AzureMachinePool, in a management cluster in memory.
type poolPlay struct {
	client client.Client
	azure  *poolAzure
	own    *compute.Pool
	// cluster is what the pool is in.
	cluster *clusterv1.Cluster
}

// newPoolPlay returns a play with the cluster of a pool, which runs.
func newPoolPlay(w *selfManagedWorld) (*poolPlay, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	p := &poolPlay{azure: &poolAzure{}, cluster: clusterOf(w.spec.Cluster)}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(w.cluster)
	if err != nil {
		return nil, err
	}
	azureCluster := &unstructured.Unstructured{Object: content}
	azureCluster.SetGroupVersionKind(composite.AzureCluster.GroupVersionKind)
	azureCluster.SetAnnotations(map[string]string{v1beta1.AnnotationCredential: v1beta1.CredentialSecret(w.spec.Cluster)})
	credential := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: specs.Namespace, Name: v1beta1.CredentialSecret(w.spec.Cluster)}, Data: map[string][]byte{
		"AZURE_SUBSCRIPTION_ID": []byte(specs.Subscription), "AZURE_TENANT_ID": []byte("tenant"), "AZURE_CLIENT_ID": []byte("client"), "AZURE_CLIENT_SECRET": []byte("secret")}}
	p.client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(p.cluster, azureCluster, credential).WithReturnManagedFields().
		WithStatusSubresource(access.NewObject(compute.PoolMachineKind)).Build()
	reach := compute.New(azure.Credentials{Operators: azure.Operators{Secrets: p.client}, Transport: p.azure}, provider.NewClient(p.azure))
	api := access.New(p.client, p.client, p.client, p.client.RESTMapper(), silent{})
	p.own = &compute.Pool{API: api, Azure: reach, AzureJSON: &compute.AzureJSON{Azure: reach}}
	return p, nil
}

// silent takes Events.
type silent struct{ events.EventRecorder }

// Eventf implements events.EventRecorder.
func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// reconcile has provider-capz look at the pool once, with its MachinePool, its scale set as it is composed and its bootstrap data, and returns the
// last PUT; none if there was none.
func (p *poolPlay) reconcile(ctx context.Context, machinePool *clusterv1.MachinePool, xr, set *unstructured.Unstructured, bootstrap string) (id string, body []byte, err error) {
	group := &unstructured.Unstructured{Object: map[string]any{}}
	group.SetGroupVersionKind(aso.ResourceGroup.GroupVersionKind())
	group.SetName(aso.SpecOwnerName.Value(set))
	azureCluster := &unstructured.Unstructured{}
	azureCluster.SetGroupVersionKind(composite.AzureCluster.GroupVersionKind)
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: specs.Namespace, Name: p.cluster.Name}, azureCluster); err != nil {
		return "", nil, err
	}
	name, _, _ := unstructured.NestedString(azureCluster.Object, "spec", "resourceGroup")
	group.Object["status"] = map[string]any{"id": fmt.Sprintf("/subscriptions/%s/resourceGroups/%s", specs.Subscription, name)}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: bootstrapSecret}, Data: map[string][]byte{"value": []byte(bootstrap)}}
	for _, obj := range []client.Object{group, secret, machinePool, ofPool(xr, set), p.composedFor(xr, set)} {
		if err := p.apply(ctx, obj); err != nil {
			return "", nil, fmt.Errorf("%s: %w", obj.GetName(), err)
		}
	}
	now := access.NewObject(composite.AzureMachinePool.GroupVersionKind)
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: specs.Namespace, Name: xr.GetName()}, now); err != nil {
		return "", nil, err
	}
	if _, err := p.own.Reconcile(ctx, &access.Scope{XR: now, Kind: composite.AzureMachinePool, Cluster: p.cluster}); err != nil {
		return "", nil, err
	}
	id, body = p.azure.take()
	return id, body, nil
}

// apply creates an object, or writes it over the one that there is, but for what provider-capz has noted on it.
func (p *poolPlay) apply(ctx context.Context, obj client.Object) error {
	obj.SetNamespace(specs.Namespace)
	before, ok := obj.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T cannot be copied", obj)
	}
	if err := p.client.Get(ctx, client.ObjectKeyFromObject(obj), before); err != nil {
		return p.client.Create(ctx, obj)
	}
	obj.SetResourceVersion(before.GetResourceVersion())
	annotations := map[string]string{}
	maps.Copy(annotations, before.GetAnnotations())
	maps.Copy(annotations, obj.GetAnnotations())
	obj.SetAnnotations(annotations)
	return p.client.Update(ctx, obj)
}

// ofPool returns an AzureMachinePool that its MachinePool owns, and for which Crossplane has composed the scale set.
func ofPool(xr, set *unstructured.Unstructured) *unstructured.Unstructured {
	obj := xr.DeepCopy()
	obj.SetUID("pool")
	obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "MachinePool", Name: xr.GetName(), UID: "machinepool"}})
	spec, _ := obj.Object["spec"].(map[string]any)
	spec["crossplane"] = map[string]any{"resourceRefs": []any{map[string]any{"apiVersion": set.GetAPIVersion(), "kind": set.GetKind(), "name": set.GetName()}}}
	return obj
}

// composedFor returns the object of a scale set as Crossplane has applied it, when it is known that it may be made or changed.
func (p *poolPlay) composedFor(xr, set *unstructured.Unstructured) *unstructured.Unstructured {
	obj := set.DeepCopy()
	obj.SetFinalizers([]string{aso.RemovalFinalizer})
	obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: xr.GetAPIVersion(), Kind: xr.GetKind(), Name: xr.GetName(), UID: "pool", Controller: ptr.To(true)}})
	annotations := obj.GetAnnotations()
	annotations[aso.AnnotationReconcilePolicy] = aso.PolicySkip
	annotations[azure.CredentialFromAnnotation] = v1beta1.CredentialSecret(p.cluster.Name)
	annotations[v1beta1.AnnotationOwnership] = v1beta1.OwnershipOwned
	obj.SetAnnotations(annotations)
	return obj
}
