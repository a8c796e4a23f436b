package e2e

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/cloudwriter"
)

// workload returns a client of the cluster of machines.
func (w *world) workload() (kubernetes.Interface, error) {
	secret := &corev1.Secret{}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: kubeconfigSecret}, secret); err != nil {
		return nil, err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["value"])
	if err != nil {
		return nil, err
	}
	if err := w.throughProxy(config); err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// serviceName is a Service in the cluster of machines.
const serviceName = "web"

// exposeService makes a Service of type LoadBalancer, as people do who run something.
func exposeService(w *world) error {
	c, err := w.workload()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	_, err = c.CoreV1().Services(metav1.NamespaceDefault).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: serviceName},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"app": serviceName}, Ports: []corev1.ServicePort{{Port: 80}},
		},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// serviceReached expects the Service to have an address, and everything in Azure that its cloud controller has written for it.
func serviceReached(w *world) []string {
	c, err := w.workload()
	if err != nil {
		return []string{err.Error()}
	}
	service, err := c.CoreV1().Services(metav1.NamespaceDefault).Get(w.ctx, serviceName, metav1.GetOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	if len(service.Status.LoadBalancer.Ingress) == 0 {
		return []string{"Service " + serviceName + " has no address"}
	}
	name := "a" + strings.ReplaceAll(string(service.UID), "-", "")[:31]
	const balancer = "/loadBalancers/" + clusterName
	var missing []string
	for _, written := range []struct{ ending, list, name string }{
		{balancer, "frontendIPConfigurations", name}, {balancer, "loadBalancingRules", name + "-TCP-80"}, {balancer, "probes", name + "-TCP-80"},
		{balancer, "backendAddressPools", "kubernetes"}, {"/networkSecurityGroups/my-cluster-node-nsg", "securityRules", "k8s-azure-lb_allow_IPv4_" + name},
	} {
		missing = append(missing, inList(written.ending, written.list, written.name)(w)...)
	}
	return append(missing, workersInPool(w)...)
}

// inList expects a resource to have an object of a name in a list of its properties.
func inList(ending, list, name string) expectation {
	return func(w *world) []string {
		r, err := w.resource(ending)
		if err != nil || r == nil {
			return []string{fmt.Sprintf("Azure has no %s: %v", ending, err)}
		}
		have, _, _ := unstructured.NestedSlice(r.Body, "properties", list)
		for _, item := range have {
			object, _ := item.(map[string]any)
			if object["name"] == name {
				return nil
			}
		}
		return []string{fmt.Sprintf("%s has no %s in its %s", ending, name, list)}
	}
}

// workersInPool expects the network interfaces of the workers in the pool that the cloud controller has made.
func workersInPool(w *world) []string {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return []string{err.Error()}
	}
	var missing []string
	seen := 0
	for _, r := range all {
		if !strings.Contains(r.ID, "/networkInterfaces/"+workers) {
			continue
		}
		seen++
		if !strings.Contains(fmt.Sprint(r.Body["properties"]), "/backendAddressPools/kubernetes") {
			missing = append(missing, r.ID+" is not in the pool of the cloud controller")
		}
	}
	if seen == 0 {
		missing = append(missing, "there is no network interface of a worker")
	}
	return missing
}

// machinesTagged expects what ASO may only read to have a value of tag "changed"; nil for no such tag.
func machinesTagged(value any) expectation {
	return func(w *world) []string {
		all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
		if err != nil {
			return []string{err.Error()}
		}
		var missing []string
		seen := map[string]bool{}
		for _, r := range all {
			switch r.Type {
			case "Microsoft.Compute/virtualMachines", "Microsoft.Network/networkInterfaces", "Microsoft.Network/loadBalancers":
				seen[r.Type] = true
			default:
				continue
			}
			tags, _ := r.Body["tags"].(map[string]any)
			if tags["changed"] != value || tags[ownedTag] != "owned" {
				missing = append(missing, fmt.Sprintf("%s has the tags %v", r.ID, tags))
			}
		}
		if len(seen) != 3 {
			missing = append(missing, fmt.Sprintf("Azure has only %v", seen))
		}
		return missing
	}
}

// What the cloud controller and the disk driver write besides: a route to the Pods of a node, and the disk of a volume.
const (
	nodeRoutes = "/routeTables/my-cluster-node-routetable"
	podRoute   = "pods-of-a-node"
	volume     = "pvc-0"
	volumeLUN  = 5
)

// writeAsCloud writes them into Azure. The disk is attached to the machine of the control plane.
func writeAsCloud(w *world) error {
	machine, err := w.controlPlaneMachine()
	if err != nil || len(volumeAttached(w)) == 0 {
		return err
	}
	c, token, err := w.stack.SignIn(w.ctx)
	if err != nil {
		return err
	}
	group, name, _ := strings.Cut(machine, "/providers/Microsoft.Compute/virtualMachines/")
	writer := cloudwriter.Writer{HTTP: c, Token: token, Group: group}
	return errors.Join(
		writer.Route(w.ctx, path.Base(nodeRoutes), podRoute, "192.168.1.0/24", "10.1.0.4"),
		writer.Attach(w.ctx, name, volume, volumeLUN),
	)
}

// controlPlaneMachine returns the ID of a virtual machine of the control plane.
func (w *world) controlPlaneMachine() (string, error) {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if strings.EqualFold(r.Type, "Microsoft.Compute/virtualMachines") && strings.HasPrefix(path.Base(r.ID), kubeadmControlPlane+"-") {
			return r.ID, nil
		}
	}
	return "", errors.New("there is no machine of the control plane")
}

// cloudKept expects route and disk to be as they were written.
func cloudKept(w *world) []string {
	return append(inList(nodeRoutes, "routes", podRoute)(w), volumeAttached(w)...)
}

// volumeAttached expects the disk to be attached to the machine of the control plane.
func volumeAttached(w *world) []string {
	machine, err := w.controlPlaneMachine()
	if err != nil {
		return []string{err.Error()}
	}
	r, err := w.resource(machine)
	if err != nil || r == nil {
		return []string{fmt.Sprintf("Azure has no %s: %v", machine, err)}
	}
	disks, _, _ := unstructured.NestedSlice(r.Body, "properties", "storageProfile", "dataDisks")
	if !strings.Contains(fmt.Sprint(disks), "/disks/"+volume) {
		return []string{fmt.Sprintf("%s has the data disks %v", machine, disks)}
	}
	return inAzure("/disks/"+volume, "managedBy", machine)(w)
}

// withOutboundBalancer gives the nodes a load balancer for what they ask of the internet, which the cloud controller writes into.
var withOutboundBalancer = each(func(u *unstructured.Unstructured) error {
	if u.GetKind() != azureClusterKind.Kind {
		return nil
	}
	return unstructured.SetNestedMap(u.Object, map[string]any{"frontendIPsCount": int64(1)}, "spec", "networkSpec", "nodeOutboundLB")
})
