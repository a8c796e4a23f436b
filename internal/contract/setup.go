package contract

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/external"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/credential"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/kubeconfig"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/nodes"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// A Setup adds controllers that need some kinds to be served.
type Setup struct {
	Kinds []schema.GroupVersionKind
	Add   func() error
}

// SetupWithManager adds the reconcilers of Kinds and what follows the Nodes of Clusters to mgr, whose client must read
// unstructured objects from its cache (see CacheOptions). What it returns adds the reconcilers of the other families.
func SetupWithManager(ctx context.Context, mgr ctrl.Manager, o Options) ([]Setup, error) {
	follower, err := setupNodes(ctx, mgr, o)
	if err != nil {
		return nil, err
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &clusterv1.MachinePool{}, access.ClusterIndex, access.IndexCluster); err != nil {
		return nil, fmt.Errorf("cannot index MachinePools: %w", err)
	}
	if err := o.Objects.Clusters(ctx, mgr.GetCache()); err != nil {
		return nil, err
	}
	s := &setup{
		mgr: mgr, options: o, nodes: follower,
		api: access.New(mgr.GetClient(), mgr.GetAPIReader(), mgr.GetCache(), mgr.GetRESTMapper(), mgr.GetEventRecorder(names.Controller)),
	}
	if err := credential.Setup(mgr, s.api, o.Controller()); err != nil {
		return nil, fmt.Errorf("cannot watch credentials: %w", err)
	}
	var later []Setup
	for _, family := range otherFamilies() {
		later = append(later, Setup{Kinds: neededBy(family), Add: func() error { return s.add(ctx, family) }})
	}
	later = append(later, s.templates(ctx), s.poolMachines())
	later = append(later, s.removals()...)
	later = append(later, s.adoptions()...)
	return later, s.add(ctx, composite.ASOManaged)
}

// A setup adds reconcilers to a manager.
type setup struct {
	mgr     ctrl.Manager
	options Options
	api     access.API
	nodes   *nodes.Follower
}

// add adds the reconcilers of the kinds of a family.
func (s *setup) add(ctx context.Context, family composite.Family) error {
	kinds := composite.Select(composite.Of(family), reconciled)
	for _, kind := range kinds { // All before the first controller, which starts the caches of several kinds.
		if err := s.index(ctx, kind); err != nil {
			return fmt.Errorf("cannot index %s: %w", kind.Kind, err)
		}
	}
	for _, kind := range kinds {
		if err := s.reconcile(kind); err != nil {
			return fmt.Errorf("cannot set up the controller of %s: %w", kind.Kind, err)
		}
		if err := s.options.Objects.Composites(ctx, s.mgr.GetCache(), kind); err != nil {
			return err
		}
	}
	return nil
}

// index has machines and pools found by their Cluster, and all kinds by the ASO object that backs them.
func (s *setup) index(ctx context.Context, kind composite.Kind) error {
	indexer, obj := s.mgr.GetFieldIndexer(), access.NewObject(kind.GroupVersionKind)
	if inClusters(kind) {
		if err := indexer.IndexField(ctx, obj, access.ClusterIndex, access.IndexCluster); err != nil {
			return err
		}
	}
	if backing := mirror.Mirrored(kind); !backing.Empty() {
		return indexer.IndexField(ctx, obj, mirror.BackingIndex, mirror.IndexBacking(backing))
	}
	return nil
}

// reconcile adds the controller of a kind.
func (s *setup) reconcile(kind composite.Kind) error {
	r := &Reconciler{API: s.api, kind: kind, mirror: s.mirror(kind), watchFilter: s.options.WatchFilter}
	m := mapper{client: s.mgr.GetClient(), kind: kind}
	name := strings.ToLower(kind.Kind)
	b := ctrl.NewControllerManagedBy(s.mgr).
		Named(name).
		For(access.NewObject(kind.GroupVersionKind), builder.WithPredicates(xrChanged())).
		Watches(&clusterv1.Cluster{}, handler.EnqueueRequestsFromMapFunc(m.fromCluster), builder.WithPredicates(SpecChanged())).
		WithOptions(s.options.Controller())
	c, err := s.watch(b, kind, m).Build(traces.Reconciler(name, kind.Kind, r))
	if err != nil {
		return err
	}
	// The kinds of ASO objects are watched as they are met. Only metadata is cached of them.
	log := s.mgr.GetLogger().WithName(kind.Kind)
	tracker := &external.ObjectTracker{Controller: c, Cache: s.mgr.GetCache(), Scheme: s.mgr.GetScheme(), PredicateLogger: &log}
	r.watch = func(ctx context.Context, composed schema.GroupVersionKind) error {
		obj := &metav1.PartialObjectMetadata{}
		obj.SetGroupVersionKind(composed)
		err := tracker.Watch(ctrl.LoggerFrom(ctx), obj, handler.EnqueueRequestsFromMapFunc(m.fromObject), composedChanged(followed(kind)))
		if err == nil {
			s.options.Objects.Composed(composed)
		}
		return err
	}
	return nil
}

