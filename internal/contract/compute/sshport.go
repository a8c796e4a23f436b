package compute

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

// The ports at which the load balancer of the API server forwards SSH to machines of the control plane, as CAPZ has them.
const (
	sshPort      = 22
	firstSSHPort = 2201
	lastSSHPort  = 2219
)

// allocating is held while a port is chosen, until it is noted.
var allocating sync.Mutex

// allocatePort has a machine of the control plane be the only one of its Cluster with its port.
//
// Within this process one is chosen at a time. That of another one, which no longer leads and whose last write comes late, may have chosen the
// same: then the machine that was there first keeps it. What has the port is read from the API server itself.
func (w *work) allocatePort(ctx context.Context) error {
	if !w.facts.Machine.ControlPlane {
		return nil
	}
	if w.facts.SSHPort != 0 {
		cached, err := w.siblings(ctx, w.Client, client.MatchingFields{access.ClusterIndex: w.Cluster.Name})
		if err != nil || !w.collides(cached) {
			return err
		}
	}
	taken, usable, err := w.portsTaken(ctx)
	if err != nil || !usable {
		return err
	}
	allocating.Lock()
	defer allocating.Unlock()
	siblings, err := w.siblings(ctx, w.Live, client.MatchingLabels{clusterv1.ClusterNameLabel: w.Cluster.Name})
	if err != nil || w.facts.SSHPort != 0 && !w.collides(siblings) {
		return err
	}
	used := map[int32]bool{}
	for i := range siblings {
		used[portOf(&siblings[i])] = true
	}
	own := strings.ToLower(azuremachine.Name(w.azureMachine))
	for rule, port := range taken {
		used[port] = used[port] || rule != own
	}
	if w.facts.SSHPort = taken[own]; w.facts.SSHPort == 0 || used[w.facts.SSHPort] {
		w.facts.SSHPort = freePort(used)
	}
	if w.facts.SSHPort == 0 {
		w.Events.Warn(w.XR, "NoPortForSSH", "", fmt.Sprintf(
			"all ports from %d to %d and %d of the load balancer lead to other machines of the control plane, so that there is none to reach this one by SSH", firstSSHPort, lastSSHPort, sshPort))
		return nil
	}
	return note(ctx, w.API, w.XR, w.facts, "")
}

// portsTaken returns the ports that rules of the load balancer have in Azure, by the names of the rules: those of a cluster that was taken over
// from CAPZ were chosen there, and people may have added some. Not usable while Azure cannot be asked.
func (w *work) portsTaken(ctx context.Context) (ports map[string]int32, usable bool, err error) {
	if w.azureCluster == nil {
		return nil, false, nil
	}
	account, usable, err := w.account(ctx, w.infrastructure, w.Cluster.Name)
	if err != nil || !usable {
		return nil, false, err
	}
	c := w.azureCluster.DeepCopy()
	defaulting.Cluster(c.Name, &c.Spec)
	if c.Spec.NetworkSpec.APIServerLB == nil {
		return nil, true, nil
	}
	ports, err = w.natRules.Ports(ctx, account, fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Network/loadBalancers/%s",
		c.Spec.SubscriptionID, c.Spec.ResourceGroup, c.Spec.NetworkSpec.APIServerLB.Name))
	return ports, err == nil, err
}

// freePort returns the first port that is not used; 0 for none.
func freePort(used map[int32]bool) int32 {
	if !used[sshPort] {
		return sshPort
	}
	for port := int32(firstSSHPort); port <= lastSSHPort; port++ {
		if !used[port] {
			return port
		}
	}
	return 0
}

// siblings returns the other AzureMachines of the Cluster, which are found by the option.
func (w *work) siblings(ctx context.Context, from client.Reader, ofCluster client.ListOption) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(w.Kind.GroupVersionKind)
	if err := from.List(ctx, list, client.InNamespace(w.XR.GetNamespace()), ofCluster); err != nil {
		return nil, fmt.Errorf("cannot list the machines of Cluster %s: %w", w.Cluster.Name, err)
	}
	var others []unstructured.Unstructured
	for _, item := range list.Items {
		if item.GetUID() != w.XR.GetUID() {
			others = append(others, item)
		}
	}
	return others, nil
}

// collides reports whether a machine that goes before this one has its port.
func (w *work) collides(siblings []unstructured.Unstructured) bool {
	for i := range siblings {
		if portOf(&siblings[i]) == w.facts.SSHPort && before(&siblings[i], w.XR) {
			return true
		}
	}
	return false
}

func portOf(machine *unstructured.Unstructured) int32 {
	facts, _ := v1alpha1.ReadMachineFacts(machine.GetAnnotations())
	return facts.SSHPort
}

// before reports whether a was there before b.
func before(a, b *unstructured.Unstructured) bool {
	first, second := a.GetCreationTimestamp(), b.GetCreationTimestamp()
	if first.Equal(&second) {
		return a.GetName() < b.GetName()
	}
	return first.Before(&second)
}
