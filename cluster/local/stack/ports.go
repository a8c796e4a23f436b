package stack

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
)

// Names of the ports of a stack.
const (
	portEtcd           = "etcd"
	portEtcdPeer       = "etcd-peer"
	portEtcdHealth     = "etcd-health"
	portAPIServer      = "kube-apiserver"
	portKCM            = "kube-controller-manager"
	portCrossplane     = "crossplane-health"
	portCrossplaneStat = "crossplane-metrics"
	portCrossplaneHook = "crossplane-webhook"
	portASO            = "aso-health"
	portASOWebhook     = "aso-webhook"
	portCAPI           = "capi-health"
	portCAPIWebhook    = "capi-webhook"
	portCAPIStat       = "capi-diagnostics"
	portKubeadm        = "capi-kubeadm-bootstrap-health"
	portKubeadmWebhook = "capi-kubeadm-bootstrap-webhook"
	portKubeadmStat    = "capi-kubeadm-bootstrap-diagnostics"
	portControl        = "capi-kubeadm-control-plane-health"
	portControlWebhook = "capi-kubeadm-control-plane-webhook"
	portControlStat    = "capi-kubeadm-control-plane-diagnostics"
	portCAPZ           = "capz-health"
	portCAPZWebhook    = "capz-webhook"
	portCAPZStat       = "capz-diagnostics"
	portRegistry       = "registry"
	portNode           = "node"
	portAzure          = "azuresim-proxy"
	portAzureAdmin     = "azuresim-admin"
	portFunction       = "function-capz"
	portFunctionStat   = "function-capz-metrics"
	portProvider       = "provider-capz-health"
	portProviderHook   = "provider-capz-webhook"
	portProviderStat   = "provider-capz-metrics"
)

// PortNames returns the names by which Options.Ports gives ports.
func PortNames() []string {
	return []string{
		portEtcd, portEtcdPeer, portEtcdHealth, portAPIServer, portKCM, portCrossplane, portCrossplaneStat,
		portCrossplaneHook, portASO,
		portASOWebhook, portCAPI, portCAPIWebhook, portCAPIStat, portKubeadm, portKubeadmWebhook, portKubeadmStat,
		portControl, portControlWebhook, portControlStat,
		portRegistry, portNode, portAzure, portAzureAdmin, portFunction, portFunctionStat, portProvider, portProviderHook, portProviderStat,
		portCAPZ, portCAPZWebhook, portCAPZStat,
	}
}

// reservation keeps ports bound until the component that they are for starts, so that nobody else is given them.
type reservation struct {
	mu   sync.Mutex
	held map[int]net.Listener
}

// reserve chooses a free port for every name that is not in given, and binds all of them.
func reserve(given map[string]int) (map[string]int, *reservation, error) {
	r := &reservation{held: map[int]net.Listener{}}
	ports := map[string]int{}
	for _, name := range PortNames() {
		port, err := r.bind(given[name])
		if err != nil {
			r.releaseAll()
			return nil, nil, fmt.Errorf("port for %s: %w", name, err)
		}
		ports[name] = port
	}
	for name := range given {
		if _, ok := ports[name]; !ok {
			r.releaseAll()
			return nil, nil, fmt.Errorf("no port is called %q; there are %v", name, PortNames())
		}
	}
	return ports, r, nil
}

// bind binds the given port, or a free one when it is 0.
func (r *reservation) bind(port int) (int, error) {
	low, high := 10000, ephemeralStart()
	var err error
	for range 100 {
		candidate := port
		if port == 0 {
			candidate = low + rand.IntN(high-low) //nolint:gosec // Nothing depends on what cannot be foreseen.
		}
		var l net.Listener
		// On all addresses: some components cannot be told to listen on 127.0.0.1 only.
		if l, err = net.Listen("tcp", fmt.Sprintf(":%d", candidate)); err == nil {
			r.held[candidate] = l
			return candidate, nil
		}
		if port != 0 {
			break
		}
	}
	return 0, err
}

// ephemeralStart is where the ports begin that the kernel gives to outgoing connections. A port from there could be
// taken by a client between a component's end and its restart.
func ephemeralStart() int {
	const usual = 32768
	raw, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return usual
	}
	var start int
	if _, err := fmt.Sscan(string(raw), &start); err != nil || start < 12000 {
		return usual
	}
	return start
}

func (r *reservation) release(ports ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range ports {
		if l, ok := r.held[p]; ok {
			_ = l.Close() // Were it still bound, the component would fail and say so.
			delete(r.held, p)
		}
	}
}

func (r *reservation) releaseAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p, l := range r.held {
		_ = l.Close()
		delete(r.held, p)
	}
}

// serviceRange returns a range of loopback addresses for the Services of one stack, which the node listens on.
func serviceRange() string {
	//nolint:gosec // Nothing depends on what cannot be foreseen; another stack on this machine should have another one.
	return fmt.Sprintf("127.%d.%d.0/24", 64+rand.IntN(192), rand.IntN(256))
}
