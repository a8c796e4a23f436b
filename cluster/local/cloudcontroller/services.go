package cloudcontroller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// services does what Azure's cloud controller does for Services of type LoadBalancer: it writes into the load balancer, the network
// interfaces and the security group that the product made.
type services struct {
	workload kubernetes.Interface
	azure    *azure
	log      *slog.Logger
}

// sync gives every Service that waits for an address one.
func (s *services) sync(ctx context.Context) error {
	list, err := s.workload.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("list the Services: %w", err)
	}
	var errs []error
	for i := range list.Items {
		service := &list.Items[i]
		if service.Spec.Type != corev1.ServiceTypeLoadBalancer || len(service.Status.LoadBalancer.Ingress) > 0 {
			continue
		}
		if err := s.balance(ctx, service); err != nil && !apierrors.IsConflict(err) {
			errs = append(errs, fmt.Errorf("Service %s/%s: %w", service.Namespace, service.Name, err)) //nolint:staticcheck // The name of a kind.
		}
	}
	return errors.Join(errs...)
}

// longestName is where cloud-provider-azure cuts the names of load balancers.
const longestName = 32

// frontendName is what cloud-provider-azure calls the frontend of a Service.
func frontendName(service *corev1.Service) string {
	name := "a" + strings.ReplaceAll(string(service.UID), "-", "")
	return name[:min(longestName, len(name))]
}

// balance has the load balancer of the nodes lead to a Service. Each step finds done what an earlier try has done.
func (s *services) balance(ctx context.Context, service *corev1.Service) error {
	if s.azure.config.LoadBalancerName == "" {
		return errors.New("azure.json has no loadBalancerName, and this stand-in makes no load balancer")
	}
	name := frontendName(service)
	ip := s.azure.inGroup("Microsoft.Network/publicIPAddresses/" + s.azure.config.LoadBalancerName + "-" + name)
	address, err := s.publicIP(ctx, ip, service)
	if err != nil || address == "" {
		return err
	}
	balancer := s.azure.inGroup("Microsoft.Network/loadBalancers/" + s.azure.config.LoadBalancerName)
	if err := s.azure.change(ctx, balancer, func(lb map[string]any) bool { return addFrontend(lb, balancer, name, ip, service.Spec.Ports) }); err != nil {
		return err
	}
	if err := s.joinPool(ctx, balancer+"/backendAddressPools/"+poolName); err != nil {
		return err
	}
	if err := s.admit(ctx, name, address, service.Spec.Ports); err != nil {
		return err
	}
	service.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: address}}
	if _, err := s.workload.CoreV1().Services(service.Namespace).UpdateStatus(ctx, service, metav1.UpdateOptions{}); err != nil {
		return err
	}
	s.log.Info("gave a Service an address", "service", service.Namespace+"/"+service.Name, "address", address)
	return nil
}

// publicIP makes the public address of a Service, and returns it as soon as it is there.
func (s *services) publicIP(ctx context.Context, id string, service *corev1.Service) (string, error) {
	address, err := s.azure.publicAddress(ctx, id)
	if err != nil || address != "" {
		return address, err
	}
	return "", s.azure.put(ctx, id, networkVersion, "", map[string]any{
		"location": s.azure.config.Location, "sku": map[string]any{"name": "Standard"},
		"tags":       map[string]any{"k8s-azure-service": service.Namespace + "/" + service.Name},
		"properties": map[string]any{"publicIPAllocationMethod": "Static", "publicIPAddressVersion": "IPv4"},
	})
}

// joinPool puts every Node's network interface into the pool, but for those of the control plane, as the label of kubeadm asks for.
func (s *services) joinPool(ctx context.Context, pool string) error {
	nodes, err := s.workload.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		if _, excluded := node.Labels[corev1.LabelNodeExcludeBalancers]; excluded {
			continue
		}
		m, err := s.azure.machine(ctx, node.Name)
		if err != nil {
			return err
		}
		if m == nil || len(m.Properties.NetworkProfile.NetworkInterfaces) == 0 {
			continue
		}
		if m.isInstance() {
			if err := s.azure.joinAsInstance(ctx, m.ID, pool); err != nil {
				return err
			}
			continue
		}
		nic := m.Properties.NetworkProfile.NetworkInterfaces[0].ID
		if err := s.azure.change(ctx, nic, func(nic map[string]any) bool { return joinPool(nic, pool) }); err != nil {
			return err
		}
	}
	return nil
}

// admit lets what is sent to the address through the security group of the nodes.
func (s *services) admit(ctx context.Context, name, address string, ports []corev1.ServicePort) error {
	group := s.azure.config.SecurityGroupName
	if group == "" {
		return nil
	}
	id := s.azure.inGroup("Microsoft.Network/networkSecurityGroups/" + group)
	if s.azure.config.SecurityGroupResourceGroup != "" {
		id = s.azure.inGroupOf(s.azure.config.SecurityGroupResourceGroup, "Microsoft.Network/networkSecurityGroups/"+group)
	}
	return s.azure.change(ctx, id, func(nsg map[string]any) bool { return addSecurityRule(nsg, name, address, ports) })
}
