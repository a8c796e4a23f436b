package contract

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/deletion"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// OnUpdate passes creations and deletions, resyncs, and the updates that differ as relevant decides.
func OnUpdate(relevant func(before, after client.Object) bool) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		if e.ObjectOld == nil || e.ObjectNew == nil {
			return false
		}
		resync := e.ObjectOld.GetResourceVersion() == e.ObjectNew.GetResourceVersion()
		return resync || relevant(e.ObjectOld, e.ObjectNew)
	}}
}

// xrChanged passes what matters of a composite resource to its own reconciler: the function writes its status often.
func xrChanged() predicate.Predicate {
	return OnUpdate(func(before, after client.Object) bool {
		return before.GetGeneration() != after.GetGeneration() ||
			!maps.Equal(before.GetLabels(), after.GetLabels()) ||
			!maps.Equal(before.GetAnnotations(), after.GetAnnotations()) ||
			!slices.Equal(before.GetFinalizers(), after.GetFinalizers()) ||
			!equality.Semantic.DeepEqual(before.GetOwnerReferences(), after.GetOwnerReferences()) ||
			differs(access.StatusReplicas, before, after) || differs(access.StatusControlPlaneEndpoint, before, after) ||
			differs(access.StatusVersion, before, after) || differs(access.StatusProviderID, before, after) || pauseReported(before, after) ||
			refusalsChanged(before, after) || refusal.Changed(before, after)
	})
}

// pauseReported reports whether the status has begun, or ceased, to report a pause, or anything at all.
func pauseReported(before, after client.Object) bool {
	old, oldOK := before.(*unstructured.Unstructured)
	changed, changedOK := after.(*unstructured.Unstructured)
	return oldOK && changedOK && (reportsNotPaused(old) != reportsNotPaused(changed) || seen(old) != seen(changed))
}

// endpointChanged passes what matters of a control plane to the infrastructure.
func endpointChanged() predicate.Predicate {
	return OnUpdate(func(before, after client.Object) bool {
		return differs(access.StatusControlPlaneEndpoint, before, after)
	})
}

func differs[T any](f field.Path[T], before, after client.Object) bool {
	old, oldOK := before.(*unstructured.Unstructured)
	changed, changedOK := after.(*unstructured.Unstructured)
	return oldOK && changedOK && !equality.Semantic.DeepEqual(f.Value(old), f.Value(changed))
}

// SpecChanged passes what matters of a Cluster or a MachinePool: a deletion raises the generation too.
func SpecChanged() predicate.Predicate {
	return OnUpdate(func(before, after client.Object) bool {
		return before.GetGeneration() != after.GetGeneration() ||
			!maps.Equal(before.GetLabels(), after.GetLabels()) ||
			!maps.Equal(before.GetAnnotations(), after.GetAnnotations())
	})
}

// machineChanged passes what matters of a Machine: besides its spec that its virtual machine may be gone.
func machineChanged() predicate.Predicate {
	doubted := OnUpdate(func(before, after client.Object) bool {
		old, oldOK := before.(*clusterv1.Machine)
		changed, changedOK := after.(*clusterv1.Machine)
		return oldOK && changedOK && !compute.DoubtedSince(changed).Equal(compute.DoubtedSince(old))
	})
	return predicate.Or(SpecChanged(), doubted)
}

// nodeChanged passes what matters of a Machine to the pool that it is an instance of: its Node, and its way out. A new one has neither, and there may be
// a thousand of them.
func nodeChanged() predicate.Predicate {
	chosen := func(m *clusterv1.Machine) bool { _, ok := m.Annotations[clusterv1.DeleteMachineAnnotation]; return ok }
	ready := func(m *clusterv1.Machine) bool {
		return meta.IsStatusConditionTrue(m.Status.Conditions, clusterv1.MachineNodeReadyCondition)
	}
	created := predicate.Funcs{CreateFunc: func(e event.CreateEvent) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && (m.Status.NodeRef.IsDefined() || m.DeletionTimestamp != nil || chosen(m))
	}}
	return predicate.And(created, OnUpdate(func(before, after client.Object) bool {
		old, ok := before.(*clusterv1.Machine)
		changed, changedOK := after.(*clusterv1.Machine)
		return ok && changedOK && (old.Status.NodeRef != changed.Status.NodeRef || old.Spec.Version != changed.Spec.Version || ready(old) != ready(changed) ||
			old.DeletionTimestamp.IsZero() != changed.DeletionTimestamp.IsZero() || chosen(old) != chosen(changed))
	}))
}

// memberChanged passes what matters of an AzureMachinePoolMachine to its pool, which makes it.
func memberChanged() predicate.Predicate {
	return predicate.And(SpecChanged(), predicate.Funcs{CreateFunc: noCreation})
}

// credentialChanged passes what an AzureCluster says of its credential, without which nothing is found out in Azure.
func credentialChanged() predicate.Predicate {
	return OnUpdate(func(before, after client.Object) bool {
		old, changed := before.GetAnnotations(), after.GetAnnotations()
		return old[v1beta1.AnnotationCredential] != changed[v1beta1.AnnotationCredential] ||
			old[v1beta1.AnnotationCredentialFailed] != changed[v1beta1.AnnotationCredentialFailed]
	})
}

// followed returns the kind of the composed objects of which every change concerns the composite resources of a kind; empty for none.
func followed(kind composite.Kind) schema.GroupKind {
	switch {
	case kind.Role == composite.InfrastructureMachine:
		return aso.VirtualMachine.GroupKind()
	case kind.Role == composite.InfrastructureMachinePool && !mirror.OfAKS(kind):
		return aso.VirtualMachineScaleSet.GroupKind()
	}
	return mirror.Mirrored(kind)
}

// composedChanged passes what matters of an ASO object: its deletion and the way there, its reconcile policy and credential, what ASO
// finds while the ownership of the resource is undecided, another spec where ASO only reads, and everything of the kind that is mirrored.
func composedChanged(mirrored schema.GroupKind) predicate.Predicate {
	return OnUpdate(func(before, after client.Object) bool {
		return after.GetDeletionTimestamp() != nil || deletion.Undecided(after) ||
			after.GetObjectKind().GroupVersionKind().GroupKind() == mirrored ||
			aso.AwaitsRemoval(after) && before.GetGeneration() != after.GetGeneration() ||
			before.GetAnnotations()[aso.AnnotationReconcilePolicy] != after.GetAnnotations()[aso.AnnotationReconcilePolicy] ||
			before.GetAnnotations()[aso.AnnotationCredentialFrom] != after.GetAnnotations()[aso.AnnotationCredentialFrom]
	})
}

// changed passes every update.
func changed() predicate.Predicate {
	return OnUpdate(func(client.Object, client.Object) bool { return true })
}

func noCreation(event.CreateEvent) bool { return false }

// Gone passes the end of an object only.
func Gone() predicate.Predicate {
	return predicate.Funcs{CreateFunc: noCreation, UpdateFunc: func(event.UpdateEvent) bool { return false }}
}

// movesPools passes what matters of a control plane to its pools: its deletion as that begins and its end, and another
// version, up to which theirs may go.
func movesPools() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: noCreation,
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetDeletionTimestamp() == nil && e.ObjectNew.GetDeletionTimestamp() != nil ||
				differs(access.StatusVersion, e.ObjectOld, e.ObjectNew) || differs(access.StatusAutoUpgradeVersion, e.ObjectOld, e.ObjectNew)
		},
	}
}
