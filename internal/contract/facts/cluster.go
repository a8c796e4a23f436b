package facts

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
)

// A clusterWriter keeps the facts of the Clusters of a family.
type clusterWriter struct {
	writer

	family family
}

// clusterOf returns the Cluster of a composite.
func (w *clusterWriter) clusterOf(ctx context.Context, obj client.Object) []ctrl.Request {
	cluster, err := access.ClusterOf(ctx, w.Client, obj)
	if err != nil || cluster == nil {
		return nil // Its own events come later.
	}
	return access.Request(cluster.Namespace, cluster.Name)
}

// Reconcile has the ClusterFacts of the Cluster that req names have what is so.
func (w *clusterWriter) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cluster := &clusterv1.Cluster{}
	if err := w.Get(ctx, req.NamespacedName, cluster); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !w.family.has(cluster) || !contract.Watched(cluster, w.watchFilter) {
		return ctrl.Result{}, nil
	}
	current, err := w.read(ctx, req.Namespace, req.Name)
	if err != nil {
		return ctrl.Result{}, err
	}
	objects, complete, err := w.objects(ctx, cluster)
	if err != nil {
		return ctrl.Result{}, err
	}
	had := objects
	if !complete && (current == nil || len(current.Spec.Objects) == 0) {
		had = nil // Until there are both infrastructure and control plane they are composed from as they are, unless facts had them before.
	}
	common := clusterfacts.CommonKinds()
	if w.family.machine.Kind != "" {
		common = clusterfacts.KindsOfMachines()
	}
	spec, err := w.specOf(cluster, common, had, objects)
	if err != nil {
		return ctrl.Result{}, err
	}
	spec.OperatorNamespace = w.operators.serving(ctx, cluster.Namespace)
	if w.asksHealth && current != nil && current.Spec.ClusterUID == spec.ClusterUID {
		spec.ResourceHealth = current.Spec.ResourceHealth // A healthWriter's to change.
	}
	unknown := w.locate(ctx, cluster, current, &spec)
	w.tell(ctx, cluster, unknown)
	result, err := w.write(ctx, cluster, current, cluster.Name, nil, spec)
	return result, errors.Join(err, unknown)
}

// has reports whether a Cluster is of the family.
func (f family) has(cluster *clusterv1.Cluster) bool {
	ref, of := cluster.Spec.ControlPlaneRef, f.main()
	if of.Role == composite.InfrastructureCluster {
		ref = cluster.Spec.InfrastructureRef
	}
	k, ok := composite.Referred(ref, of.Role)
	return ok && k.GroupKind() == of.GroupKind()
}

// objects returns the Cluster, its infrastructure and its control plane, and whether all of them are there.
func (w *clusterWriter) objects(ctx context.Context, cluster *clusterv1.Cluster) (objects []*unstructured.Unstructured, complete bool, err error) {
	self, err := asUnstructured(cluster)
	if err != nil {
		return nil, false, err
	}
	objects, complete = append(objects, self), true
	for _, of := range []struct {
		ref  clusterv1.ContractVersionedObjectReference
		kind composite.Kind
	}{{cluster.Spec.InfrastructureRef, w.family.infrastructure}, {cluster.Spec.ControlPlaneRef, w.family.controlPlane}} {
		if of.kind.Kind == "" {
			continue
		}
		found, err := access.Referred(ctx, w, cluster.Namespace, of.ref, of.kind)
		switch {
		case err != nil:
			return nil, false, err
		case found == nil:
			complete = false
		default:
			objects = append(objects, found)
		}
	}
	return objects, complete, nil
}
