package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/platform"
)

// kindsInterval is how often it is looked whether all kinds are there.
const kindsInterval = time.Second

// watchedKinds are what the controllers cannot start without: Crossplane serves those of the Configuration only some time
// after it has started this provider, and Cluster API may be installed later.
func watchedKinds() []schema.GroupVersionKind {
	capi := []schema.GroupVersionKind{clusterv1.GroupVersion.WithKind("Cluster"), clusterv1.GroupVersion.WithKind("MachinePool")}
	return slices.Concat(capi, contract.Kinds(), platform.Kinds())
}

// awaitKinds returns when the API server serves all the kinds, and says in the log which it waits for. Its error is one
// of the API server, or that of ctx.
func awaitKinds(ctx context.Context, mapper meta.RESTMapper, kinds []schema.GroupVersionKind) error {
	var said []string
	for {
		var missing []string
		for _, kind := range kinds {
			_, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
			switch {
			case meta.IsNoMatchError(err):
				missing = append(missing, kind.Kind+"."+kind.Version+"."+kind.Group)
			case err != nil:
				return fmt.Errorf("cannot tell whether %s is served: %w", kind.Kind, err)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		if !slices.Equal(missing, said) {
			ctrl.Log.Info("Waiting for kinds that are not served yet", "missing", missing)
			said = missing
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(kindsInterval):
		}
	}
}
