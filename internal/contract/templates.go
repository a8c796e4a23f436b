package contract

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// templates returns what adds the controller of AzureMachineTemplates, the only ones of which something is to be done.
func (s *setup) templates(ctx context.Context) Setup {
	kind, infrastructure := composite.AzureMachineTemplate, composite.AzureCluster
	return Setup{Kinds: []schema.GroupVersionKind{kind.GroupVersionKind, infrastructure.GroupVersionKind}, Add: func() error {
		obj := access.NewObject(kind.GroupVersionKind)
		if err := s.mgr.GetFieldIndexer().IndexField(ctx, obj, compute.TemplateIndex, compute.IndexTemplate); err != nil {
			return fmt.Errorf("cannot index %s: %w", kind.Kind, err)
		}
		t := &compute.Template{
			API: s.api, AzureJSON: &compute.AzureJSON{Azure: s.options.Azure},
			Watched: func(obj metav1.Object) bool { return Watched(obj, s.options.WatchFilter) },
		}
		err := ctrl.NewControllerManagedBy(s.mgr).
			Named("azuremachinetemplate").
			For(obj, builder.WithPredicates(xrChanged())).
			Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(t.FromCluster), builder.WithPredicates(SpecChanged())).
			Watches(access.NewObject(infrastructure.GroupVersionKind), handler.EnqueueRequestsFromMapFunc(t.FromInfrastructure), builder.WithPredicates(SpecChanged())).
			WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(t.FromSecret), builder.WithPredicates(changed())).
			WithOptions(s.options.Controller()).
			Complete(traces.Reconciler("azuremachinetemplate", kind.Kind, t))
		if err != nil {
			return fmt.Errorf("cannot set up the controller of %s: %w", kind.Kind, err)
		}
		return nil
	}}
}

// poolMachines returns what adds the controller of AzureMachinePoolMachines.
func (s *setup) poolMachines() Setup {
	pool, infrastructure := composite.AzureMachinePool, composite.AzureCluster
	return Setup{Kinds: []schema.GroupVersionKind{compute.PoolMachineKind, pool.GroupVersionKind, infrastructure.GroupVersionKind}, Add: func() error {
		p := &compute.PoolMachine{
			API: s.api, Azure: s.options.Azure,
			Watched: func(obj client.Object) bool { return Watched(obj, s.options.WatchFilter) },
		}
		err := ctrl.NewControllerManagedBy(s.mgr).
			Named("azuremachinepoolmachine").
			For(access.NewObject(compute.PoolMachineKind), builder.WithPredicates(SpecChanged())).
			WithOptions(s.options.Controller()).
			Complete(traces.Reconciler("azuremachinepoolmachine", compute.PoolMachineKind.Kind, p))
		if err != nil {
			return fmt.Errorf("cannot set up the controller of %s: %w", compute.PoolMachineKind.Kind, err)
		}
		return nil
	}}
}
