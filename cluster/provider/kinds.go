package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/platform"
)

// Whether all kinds are there is looked every kindsInterval at first, as they come while things are being installed, and then less and less often,
// down to every kindsIntervalMost: kinds that nobody needs may never come, and each look is a few requests to the API server.
const (
	kindsInterval     = time.Second
	kindsIntervalMost = time.Minute
)

// watchedKinds are what the controllers cannot start without: Crossplane serves those of the Configuration only some time
// after it has started this provider, and Cluster API may be installed later.
func watchedKinds() []schema.GroupVersionKind {
	capi := []schema.GroupVersionKind{clusterv1.GroupVersion.WithKind("Cluster"), clusterv1.GroupVersion.WithKind("MachinePool")}
	return slices.Concat(capi, contract.Kinds(), platform.Kinds())
}

// onceServed calls setup as soon as the API server serves all the kinds: now, or beside what runs already. This provider is
// upgraded before the Configuration that brings kinds, and must serve the others until then.
func onceServed(mgr ctrl.Manager, kinds []schema.GroupVersionKind, setup func() error) error {
	missing, err := missingKinds(mgr.GetRESTMapper(), kinds)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		return setup()
	}
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		if err := awaitKinds(ctx, mgr.GetRESTMapper(), kinds); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // It was to end.
			}
			return err
		}
		return setup()
	}))
}

// awaitKinds returns when the API server serves all the kinds, and logs which it waits for. Its error is one
// of the API server, or that of ctx.
func awaitKinds(ctx context.Context, mapper meta.RESTMapper, kinds []schema.GroupVersionKind) error {
	var logged []string
	pauses := wait.Backoff{Duration: kindsInterval, Factor: 1.2, Cap: kindsIntervalMost, Steps: math.MaxInt32}
	for {
		missing, err := missingKinds(mapper, kinds)
		if err != nil || len(missing) == 0 {
			return err
		}
		if !slices.Equal(missing, logged) {
			ctrl.Log.Info("Waiting for kinds that are not served yet", "missing", missing)
			logged = missing
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pauses.Step()):
		}
	}
}

// missingKinds returns those of the kinds that the API server does not serve, as people write them.
func missingKinds(mapper meta.RESTMapper, kinds []schema.GroupVersionKind) ([]string, error) {
	var missing []string
	for _, kind := range kinds {
		_, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		switch {
		case meta.IsNoMatchError(err):
			missing = append(missing, kind.Kind+"."+kind.Version+"."+kind.Group)
		case err != nil:
			return nil, fmt.Errorf("cannot find out whether %s is served: %w", kind.Kind, err)
		}
	}
	return missing, nil
}
