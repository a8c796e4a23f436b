package compute

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

var templateKind = composite.AzureMachineTemplate

// A Template does provider-capz's part for AzureMachineTemplates: it writes the Secret that the bootstrap data of their machines is made with,
// and notes what Azure offers of their size, of which function-capz writes capacity and architecture for the autoscaler.
type Template struct {
	access.API

	AzureJSON *AzureJSON
	// Watched reports whether an object is one to act on.
	Watched func(metav1.Object) bool
}

// Reconcile does that for the AzureMachineTemplate that req names, once it belongs to a Cluster of its family.
func (t *Template) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	xr := access.NewObject(templateKind.GroupVersionKind)
	if err := t.Get(ctx, req.NamespacedName, xr); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if xr.GetDeletionTimestamp() != nil || !t.Watched(xr) || access.Unmanaged(xr) {
		return ctrl.Result{}, nil
	}
	cluster, err := access.ClusterOf(ctx, t.Client, xr)
	if err != nil || cluster == nil {
		return ctrl.Result{}, err
	}
	s := &access.Scope{XR: xr, Kind: templateKind, Cluster: cluster}
	if s.Paused() || s.ClusterDeleted() {
		return ctrl.Result{}, nil
	}
	infrastructure, err := access.InfrastructureOf(ctx, t.Client, cluster)
	if err != nil || infrastructure == nil {
		return ctrl.Result{}, err
	}
	template, ok := read[v1beta1.AzureMachineTemplate](xr)
	if !ok {
		return ctrl.Result{}, nil // function-capz reports it.
	}
	spec := template.Spec.Template.Spec
	err = errors.Join(
		t.noteSize(ctx, s, infrastructure, spec.VMSize),
		t.AzureJSON.Write(ctx, t.API, xr, cluster.Name, infrastructure, spec.Identity, spec.UserAssignedIdentities))
	tell(t.API, xr, err)
	switch {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	case access.RefusedByNamespace(err):
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

// noteSize notes what Azure offers of the size of the template.
func (t *Template) noteSize(ctx context.Context, s *access.Scope, infrastructure *unstructured.Unstructured, size string) error {
	azureCluster, ok := read[v1beta1.AzureCluster](infrastructure)
	if !ok {
		return nil
	}
	account, usable, err := t.AzureJSON.account(ctx, infrastructure, s.Cluster.Name)
	if err != nil || !usable {
		return err
	}
	offered, err := t.AzureJSON.sizeOf(ctx, account, azureCluster, size)
	if err != nil {
		return err
	}
	text, err := v1alpha1.MachineFacts{Size: offered}.Encode()
	if err != nil {
		return err
	}
	return t.Annotate(ctx, s.XR, func(annotations map[string]string) { annotations[v1alpha1.AnnotationMachineFacts] = text })
}

// FromCluster returns the templates of a Cluster.
func (t *Template) FromCluster(ctx context.Context, obj client.Object) []ctrl.Request {
	return t.ofCluster(ctx, obj.GetNamespace(), obj.GetName())
}

// FromInfrastructure returns the templates of the Cluster of an AzureCluster.
func (t *Template) FromInfrastructure(ctx context.Context, obj client.Object) []ctrl.Request {
	cluster, err := access.ClusterOf(ctx, t.Client, obj)
	if err != nil || cluster == nil {
		return nil // Its own events come later.
	}
	return t.FromCluster(ctx, cluster)
}

// FromSecret returns the template that a Secret is of, or those whose settings have what is in it.
func (t *Template) FromSecret(ctx context.Context, obj client.Object) []ctrl.Request {
	if owner := metav1.GetControllerOf(obj); owner != nil && owner.Kind == templateKind.Kind {
		return access.Request(obj.GetNamespace(), owner.Name)
	}
	if cluster, is := strings.CutSuffix(obj.GetName(), v1beta1.CredentialSecretSuffix); is {
		return t.ofCluster(ctx, obj.GetNamespace(), cluster)
	}
	return nil
}

func (t *Template) ofCluster(ctx context.Context, namespace, cluster string) []ctrl.Request {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(templateKind.GroupVersionKind)
	if err := t.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{TemplateIndex: cluster}); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot list the templates of a Cluster", "cluster", cluster)
		return nil
	}
	var requests []ctrl.Request
	for i := range list.Items {
		requests = append(requests, access.Request(namespace, list.Items[i].GetName())...)
	}
	return requests
}

// TemplateIndex indexes AzureMachineTemplates by the name of their Cluster.
const TemplateIndex = "cluster-of-template"

// IndexTemplate is the function of TemplateIndex: Cluster API makes the Cluster an owner, and only with a topology labels the template.
func IndexTemplate(obj client.Object) []string {
	for _, owner := range obj.GetOwnerReferences() {
		if owner.Kind == "Cluster" && strings.HasPrefix(owner.APIVersion, clusterv1.GroupVersion.Group+"/") {
			return []string{owner.Name}
		}
	}
	return access.IndexCluster(obj)
}
