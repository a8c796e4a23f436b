// Package power says what the simulated Azure asks of that which runs its virtual machines: a host. The simulator decides what exists, by
// Azure's rules; a host makes a machine of it that boots, and networks that carry packets.
//
// A simulator without a host (a nil Host) has machines that boot nothing: each counts as provisioned at once, nothing listens at its
// addresses, and nothing can be dialed.
package power

import (
	"context"
	"net"
)

// Machine is a virtual machine as the host is to run it.
type Machine struct {
	// ID is the ARM identifier of the virtual machine, in the spelling of its first PUT. Identifiers are compared without regard to case.
	ID string `json:"id"`
	// Name is that of the resource, ComputerName that in osProfile: the machine's host name.
	Name         string `json:"name"`
	ComputerName string `json:"computerName"`
	// OS is Linux or Windows.
	OS string `json:"os"`
	// Size is the name of the size, such as Standard_D2s_v3. CPUs and MemoryMiB are what it has.
	Size      string `json:"size"`
	CPUs      int    `json:"cpus"`
	MemoryMiB int    `json:"memoryMiB"`
	// Location is the region, Zone the availability zone in it or empty.
	Location string `json:"location"`
	Zone     string `json:"zone,omitempty"`
	// ResourceGroup and SubscriptionID are those of ID.
	ResourceGroup  string `json:"resourceGroup"`
	SubscriptionID string `json:"subscriptionID"`
	// ImageID is the image's identifier, or publisher:offer:sku:version of one of the marketplace.
	ImageID string `json:"imageID"`
	// CustomData is what cloud-init or ignition reads, as it was before osProfile.customData encoded it. It may hold secrets: it belongs in
	// no log.
	CustomData []byte `json:"customData,omitempty"`
	// VirtualNetwork is the ARM identifier of the virtual network of all its NICs.
	VirtualNetwork string `json:"virtualNetwork"`
	// NICs are in the order of the request, the primary one first.
	NICs []NIC `json:"nics"`
	// DataDisks are those that are attached now. Start with other data disks on a running machine attaches and detaches.
	DataDisks []Disk            `json:"dataDisks,omitempty"`
	Tags      map[string]string `json:"tags,omitempty"`
}

// NIC is a network interface.
type NIC struct {
	Name string `json:"name"`
	// IP is the primary private address, Subnet the range of addresses that it is from, such as 10.0.0.0/16.
	IP     string `json:"ip"`
	Subnet string `json:"subnet"`
	// MAC is the hardware address as net.ParseMAC reads it.
	MAC string `json:"mac"`
}

// Disk is a data disk.
type Disk struct {
	LUN     int    `json:"lun"`
	Name    string `json:"name"`
	SizeGiB int    `json:"sizeGiB"`
}

// LoadBalancer is what one load balancer forwards in one virtual network.
type LoadBalancer struct {
	// ID is its ARM identifier.
	ID string `json:"id"`
	// VirtualNetwork is the network of its backends, and of private frontend addresses. Public ones are reached from everywhere.
	VirtualNetwork string     `json:"virtualNetwork"`
	Frontends      []Frontend `json:"frontends,omitempty"`
}

// Frontend is an address and a port, and what connections to it are forwarded to. It stands for a load balancing rule or an inbound NAT rule.
type Frontend struct {
	IP   string `json:"ip"`
	Port int    `json:"port"`
	// Backends are the members of the rule's pool. Connections go to one that the probe finds up; without a probe all count as up.
	Backends []Backend `json:"backends,omitempty"`
	// ProbePath is what the probe asks for by HTTP, with TLS if ProbeTLS; 200 counts as up. It is empty for a probe that only connects.
	ProbePath string `json:"probePath,omitempty"`
	ProbeTLS  bool   `json:"probeTLS,omitempty"`
	// ProbePort is the port that the probe asks; 0 means that there is no probe.
	ProbePort int `json:"probePort,omitempty"`
}

// Backend is the address and the port of a machine.
type Backend struct {
	IP   string `json:"ip"`
	Port int    `json:"port"`
}

// The phases of a machine.
const (
	// Off is a machine that is unknown to the host, stopped or deleted.
	Off = "Off"
	// Booting is one that is powered and whose operating system is not up yet.
	Booting = "Booting"
	// Provisioned is one whose agent has told Azure that it is up. What the custom data does goes on after that.
	Provisioned = "Provisioned"
	// Failed is one that never told so.
	Failed = "Failed"
)

// State is how far a machine is.
type State struct {
	// Phase is Off, Booting, Provisioned or Failed.
	Phase string `json:"phase"`
	// Message says why a machine has failed, or what of its custom data has. It holds no secret.
	Message string `json:"message,omitempty"`
	// CustomDataEnded says that what the custom data asks for has been done, well or badly.
	CustomDataEnded bool `json:"customDataEnded,omitempty"`
	// Bootstrapped says that the machine has the file by which Cluster API's custom data ends when kubeadm has succeeded:
	// /run/cluster-api/bootstrap-success.complete. CAPZ's extension CAPZ.Linux.Bootstrapping waits for it.
	Bootstrapped bool `json:"bootstrapped,omitempty"`
}

// Host runs virtual machines, networks and load balancers. Every method may be called again with what it was called with before, and then
// changes nothing: a simulator that is restarted repeats itself. Methods may be called at the same time.
type Host interface {
	// Start powers a machine on; it returns when that is done, not when the machine is provisioned. The custom data runs at the first start
	// only. A machine that runs takes the NICs, disks and tags that are given, and is not started anew.
	Start(ctx context.Context, machine Machine) error
	// Stop powers a machine off and keeps its disks. One that is off or unknown is no error.
	Stop(ctx context.Context, id string) error
	// Delete powers a machine off and forgets it with its disks. One that is unknown is no error.
	Delete(ctx context.Context, id string) error
	// State returns how far a machine is; one that is unknown is Off.
	State(ctx context.Context, id string) (State, error)
	// SetLoadBalancer has a load balancer forward what is given, and nothing else that it forwarded before.
	SetLoadBalancer(ctx context.Context, balancer LoadBalancer) error
	// DeleteLoadBalancer forgets a load balancer.
	DeleteLoadBalancer(ctx context.Context, id string) error
	// SetNames has the machines in a virtual network, and Dial, find these host names at these addresses, and no others that were set before
	// for this network. An empty network stands for names that all networks find, such as those of public addresses.
	SetNames(ctx context.Context, virtualNetwork string, names map[string]string) error
	// Dial connects to an address host:port from outside of the networks: a frontend of a load balancer, or a machine's private address. A
	// host that is no address is one of the names.
	Dial(ctx context.Context, address string) (net.Conn, error)
}
