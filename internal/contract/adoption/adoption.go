package adoption

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/handover"
)

const (
	// Annotation on an ASO object asks for its adoption when it is "true" (CAPZ's module, controllers/managedclusteradopt_controller.go).
	Annotation = "sigs.k8s.io/cluster-api-provider-azure-adopt"
	// AnnotationName is the name of the Cluster, or of the MachinePool, that is made; without it, it is that of the ASO object.
	AnnotationName = "infrastructure.cluster.x-k8s.io/adopt-as"
	// annotationFrom on what is made says of which ASO object.
	annotationFrom = "infrastructure.cluster.x-k8s.io/adopted-from"

	// interval is how often it is looked whether what an object waits for has come.
	interval = 10 * time.Second
	// cannotAdopt is the reason of Events.
	cannotAdopt = "CannotAdopt"
)

// Asked reports whether an object is to be adopted.
func Asked(obj metav1.Object) bool { return obj.GetAnnotations()[Annotation] == "true" }

// A Reconciler adopts the objects of one kind.
type Reconciler struct {
	access.API

	// Kind is aso.ManagedCluster or aso.ManagedClustersAgentPool.
	Kind aso.Kind
	// Watched reports whether an object is one to act on.
	Watched func(metav1.Object) bool
}

// A waitError says what an object waits for before it can be adopted, which may come by itself.
type waitError struct{ what string }

func (e *waitError) Error() string { return e.what }

func waitf(format string, args ...any) error { return &waitError{fmt.Sprintf(format, args...)} }

// A refusedError says why an object is not adopted until somebody changes something.
type refusedError struct{ why string }

func (e *refusedError) Error() string { return e.why }

func refusef(format string, args ...any) error { return &refusedError{fmt.Sprintf(format, args...)} }

// Reconcile makes the objects of Cluster API for the ASO object that req names, if it is to be adopted and is not yet.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	obj, err := r.read(ctx, r.Kind, req.Namespace, req.Name)
	if err != nil || obj == nil || !Asked(obj) || obj.GetDeletionTimestamp() != nil || !r.Watched(obj) {
		return ctrl.Result{}, err
	}
	err = r.adopt(ctx, obj)
	var (
		waits   *waitError
		refused *refusedError
	)
	switch {
	case err == nil:
		r.Events.Clear(obj, cannotAdopt)
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	case errors.As(err, &waits):
		r.Events.Warn(obj, cannotAdopt, "", "it is not adopted yet: "+err.Error())
		return ctrl.Result{RequeueAfter: interval}, nil
	case errors.As(err, &refused):
		r.Events.Warn(obj, cannotAdopt, "", "it is not adopted: "+err.Error())
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

// adopt makes what is missing. What is there already it takes for its own if it was made for the same ASO object.
func (r *Reconciler) adopt(ctx context.Context, obj *unstructured.Unstructured) error {
	kind, plan := composite.AzureASOManagedControlPlane, r.cluster
	if r.Kind.GroupKind() == aso.ManagedClustersAgentPool.GroupKind() {
		kind, plan = composite.AzureASOManagedMachinePool, r.pool
	}
	if controller := metav1.GetControllerOf(obj); controller != nil {
		if controller.Kind == kind.Kind {
			return nil
		}
		return refusef("it belongs to %s %s already", controller.Kind, controller.Name)
	}
	if state := aso.StateOf(obj); !state.Ready {
		// Azure must have it: a ManagedCluster loses its pools now, without which it could not be made.
		return waitf("Azure Service Operator must report it as Ready, but says: %s", state.Message)
	}
	wanted, err := plan(ctx, obj)
	if err != nil {
		return err
	}
	source := obj.GetKind() + "/" + obj.GetName()
	var missing []*unstructured.Unstructured
	for _, o := range wanted {
		there, err := r.there(ctx, obj, o, source)
		if err != nil {
			return err
		}
		if !there {
			missing = append(missing, o)
		}
	}
	if err := r.separatePools(ctx, obj); err != nil {
		return err
	}
	for _, o := range missing {
		aso.Annotate(o, annotationFrom, source)
		if filter, has := obj.GetLabels()[clusterv1.WatchLabel]; has {
			o.SetLabels(map[string]string{clusterv1.WatchLabel: filter})
		}
		if err := r.Create(ctx, o); client.IgnoreAlreadyExists(err) != nil {
			return fmt.Errorf("cannot make %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// there reports whether an object is there that is made for an ASO object. It refuses one that somebody else has made.
func (r *Reconciler) there(ctx context.Context, obj, o *unstructured.Unstructured, source string) (bool, error) {
	o.SetNamespace(obj.GetNamespace())
	there := access.NewObject(o.GroupVersionKind())
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(o), there)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot read %s %s: %w", o.GetKind(), o.GetName(), err)
	case there.GetAnnotations()[annotationFrom] != source:
		return false, refusef("%s %s is there already, and was not made for it: annotation %s gives it another name", o.GetKind(), o.GetName(), AnnotationName)
	}
	return true, nil
}

// separatePools takes the agent pools out of a ManagedCluster, as they are objects of their own from now on. Azure has it, and may be told none with an
// update.
func (r *Reconciler) separatePools(ctx context.Context, managed *unstructured.Unstructured) error {
	if !agentPoolProfiles.Has(managed) {
		return nil
	}
	if err := r.MergePatch(ctx, withoutPools(managed), managed); err != nil {
		return fmt.Errorf("cannot take the agent pools out of it: %w", err)
	}
	return nil
}

// read returns an ASO object in the version in which its spec was written, so that nothing of that is lost; nil when there is none.
func (r *Reconciler) read(ctx context.Context, kind aso.Kind, namespace, name string) (*unstructured.Unstructured, error) {
	obj, err := r.Live.Object(ctx, namespace, access.Ref{GroupVersionKind: kind.GroupVersionKind(), Name: name})
	if err != nil || obj == nil {
		return nil, err
	}
	written := handover.WrittenIn(obj, obj.GroupVersionKind())
	if written == obj.GetAPIVersion() {
		return obj, nil
	}
	return r.Live.Object(ctx, namespace, access.Ref{GroupVersionKind: schema.FromAPIVersionAndKind(written, obj.GetKind()), Name: name})
}
