package node

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// resolve returns where <service>.<namespace>:<port> is on this machine. It knows nothing else.
func (n *Node) resolve(hostPort string) (string, error) {
	host, portText, err := net.SplitHostPort(hostPort)
	if err != nil {
		return "", err
	}
	port, err := strconv.ParseInt(portText, 10, 32)
	if err != nil {
		return "", fmt.Errorf("port of %s: %w", hostPort, err)
	}
	name, namespace, _ := strings.Cut(host, ".")
	namespace = strings.TrimSuffix(strings.TrimSuffix(namespace, ".cluster.local"), ".svc")
	if namespace != n.Namespace {
		return "", fmt.Errorf("%s is no Service of namespace %s", host, n.Namespace)
	}
	return n.endpoint(name, int32(port))
}

// endpoint returns the address on this machine that a port of a Service leads to.
func (n *Node) endpoint(service string, port int32) (string, error) {
	for _, s := range n.listServices() {
		if s.Name != service {
			continue
		}
		for _, p := range s.Spec.Ports {
			if p.Port == port {
				return n.target(&s, p.TargetPort)
			}
		}
		return "", fmt.Errorf("the Service %s has no port %d", service, port)
	}
	return "", fmt.Errorf("there is no Service %s in namespace %s", service, n.Namespace)
}

// target returns the address of a port, given by number or by name, of the pods that a Service selects.
func (n *Node) target(s *corev1.Service, port intstr.IntOrString) (string, error) {
	if len(s.Spec.Selector) == 0 {
		return "", fmt.Errorf("the Service %s selects nothing", s.Name)
	}
	for _, d := range n.deployments(s.Spec.Selector) {
		for i := range d.Spec.Template.Spec.Containers {
			if number, ok := portNumber(&d.Spec.Template.Spec.Containers[i], port); ok {
				return loopback(number), nil
			}
		}
	}
	return "", fmt.Errorf("the Service %s selects no Deployment with port %s", s.Name, port.String())
}

// portNumber returns the number of a container's port.
func portNumber(c *corev1.Container, port intstr.IntOrString) (int32, bool) {
	if port.Type == intstr.Int {
		return port.IntVal, true
	}
	for _, p := range c.Ports {
		if p.Name == port.StrVal {
			return p.ContainerPort, true
		}
	}
	return 0, false
}

func loopback(port int32) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))) }

func (n *Node) listServices() []corev1.Service {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.services
}

// syncForwards listens on the address of every Service that has one, which is a loopback address here, and no longer on
// those that are gone.
func (n *Node) syncForwards(ctx context.Context) {
	wanted := map[string]bool{}
	for _, s := range n.listServices() {
		if s.Spec.ClusterIP == "" || s.Spec.ClusterIP == corev1.ClusterIPNone {
			continue
		}
		for _, p := range s.Spec.Ports {
			address := net.JoinHostPort(s.Spec.ClusterIP, strconv.Itoa(int(p.Port)))
			wanted[address] = true
			if n.forwards[address] == nil {
				n.say(address, n.forward(ctx, address, s.Name, p.Port))
			}
		}
	}
	for address, stop := range n.forwards {
		if !wanted[address] {
			stop()
			delete(n.forwards, address)
		}
	}
}

// forward serves one port of a Service until it is gone.
func (n *Node) forward(ctx context.Context, address, service string, port int32) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("the Service %s: %w", service, err)
	}
	ctx, n.forwards[address] = context.WithCancel(ctx)
	go func() {
		target := func() (string, error) { return n.endpoint(service, port) }
		if err := Forward(ctx, listener, target); err != nil {
			n.logf("Service %s is not served any more: %v", service, err)
		}
	}()
	return nil
}
