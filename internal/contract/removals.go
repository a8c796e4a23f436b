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
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/removal"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// removals return what adds the controllers that remove from Azure what ASO may only read, one for each kind of which there is such.
func (s *setup) removals() []Setup {
	var all []Setup
	for _, kind := range aso.Catalogue() {
		if kind.Lifecycle == aso.Managed {
			continue
		}
		all = append(all, Setup{Kinds: []schema.GroupVersionKind{kind.GroupVersionKind()}, Add: func() error { return s.removal(kind) }})
	}
	return all
}

func (s *setup) removal(kind aso.Kind) error {
	r := &removal.Reconciler{
		API: s.api, Azure: s.options.Azure, Kind: kind,
		Watched: func(xr metav1.Object) bool { return Watched(xr, s.options.WatchFilter) },
	}
	return s.onMetadata("removal", kind, r, removal.Due)
}

// onMetadata adds a controller of the ASO objects of a kind that pass, of which metadata alone is cached. The first part of its name says what it does.
func (s *setup) onMetadata(does string, kind aso.Kind, r reconcile.Reconciler, passes func(metav1.Object) bool) error {
	name := does + "-" + strings.ToLower(kind.Name)
	passed := predicate.NewPredicateFuncs(func(obj client.Object) bool { return passes(obj) })
	err := ctrl.NewControllerManagedBy(s.mgr).
		Named(name).
		For(access.Metadata(kind.GroupVersionKind()), builder.OnlyMetadata, builder.WithPredicates(passed)).
		WithOptions(s.options.Controller()).
		Complete(traces.Reconciler(name, kind.Name, r))
	if err != nil {
		return fmt.Errorf("cannot set up the %s of %s: %w", does, kind.Name, err)
	}
	return nil
}
