// Package network is what packets of simulated virtual machines pass: a network namespace with a bridge for each virtual network, and what
// Azure itself has in it, load balancers' frontends, name resolution and the instance metadata service. No packet leaves a namespace; what
// goes in and out are connections that the process that holds it takes and makes.
package network

import (
	"fmt"
	"os"
	"runtime"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// namespace is a network namespace that lasts until it is closed and its last process has ended.
type namespace struct {
	handle netns.NsHandle
	links  *netlink.Handle
}

// newNamespace makes a network namespace with its loopback interface up.
func newNamespace() (*namespace, error) {
	n := &namespace{handle: -1}
	err := aside(func() (err error) {
		n.handle, err = netns.New()
		return err
	})
	if err == nil {
		n.links, err = netlink.NewHandleAt(n.handle)
	}
	if err == nil {
		err = up(n.links, "lo")
	}
	if err != nil {
		n.close()
		return nil, fmt.Errorf("network namespace: %w", err)
	}
	return n, nil
}

// do calls on a thread that is in the namespace: sockets that are opened and processes that are started in the call are of the namespace.
func (n *namespace) do(call func() error) error {
	return aside(func() error {
		if err := netns.Set(n.handle); err != nil {
			return err
		}
		return call()
	})
}

// aside calls on a thread that goes back to its network namespace afterwards. One that cannot go back ends with its goroutine.
func aside(call func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		before, err := netns.Get()
		if err != nil {
			result <- err
			return
		}
		defer before.Close()
		result <- call()
		if netns.Set(before) == nil {
			runtime.UnlockOSThread()
		}
	}()
	return <-result
}

func (n *namespace) close() {
	if n.links != nil {
		n.links.Close()
	}
	if n.handle.IsOpen() {
		_ = n.handle.Close()
	}
}

// sysctl sets a parameter of the namespace.
func (n *namespace) sysctl(path, value string) error {
	return n.do(func() error { return os.WriteFile("/proc/sys/net/"+path, []byte(value), 0o644) })
}

func up(links *netlink.Handle, name string) error {
	link, err := links.LinkByName(name)
	if err != nil {
		return err
	}
	return links.LinkSetUp(link)
}
