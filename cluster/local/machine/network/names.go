package network

import (
	"strings"
	"sync"
)

// Names are host names with their addresses. The zero value has none.
type Names struct {
	mu    sync.RWMutex
	names map[string]string
}

// Set has these names and no others.
func (n *Names) Set(names map[string]string) {
	all := map[string]string{}
	for name, ip := range names {
		all[canonical(name)] = ip
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names = all
}

// Lookup returns the address of a name, and whether it has one.
func (n *Names) Lookup(name string) (string, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	ip, ok := n.names[canonical(name)]
	return ip, ok
}

// canonical is a name as all are compared: without regard to case, without the final dot.
func canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// Empty tells whether there is no name.
func (n *Names) Empty() bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.names) == 0
}
