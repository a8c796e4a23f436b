// Package workload serves a Kubernetes API for each simulated AKS cluster, with Nodes that follow the cluster's pools, and ConfigMaps.
package workload

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Cluster is what an AKS cluster's API server is made from.
type Cluster struct {
	// ID is the resource identifier of the managed cluster.
	ID   string `json:"id"`
	Name string `json:"name"`
	FQDN string `json:"fqdn"`
	// PrivateFQDN is the API server's name in the private DNS zone of a private cluster.
	PrivateFQDN  string `json:"privateFQDN,omitempty"`
	Location     string `json:"location"`
	Subscription string `json:"subscription"`
	TenantID     string `json:"tenantID"`
	// Cloud is the name of the Azure cloud that the cluster is in.
	Cloud             string `json:"cloud,omitempty"`
	NodeResourceGroup string `json:"nodeResourceGroup"`
	// Version is the version of the API server, without a "v".
	Version string `json:"version"`
	Pools   []Pool `json:"pools"`
	// LocalAccountsDisabled refuses the static token; Entra tokens work all the same.
	LocalAccountsDisabled bool `json:"localAccountsDisabled"`
	// Entra says that users sign in with Entra tokens.
	Entra bool `json:"entra"`
}

// names are the host names of the API server. A private cluster's kubeconfig has the first.
func (c Cluster) names() []string {
	return slices.DeleteFunc([]string{c.PrivateFQDN, c.FQDN}, func(name string) bool { return name == "" })
}

// Pool is what the Nodes of an agent pool are made from.
type Pool struct {
	Name      string            `json:"name"`
	Mode      string            `json:"mode"`
	OSType    string            `json:"osType"`
	OSSKU     string            `json:"osSKU"`
	VMSize    string            `json:"vmSize"`
	Version   string            `json:"version"`
	NodeImage string            `json:"nodeImage"`
	Count     int               `json:"count"`
	Labels    map[string]string `json:"labels,omitempty"`
	// Taints have the form key=value:effect.
	Taints []string `json:"taints,omitempty"`
	Zones  []string `json:"zones,omitempty"`
}

// scaleSetName is the name AKS gives a pool's scale set: aks-<pool>-<8 digits>-vmss. The digits are one number per cluster.
func scaleSetName(c Cluster, pool string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(c.ID))) // never fails
	return fmt.Sprintf("aks-%s-%08d-vmss", pool, h.Sum32()%100000000)
}

// nodeName is the name of a scale set's instance: its number in base 36 with six digits, as Azure has it.
func nodeName(scaleSet string, instance int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	suffix := make([]byte, 6)
	for i := len(suffix) - 1; i >= 0; i-- {
		suffix[i] = digits[instance%36]
		instance /= 36
	}
	return scaleSet + string(suffix)
}

// newNode returns the Node of a pool's instance.
func newNode(c Cluster, p Pool, instance int, now time.Time) *corev1.Node {
	scaleSet := scaleSetName(c, p.Name)
	name := nodeName(scaleSet, instance)
	n := &corev1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              name,
			UID:               types.UID(newUID()),
			CreationTimestamp: metav1.NewTime(now.Truncate(time.Second)),
			Labels: map[string]string{
				"kubernetes.io/hostname":             name,
				"kubernetes.io/role":                 "agent",
				"kubernetes.io/arch":                 "amd64",
				"beta.kubernetes.io/arch":            "amd64",
				"node.kubernetes.io/instance-type":   p.VMSize,
				"topology.kubernetes.io/region":      c.Location,
				"topology.kubernetes.io/zone":        zoneOf(c, p, instance),
				"kubernetes.azure.com/cluster":       c.NodeResourceGroup,
				"kubernetes.azure.com/nodepool-type": "VirtualMachineScaleSets",
				"kubernetes.azure.com/role":          "agent",
			},
		},
		Spec: corev1.NodeSpec{
			ProviderID: fmt.Sprintf("azure:///subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/virtualMachineScaleSets/%s/virtualMachines/%d",
				c.Subscription, strings.ToLower(c.NodeResourceGroup), scaleSet, instance),
			PodCIDR: fmt.Sprintf("10.244.%d.0/24", instance%256),
		},
	}
	n.Status = corev1.NodeStatus{
		Capacity:    nodeResources("4", "16393240Ki"),
		Allocatable: nodeResources("3860m", "12880920Ki"),
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeHostName, Address: name},
			{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.224.%d.%d", instance/250, 4+instance%250)},
		},
		Conditions: readyConditions(now),
	}
	updateNode(n, p)
	return n
}

func zoneOf(c Cluster, p Pool, instance int) string {
	if len(p.Zones) == 0 {
		return "0"
	}
	return c.Location + "-" + p.Zones[instance%len(p.Zones)]
}

func nodeResources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse(cpu),
		corev1.ResourceMemory:           resource.MustParse(memory),
		corev1.ResourcePods:             resource.MustParse("250"),
		corev1.ResourceEphemeralStorage: resource.MustParse("129886128Ki"),
	}
}

func readyConditions(now time.Time) []corev1.NodeCondition {
	at := metav1.NewTime(now.Truncate(time.Second))
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: message, LastHeartbeatTime: at, LastTransitionTime: at}
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
		condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"),
	}
}

// updateNode sets on the Node what follows the pool, and leaves what others have written.
func updateNode(n *corev1.Node, p Pool) {
	osName := strings.ToLower(p.OSType)
	for name, value := range map[string]string{
		"agentpool":                               p.Name,
		"kubernetes.azure.com/agentpool":          p.Name,
		"kubernetes.azure.com/mode":               strings.ToLower(p.Mode),
		"kubernetes.azure.com/os-sku":             p.OSSKU,
		"kubernetes.azure.com/node-image-version": p.NodeImage,
		"kubernetes.io/os":                        osName,
		"beta.kubernetes.io/os":                   osName,
	} {
		n.Labels[name] = value
	}
	for name, value := range p.Labels {
		n.Labels[name] = value
	}
	n.Spec.Taints = taints(p.Taints)
	n.Status.NodeInfo = corev1.NodeSystemInfo{
		KubeletVersion:          "v" + p.Version,
		OperatingSystem:         osName,
		Architecture:            "amd64",
		OSImage:                 p.OSSKU,
		KernelVersion:           "5.15.0-1091-azure",
		ContainerRuntimeVersion: "containerd://1.7.28-1",
		MachineID:               strings.ReplaceAll(string(n.UID), "-", ""),
		SystemUUID:              string(n.UID),
		BootID:                  string(n.UID),
	}
}

func taints(specs []string) []corev1.Taint {
	var out []corev1.Taint
	for _, spec := range specs {
		rest, effect, _ := strings.Cut(spec, ":")
		key, value, _ := strings.Cut(rest, "=")
		out = append(out, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
	}
	return out
}
