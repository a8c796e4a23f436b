package switching

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// deployCAPZ makes the Deployment of CAPZ, whose process the stack runs, and does for it what a node does: the process runs as long as the Deployment
// has replicas. It returns what ends that.
func deployCAPZ(ctx context.Context, s *stack.Stack, c client.Client) (func() error, error) {
	labels := map[string]string{"cluster.x-k8s.io/provider": "infrastructure-azure", "control-plane": "capz-controller-manager"}
	one := int32(1)
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "capz-system", Name: "capz-controller-manager", Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "manager", Image: "registry.example.org/capz:v1.27.0"}}},
			},
		},
	}
	if err := c.Create(ctx, d); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- runDeployment(ctx, s, c, client.ObjectKeyFromObject(d)) }()
	return func() error {
		cancel()
		return <-ended
	}, nil
}

func runDeployment(ctx context.Context, s *stack.Stack, c client.Client, key client.ObjectKey) error {
	running := true // The stack has started it.
	for {
		d := &appsv1.Deployment{}
		if err := c.Get(ctx, key, d); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // It was to end.
			}
			return err
		}
		wanted := *d.Spec.Replicas > 0
		var err error
		switch {
		case wanted && !running:
			err = s.Start(ctx, stack.CAPZ)
		case !wanted && running:
			err = s.Stop(stack.CAPZ)
		}
		if err != nil {
			return fmt.Errorf("CAPZ: %w", err)
		}
		running = wanted
		if count := *d.Spec.Replicas; d.Status.Replicas != count {
			d.Status.Replicas, d.Status.ReadyReplicas = count, count
			if err := client.IgnoreNotFound(c.Status().Update(ctx, d)); err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(200 * time.Millisecond):
		}
	}
}