// watch has the builder watch what else concerns composite resources of the kind, by its role.
func (s *setup) watch(b *builder.Builder, kind composite.Kind, m mapper) *builder.Builder {
	sibling := func(role composite.Role, passes predicate.Predicate) {
		if other, ok := kind.Sibling(role); ok {
			b.Watches(access.NewObject(other.GroupVersionKind), handler.EnqueueRequestsFromMapFunc(m.fromSibling), builder.WithPredicates(passes))
		}
	}
	switch kind.Role {
	case composite.InfrastructureCluster:
		sibling(composite.ControlPlane, endpointChanged())
		sibling(composite.InfrastructureMachine, Gone())
		sibling(composite.InfrastructureMachinePool, Gone())
	case composite.InfrastructureMachine:
		b.Watches(&clusterv1.Machine{}, handler.EnqueueRequestsFromMapFunc(m.fromMachine), builder.WithPredicates(machineChanged()))
		sibling(composite.InfrastructureCluster, credentialChanged())
	case composite.ControlPlane:
		b.WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(m.fromSecret), builder.WithPredicates(changed()))
	case composite.InfrastructureMachinePool:
		b.Watches(&clusterv1.MachinePool{}, handler.EnqueueRequestsFromMapFunc(m.fromMachinePool), builder.WithPredicates(SpecChanged()))
		sibling(composite.ControlPlane, movesPools())
		if mirror.OfAKS(kind) {
			b.WatchesRawSource(s.nodes.Source(m.fromNode))
			break
		}
		sibling(composite.InfrastructureCluster, credentialChanged())
		b.Watches(access.NewObject(compute.PoolMachineKind), handler.EnqueueRequestsFromMapFunc(compute.PoolOfMember), builder.WithPredicates(memberChanged())).
			Watches(&clusterv1.Machine{}, handler.EnqueueRequestsFromMapFunc(compute.PoolOfMachine(s.mgr.GetClient())), builder.WithPredicates(nodeChanged()))
	}
	return b
}

// mirror returns what the reconciler of a kind does with a living composite resource.
func (s *setup) mirror(kind composite.Kind) mirrorer {
	switch {
	case kind.GroupVersionKind == composite.AzureCluster.GroupVersionKind:
		return &compute.Cluster{API: s.api, Azure: s.options.Azure}
	case kind.Role == composite.InfrastructureCluster:
		return &mirror.InfrastructureCluster{API: s.api}
	case kind.Role == composite.ControlPlane:
		credentials := azure.Credentials{Operators: azure.Operators{Secrets: s.mgr.GetAPIReader(), Namespaces: s.options.OperatorNamespaces}}
		return &controlPlane{API: s.api, kubeconfig: &kubeconfig.Writer{API: s.api, Tokens: credentials.For, Now: time.Now}}
	case kind.Role == composite.InfrastructureMachine:
		return &compute.Machine{API: s.api, Azure: s.options.Azure, AzureJSON: &compute.AzureJSON{Azure: s.options.Azure}}
	case kind.Role == composite.InfrastructureMachinePool && mirror.OfAKS(kind):
		return &mirror.MachinePool{API: s.api, Nodes: s.nodes.Nodes}
	case kind.Role == composite.InfrastructureMachinePool:
		return &compute.Pool{API: s.api, Azure: s.options.Azure, AzureJSON: &compute.AzureJSON{Azure: s.options.Azure}}
	}
	return nothing{}
}
