package endure

import (
	"context"
	"errors"
	"fmt"

	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// moved is a move to the other management cluster by clusterctl. All objects are others from then on; in Azure nothing goes.
func moved() deed {
	return deed{act: move, reached: leftNothing, goes: everything}
}

// move moves all of the life's namespace, as a person does who begins again when clusterctl was interrupted, and resumes what it left paused.
func move(ctx context.Context, w *world) error {
	if err := errors.Join(w.enter(ctx, w.second), w.movesIdentities(ctx)); err != nil {
		return err
	}
	err := w.persist(ctx, func(ctx context.Context) error {
		out, err := w.Stack.Clusterctl(ctx, nil, "move", "--namespace", w.life.Name(), "--to-kubeconfig", w.second.stack.Kubeconfig())
		if err != nil {
			err = fmt.Errorf("%w: %s", err, cut(out))
			w.logf("%v", err)
		}
		return err
	})
	if err != nil {
		return err
	}
	w.home.Store(w.second)
	return set(clusterKind, clusterName, "spec.paused", false)(ctx, w)
}

// movesIdentities has AzureClusterIdentities move along, which belong to no Cluster. Their Secrets are on both management clusters.
func (w *world) movesIdentities(ctx context.Context) error {
	return w.persist(ctx, func(ctx context.Context) error {
		identities, err := w.list(ctx, identityKind)
		for i := range identities {
			u := &identities[i]
			before := u.DeepCopy()
			labels := u.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels[clusterctlv1.ClusterctlMoveHierarchyLabel] = ""
			u.SetLabels(labels)
			err = errors.Join(err, w.home.Load().client.Patch(ctx, u, client.MergeFrom(before), client.FieldOwner(fieldOwner)))
		}
		return err
	})
}

// leftNothing says what of the life is still on the management cluster that it was moved from.
func leftNothing(ctx context.Context, w *world) ([]string, error) {
	return w.management.remains(ctx, w.life.Name())
}

// where is the management cluster of a moment.
func (w *world) where(m Moment) *stack.Stack {
	if m.There {
		return w.second.stack
	}
	return w.home.Load().stack
}
