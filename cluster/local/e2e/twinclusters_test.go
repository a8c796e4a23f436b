package e2e

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// neighbour is the same world in another namespace and another subscription.
func (w *world) neighbour() *world {
	neighbour := w.other()
	neighbour.subscription = uuid.NewSHA1(uuid.NameSpaceURL, []byte(neighbour.namespace)).String()
	return neighbour
}

func byNeighbour(act func(*world) error) func(*world) error {
	return func(w *world) error { return act(w.neighbour()) }
}

func onNeighbour(expected expectation) expectation {
	return func(w *world) []string { return expected(w.neighbour()) }
}

// noWorkers leaves a control plane alone.
var noWorkers = withSpec(deploymentKind, "replicas: 0")

// lending applies the cluster with an identity for its own namespace.
func lending(w *world) error {
	return applyTyped("self-managed", noWorkers, withSpec(identityKind, fmt.Sprintf("allowedNamespaces: {list: [%s]}", w.namespace)))(w)
}

// lend has the identity be for the neighbour's namespace, too.
func lend(w *world) error {
	return w.set(identityKind, typedIdentity, "spec.allowedNamespaces.list", []any{w.namespace, w.neighbour().namespace})
}

// borrowing applies the same cluster in the neighbour's namespace, with the identity of the first namespace.
func borrowing(w *world) error {
	borrowed := withSpec(azureClusterKind, fmt.Sprintf(
		"identityRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, name: %s, namespace: %s}", typedIdentity, w.namespace))
	n := w.neighbour()
	return applyExample("self-managed", noWorkers, without(named(typedIdentity)), borrowed, n.subscribe)(n)
}

// refusedToNeighbour expects conditions that say which namespace may not use whose identity.
func refusedToNeighbour(w *world) []string {
	n := w.neighbour()
	text := fmt.Sprintf("does not have namespace %s", n.namespace)
	return slices.Concat(
		condition(azureClusterKind, clusterName, "CredentialReady", "False", text)(n), condition(azureClusterKind, clusterName, "Ready", "False", text)(n),
		condition(clusterKind, clusterName, "InfrastructureReady", "False", text)(n),
	)
}

// twinClusters has two clusters of one name in two namespaces. The second one's credential is the first one's, which it may not use at first.
var twinClusters = &scenario{
	name: "twin-clusters", family: machineFamily, calmOnly: true,
	steps: []step{
		{
			name: "create, and the same in another namespace that may not use the identity", lasts: booting,
			act: all(lending, byNeighbour((*world).enter), borrowing),
			expect: []expectation{
				machinesUp(1, 0), machinesKept, signedIn, refusedToNeighbour, onNeighbour(azureEmpty), onNeighbour(gone(secretKind, asoSecret)),
			},
		},
		{
			name: "lend it the identity", act: lend, lasts: booting,
			expect: []expectation{onNeighbour(machinesUp(1, 0)), onNeighbour(machinesKept), onNeighbour(signedIn), machinesUp(1, 0), machinesKept},
		},
		{
			name: "delete the other one", lasts: booting,
			act:    byNeighbour(func(w *world) error { return w.remove(clusterKind, clusterName) }),
			expect: []expectation{onNeighbour(nothingLeft), onNeighbour(azureEmpty), onNeighbour(acceptedDeletes), machinesUp(1, 0), machinesKept},
		},
		downMachines,
	},
}
