package node

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// report writes into a Deployment's status how its process does; problem is nil when it is ready.
func (n *Node) report(ctx context.Context, d *appsv1.Deployment, problem error) error {
	changed := d.DeepCopy()
	changed.Status = statusOf(d, problem, metav1.Now())
	if equality.Semantic.DeepEqual(d.Status, changed.Status) {
		return nil
	}
	// It may be gone since it was listed.
	return client.IgnoreNotFound(n.Client.Status().Patch(ctx, changed, client.MergeFrom(d)))
}

// statusOf returns the status of a Deployment whose only pod is ready, or is not because of a problem, as Kubernetes'
// own controller would have it.
func statusOf(d *appsv1.Deployment, problem error, now metav1.Time) appsv1.DeploymentStatus {
	status := appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1}
	available := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable",
		Message: "Deployment has minimum availability.", LastUpdateTime: now, LastTransitionTime: now,
	}
	if problem == nil {
		status.ReadyReplicas, status.AvailableReplicas = 1, 1
	} else {
		status.UnavailableReplicas = 1
		available.Status, available.Reason, available.Message = corev1.ConditionFalse, "MinimumReplicasUnavailable", problem.Error()
	}
	for _, c := range d.Status.Conditions {
		if c.Type != available.Type || c.Status != available.Status {
			continue
		}
		available.LastTransitionTime = c.LastTransitionTime
		if c.Message == available.Message {
			available.LastUpdateTime = c.LastUpdateTime
		}
	}
	status.Conditions = []appsv1.DeploymentCondition{available}
	return status
}
