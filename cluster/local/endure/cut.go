package endure

import (
	"errors"
	"syscall"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// cuttable are the components whose connections are cut, and with them their watches and the requests under way. Those of etcd are kube-apiserver's,
// those of function-capz are Crossplane's.
var cuttable = []string{stack.Crossplane, stack.Provider, stack.ASO, stack.CAPI, stack.Function, stack.Etcd}

// sever cuts the connections of a component of the management cluster that the life is on.
func (w *world) sever(component string) error {
	pid, err := w.home.Load().stack.PID(component)
	if err != nil {
		return err
	}
	connections, err := cutConnections(pid)
	if errors.Is(err, syscall.EPERM) {
		w.logf("connections of %s stay: to cut them takes CAP_NET_ADMIN", component)
		return nil
	}
	w.logf("%d connections of %s cut", connections, component)
	w.breaker.severed(connections)
	return err
}

// severed counts connections that were cut.
func (b *breaker) severed(connections int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut += connections
	b.last.now()
}
