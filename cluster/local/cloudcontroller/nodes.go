package cloudcontroller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// uninitialized is the taint that a kubelet with an external cloud provider gives its Node.
const uninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

// machines are the virtual machines in Azure.
type machines interface {
	// machine returns the virtual machine of a Node; nil when there is none.
	machine(ctx context.Context, node string) (*machine, error)
	// addresses returns the private and the public addresses of a machine.
	addresses(ctx context.Context, m *machine) (private, public []string, err error)
}

// nodes does what Azure's cloud controller does with the Nodes of one cluster.
type nodes struct {
	workload kubernetes.Interface
	azure    machines
	log      *slog.Logger
}

// sync looks at every Node once. One that cannot be dealt with does not hold up the others.
func (n *nodes) sync(ctx context.Context) error {
	// From the API server's cache: a Node that has changed since is looked at again in a moment.
	list, err := n.workload.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("list the Nodes: %w", err)
	}
	var errs []error
	for i := range list.Items {
		node := &list.Items[i]
		var err error
		switch {
		case !initialized(node):
			err = n.initialize(ctx, node)
		case !ready(node):
			err = n.deleteIfGone(ctx, node)
		}
		if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("Node %s: %w", node.Name, err)) //nolint:staticcheck // The name of a kind.
		}
	}
	return errors.Join(errs...)
}

func initialized(node *corev1.Node) bool {
	return node.Spec.ProviderID != "" && len(node.Status.Addresses) > 0 && !slices.ContainsFunc(node.Spec.Taints, isUninitialized)
}

func isUninitialized(t corev1.Taint) bool { return t.Key == uninitialized }

func ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// initialize tells a Node which virtual machine it is.
func (n *nodes) initialize(ctx context.Context, node *corev1.Node) error {
	m, err := n.azure.machine(ctx, node.Name)
	if err != nil {
		return err
	}
	if m == nil {
		// As the real one, it waits: Azure may not show a new machine yet.
		return errors.New("Azure has no virtual machine of that name") //nolint:staticcheck // A name.
	}
	private, public, err := n.azure.addresses(ctx, m)
	if err != nil {
		return err
	}
	describe(node, m)
	updated, err := n.workload.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	updated.Status.Addresses = nodeAddresses(node.Name, private, public)
	if _, err := n.workload.CoreV1().Nodes().UpdateStatus(ctx, updated, metav1.UpdateOptions{}); err != nil {
		return err
	}
	n.log.Info("initialized a Node", "node", node.Name, "providerID", updated.Spec.ProviderID)
	return nil
}

// describe writes what is known of a machine into its Node, but for the status.
func describe(node *corev1.Node, m *machine) {
	node.Spec.ProviderID = m.providerID()
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, isUninitialized)
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	for label, value := range map[string]string{
		corev1.LabelInstanceTypeStable: m.Properties.HardwareProfile.VMSize, corev1.LabelInstanceType: m.Properties.HardwareProfile.VMSize,
		corev1.LabelTopologyRegion: m.Location, corev1.LabelFailureDomainBetaRegion: m.Location,
		corev1.LabelTopologyZone: m.zone(), corev1.LabelFailureDomainBetaZone: m.zone(),
	} {
		node.Labels[label] = value
	}
}

// nodeAddresses returns the addresses of a Node.
func nodeAddresses(name string, private, public []string) []corev1.NodeAddress {
	var all []corev1.NodeAddress
	for _, address := range private {
		all = append(all, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: address})
	}
	for _, address := range public {
		all = append(all, corev1.NodeAddress{Type: corev1.NodeExternalIP, Address: address})
	}
	return append(all, corev1.NodeAddress{Type: corev1.NodeHostName, Address: name})
}

// deleteIfGone deletes the Node of a virtual machine that Azure has no more.
func (n *nodes) deleteIfGone(ctx context.Context, node *corev1.Node) error {
	m, err := n.azure.machine(ctx, node.Name)
	if err != nil || m != nil {
		return err
	}
	n.log.Info("deletes the Node of a virtual machine that is gone", "node", node.Name)
	return n.workload.CoreV1().Nodes().Delete(ctx, node.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &node.UID}})
}
