// Package fabric reaches a power.Host that is a process of its own: what is said to it through a unix socket, both ends of it. The host
// that boots machines needs rights and modules that the simulator does not; it outlives the simulator's restarts.
package fabric

import "github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"

// The paths of the protocol, HTTP with JSON bodies: each is one method of power.Host. Dial is CONNECT.
const (
	pathStart              = "/start"
	pathStop               = "/stop"
	pathDelete             = "/delete"
	pathState              = "/state"
	pathSetLoadBalancer    = "/loadbalancer/set"
	pathDeleteLoadBalancer = "/loadbalancer/delete"
	pathSetNames           = "/names"
)

// identified is the body of what concerns one machine or load balancer.
type identified struct {
	ID string `json:"id"`
}

// named is the body of SetNames.
type named struct {
	VirtualNetwork string            `json:"virtualNetwork"`
	Names          map[string]string `json:"names"`
}

// failure is the body of an answer that is not 200.
type failure struct {
	Error string `json:"error"`
}

var _ power.Host = (*Client)(nil)
