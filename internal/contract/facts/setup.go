// Package facts writes ClusterFacts, from which the composites of a Cluster are composed: one object for the Cluster, its
// infrastructure and its control plane, and one for each MachinePool. What it reads and writes for a change does not grow with the
// number of MachinePools.
package facts

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// A family is the kinds of which the facts of one sort of Cluster are. Those that it does not have are empty.
type family struct{ infrastructure, controlPlane, machine, machinePool composite.Kind }

// families returns those of the catalogue.
func families() []family {
	var all []family
	for _, infrastructure := range composite.Select(composite.Is(composite.InfrastructureCluster)) {
		f := family{infrastructure: infrastructure}
		f.controlPlane, _ = infrastructure.Sibling(composite.ControlPlane)
		f.machine, _ = infrastructure.Sibling(composite.InfrastructureMachine)
		if f.controlPlane.Kind != "" { // Else the pool is told what it is composed by in its annotation, as a machine is.
			f.machinePool, _ = infrastructure.Sibling(composite.InfrastructureMachinePool)
		}
		all = append(all, f)
	}
	return all
}

// main returns the kind that decides which family a Cluster is of: that of its control plane, if the family has one.
func (f family) main() composite.Kind {
	if f.controlPlane.Kind != "" {
		return f.controlPlane
	}
	return f.infrastructure
}

// kinds returns those that have to be served.
func (f family) kinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, kind := range []composite.Kind{f.infrastructure, f.controlPlane, f.machine, f.machinePool} {
		if kind.Kind != "" {
			kinds = append(kinds, kind.GroupVersionKind)
		}
	}
	return append(kinds, clusterfacts.Kind)
}

// Setups returns what adds the controllers to mgr, whose client must read unstructured objects from its cache (see
// contract.CacheOptions). Without them everything is composed all the same.
func Setups(ctx context.Context, mgr ctrl.Manager, o contract.Options) []contract.Setup {
	w := writer{
		Client: client.WithFieldOwner(mgr.GetClient(), names.FieldOwner), watchFilter: o.WatchFilter, mapper: mgr.GetRESTMapper(),
		operators: newOperators(azure.Operators{Secrets: mgr.GetAPIReader(), Namespaces: o.OperatorNamespaces}), azure: o.Azure,
		events: access.NewReporter(mgr.GetEventRecorder(names.Controller), mgr.GetCache()), asksHealth: o.ResourceHealth > 0,
	}
	live := access.New(mgr.GetClient(), mgr.GetAPIReader(), mgr.GetCache(), mgr.GetRESTMapper(), mgr.GetEventRecorder(names.Controller)).Live
	index := sync.OnceValue(func() error {
		return mgr.GetFieldIndexer().IndexField(ctx, &clusterv1.MachinePool{}, infrastructureIndex, indexInfrastructure)
	})
	var setups []contract.Setup
	for _, f := range families() {
		setups = append(setups, contract.Setup{Kinds: f.kinds(), Add: func() error {
			if err := index(); err != nil {
				return fmt.Errorf("cannot index MachinePools: %w", err)
			}
			ofClusters := clusterWriter{writer: w, family: f}
			if err := ofClusters.setup(mgr, o); err != nil {
				return fmt.Errorf("cannot set up the controller of ClusterFacts for %s: %w", f.main().Kind, err)
			}
			if w.asksHealth && f.controlPlane.Kind != "" {
				if err := newHealthWriter(ofClusters, live, o.ResourceHealth).setup(mgr, o); err != nil {
					return err
				}
			}
			if f.machinePool.Kind == "" {
				return nil
			}
			if err := (&machinePoolWriter{writer: w, family: f}).setup(mgr, o); err != nil {
				return fmt.Errorf("cannot set up the controller of ClusterFacts for %s: %w", f.machinePool.Kind, err)
			}
			return nil
		}})
	}
	return setups
}

func (w *clusterWriter) setup(mgr ctrl.Manager, o contract.Options) error {
	toCluster := handler.EnqueueRequestsFromMapFunc(w.clusterOf)
	name := "facts-" + strings.ToLower(w.family.main().Kind)
	b := ctrl.NewControllerManagedBy(mgr).
		Named(name).
		For(&clusterv1.Cluster{}, builder.WithPredicates(picksChanged())).
		Watches(&v1alpha1.ClusterFacts{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(contract.Gone())).
		Watches(access.NewObject(w.family.infrastructure.GroupVersionKind), toCluster, builder.WithPredicates(picksChanged()))
	if kind := w.family.controlPlane; kind.Kind != "" {
		b.Watches(access.NewObject(kind.GroupVersionKind), toCluster, builder.WithPredicates(picksChanged()))
	}
	if kind := w.family.machine; kind.Kind != "" {
		b.Watches(access.NewObject(kind.GroupVersionKind), toCluster, builder.WithPredicates(setsChanged()))
	}
	return b.WithOptions(o.Controller()).Complete(traces.Reconciler(name, clusterv1.ClusterKind, w))
}

func (w *machinePoolWriter) setup(mgr ctrl.Manager, o contract.Options) error {
	name := "facts-" + strings.ToLower(w.family.machinePool.Kind)
	return ctrl.NewControllerManagedBy(mgr).
		Named(name).
		For(access.NewObject(w.family.machinePool.GroupVersionKind), builder.WithPredicates(picksChanged())).
		Watches(&clusterv1.MachinePool{}, handler.EnqueueRequestsFromMapFunc(w.fromMachinePool), builder.WithPredicates(picksChanged())).
		Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(w.fromCluster), builder.WithPredicates(created())).
		Watches(&v1alpha1.ClusterFacts{}, handler.EnqueueRequestsFromMapFunc(w.fromFacts), builder.WithPredicates(contract.Gone())).
		WithOptions(o.Controller()).
		Complete(traces.Reconciler(name, w.family.machinePool.Kind, w))
}

// picksChanged passes what of an object others are composed by.
func picksChanged() predicate.Predicate {
	return contract.OnUpdate(func(before, after client.Object) bool { return !reflect.DeepEqual(pickOf(before), pickOf(after)) })
}

// pickOf returns what facts have of an object; nothing where it cannot be read.
func pickOf(obj client.Object) *unstructured.Unstructured {
	u, err := asUnstructured(obj)
	if err != nil {
		return nil
	}
	return clusterfacts.Pick(u)
}

// created passes the beginning of an object only.
func created() predicate.Predicate {
	return predicate.Funcs{DeleteFunc: func(event.DeleteEvent) bool { return false }, UpdateFunc: func(event.UpdateEvent) bool { return false }}
}

// A writer has what both controllers need.
type writer struct {
	client.Client

	watchFilter string
	// mapper knows which kinds are served, operators where Azure Service Operator runs.
	mapper    meta.RESTMapper
	operators *operators
	// azure knows which zones there are, events tells users why not.
	azure  *compute.Azure
	events *access.Reporter
	// asksHealth says that Azure Resource Health is asked about AKS clusters.
	asksHealth bool
}
