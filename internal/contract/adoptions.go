package contract

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/adoption"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// adoptions return what adds the controllers that make objects of Cluster API for ASO objects of AKS clusters whose annotation asks for it.
func (s *setup) adoptions() []Setup {
	var all []Setup
	for _, kind := range []aso.Kind{aso.ManagedCluster, aso.ManagedClustersAgentPool} {
		all = append(all, Setup{Kinds: []schema.GroupVersionKind{kind.GroupVersionKind()}, Add: func() error { return s.adoption(kind) }})
	}
	return all
}

func (s *setup) adoption(kind aso.Kind) error {
	r := &adoption.Reconciler{API: s.api, Kind: kind, Watched: func(obj metav1.Object) bool { return Watched(obj, s.options.WatchFilter) }}
	name := "adoption-" + strings.ToLower(kind.Name)
	err := ctrl.NewControllerManagedBy(s.mgr).
		Named(name).
		For(access.Metadata(kind.GroupVersionKind()), builder.OnlyMetadata, builder.WithPredicates(asked())).
		WithOptions(s.options.Controller()).
		Complete(traces.Reconciler(name, kind.Name, r))
	if err != nil {
		return fmt.Errorf("cannot set up the adoption of %s: %w", kind.Name, err)
	}
	return nil
}

// asked passes objects that are to be adopted.
func asked() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(obj client.Object) bool { return adoption.Asked(obj) })
}
