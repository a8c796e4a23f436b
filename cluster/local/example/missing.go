package example

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	capiGroup         = "cluster.x-k8s.io"
	controlPlaneGroup = "controlplane.cluster.x-k8s.io"
	// contractVersion is that in which the objects are looked at, whichever they were written in.
	contractVersion = "v1beta2"
	poolKind        = "MachinePool"
)

// missing returns what the example still lacks, in words.
func (ex *Example) missing(ctx context.Context, c client.Client) ([]string, error) {
	var missing []string
	cluster, err := get(ctx, c, schema.GroupKind{Group: capiGroup, Kind: "Cluster"}, ex.Cluster)
	if err != nil {
		return nil, err
	}
	if lack := clusterLacks(cluster); lack != "" {
		missing = append(missing, lack)
	}
	for _, u := range ex.Nodes {
		now, err := get(ctx, c, u.GroupVersionKind().GroupKind(), client.ObjectKeyFromObject(u))
		if err != nil {
			return nil, err
		}
		if lack := NodesLack(now); lack != "" {
			missing = append(missing, lack)
		}
	}
	return missing, nil
}

// get returns an object; one with nothing but a name when it is not there.
func get(ctx context.Context, c client.Client, kind schema.GroupKind, key types.NamespacedName) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind.WithVersion(contractVersion))
	err := c.Get(ctx, key, u)
	if apierrors.IsNotFound(err) {
		u.SetName(key.Name)
		return u, nil
	}
	return u, err
}

// clusterLacks says why a Cluster is not Available; empty when it is.
func clusterLacks(u *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		if condition["type"] != "Available" {
			continue
		}
		if condition["status"] == "True" {
			return ""
		}
		// Cluster API writes the message as a list of lines, and Azure's errors have many too.
		message, _ := condition["message"].(string)
		message = cut(strings.Join(strings.Fields(message), " "))
		return fmt.Sprintf("Cluster %s is not Available (%v: %s)", u.GetName(), condition["reason"], message)
	}
	return fmt.Sprintf("Cluster %s has no condition Available", u.GetName())
}

// longestMessage is how much of a message is shown: a network that is being made has a line for each of its parts.
const longestMessage = 300

// cut shortens a message to its beginning.
func cut(message string) string {
	letters := []rune(message)
	if len(letters) <= longestMessage {
		return message
	}
	return string(letters[:longestMessage]) + " ..."
}

// NodesLack says why a MachinePool, MachineDeployment or KubeadmControlPlane does not have all its nodes; empty when it does.
func NodesLack(u *unstructured.Unstructured) string {
	if u.GetKind() == poolKind {
		return poolLacks(u)
	}
	return machinesLack(u)
}

// poolLacks says why a MachinePool does not run with all its nodes; empty when it does.
func poolLacks(u *unstructured.Unstructured) string {
	phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
	refs, _, _ := unstructured.NestedSlice(u.Object, "status", "nodeRefs")
	want, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	if phase == "Running" && int64(len(refs)) == want {
		return ""
	}
	if phase == "" {
		phase = "without a phase"
	}
	return fmt.Sprintf("MachinePool %s is %s with %d of %d nodes", u.GetName(), phase, len(refs), want)
}

// machinesLack says why a MachineDeployment or KubeadmControlPlane does not have all its machines, with nodes that are ready; empty
// when it does.
func machinesLack(u *unstructured.Unstructured) string {
	want, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	all, _, _ := unstructured.NestedInt64(u.Object, "status", "replicas")
	ready, _, _ := unstructured.NestedInt64(u.Object, "status", "readyReplicas")
	current, _, _ := unstructured.NestedInt64(u.Object, "status", "upToDateReplicas")
	seen, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	if seen == u.GetGeneration() && seen > 0 && all == want && ready == want && current == want {
		return ""
	}
	return fmt.Sprintf("%s %s has %d of %d machines, %d ready and %d up to date", u.GetKind(), u.GetName(), all, want, ready, current)
}
