package networking

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// NetworkOf is the virtual network of a network interface.
func NetworkOf(nic *arm.Resource) string {
	for _, configuration := range fields.Objects(nic.Body, "properties", ListConfigurations) {
		network, _, _ := arm.CutPart(fields.Text(configuration, "properties", "subnet", "id"))
		return network
	}
	return ""
}

// TypeNetworkInterface is the type of a network interface.
const TypeNetworkInterface = "Microsoft.Network/networkInterfaces"

// isNetworkInterface tells whether a resource is a network interface: one by itself, or one of an instance of a scale set.
func isNetworkInterface(r *arm.Resource) bool {
	return strings.HasSuffix(r.Type, "/networkInterfaces")
}

// networkInterfaceType changes at once.
func networkInterfaceType() *arm.ResourceType {
	p := networkProtocol(0)
	p.Create = arm.Answer{Status: 201}
	p.Update = arm.Answer{Status: 200}
	p.Unchanged = arm.Answer{Status: 200}
	p.Remove.RetryAfter = 4
	t := networkResourceType(TypeNetworkInterface, p)
	t.Validate = validateNetworkInterface
	t.Apply = applyNetworkInterface
	t.View = viewNetworkInterface
	t.Deletable = networkInterfaceDeletable
	return t
}

func validateNetworkInterface(p *arm.Put) *arm.Error {
	if len(fields.Objects(p.Requested, "properties", ListConfigurations)) == 0 {
		return arm.Detailed(arm.BadRequest("NetworkInterfaceMustHaveAtLeastOneIpConfiguration", "Network interface %s must have at least one IP configuration.", p.ID.Name))
	}
	if e := checkReferences(p); e != nil {
		return e
	}
	network := ""
	for _, configuration := range fields.Objects(p.Requested, "properties", ListConfigurations) {
		subnet, err := arm.ParseID(fields.Text(configuration, "properties", "subnet", "id"))
		if err != nil {
			return arm.Detailed(arm.BadRequest("SubnetMissingForNetworkInterface", "IP configuration %s of network interface %s has no subnet.", fields.Text(configuration, "name"), p.ID.Name))
		}
		if network != "" && !strings.EqualFold(network, subnet.Parent) {
			return arm.Detailed(arm.BadRequest("IpConfigurationsOnSameNicCannotUseDifferentVnets", "IP configurations of network interface %s are in different virtual networks.", p.ID.Name))
		}
		network = subnet.Parent
		if e := checkPublicAddressFree(p, fields.Text(configuration, "properties", "publicIPAddress", "id"), "ipConfigurations/"+fields.Text(configuration, "name")); e != nil {
			return e
		}
		if e := checkNATRulesFree(p, configuration); e != nil {
			return e
		}
	}
	return nil
}

// checkPublicAddressFree refuses a public address that something else has.
func checkPublicAddressFree(p *arm.Put, address, configuration string) *arm.Error {
	if address == "" {
		return nil
	}
	for _, other := range networkUsersOf(p.Service, address, p.ID.Path) {
		return arm.Detailed(arm.BadRequest("PublicIPAddressInUse", "Resource %s is referencing public IP address %s that is already allocated to resource %s.",
			p.ID.Path+"/"+configuration, address, other.ID))
	}
	return nil
}

// checkNATRulesFree refuses an inbound NAT rule that leads to another network interface.
func checkNATRulesFree(p *arm.Put, configuration map[string]any) *arm.Error {
	for _, rule := range fields.Objects(configuration, "properties", "loadBalancerInboundNatRules") {
		path := fields.Text(rule, "id")
		for _, other := range networkUsersOf(p.Service, path, p.ID.Path) {
			if other.Type == TypeNetworkInterface {
				return arm.Detailed(arm.BadRequest("InboundNatRuleAlreadyAssociated", "Inbound NAT rule %s is already associated with network interface %s.", path, other.ID))
			}
		}
	}
	return nil
}

func applyNetworkInterface(p *arm.Put) *arm.Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	configurations := fields.Objects(p.Result, "properties", ListConfigurations)
	primary := false
	for _, configuration := range configurations {
		primary = primary || fields.Bool(configuration, "properties", "primary")
	}
	for i, configuration := range configurations {
		fields.Fill(fields.Child(configuration, "properties"), map[string]any{"primary": i == 0 && !primary})
	}
	subnet, err := arm.ParseID(fields.Text(configurations[0], "properties", "subnet", "id"))
	if err != nil {
		return arm.InternalError(err)
	}
	settings := fields.Child(fields.Child(p.Result, "properties"), "dnsSettings")
	fields.Fill(settings, map[string]any{"dnsServers": []any{}, "appliedDnsServers": []any{}, "internalDomainNameSuffix": InternalSuffix(subnet.Parent)})
	if e := completeParts(p); e != nil {
		return e
	}
	return assignAddresses(p, ListConfigurations)
}

// InternalSuffix makes up the domain in which Azure names the machines of a virtual network.
func InternalSuffix(network string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(network))) // never fails
	return fmt.Sprintf("%016x.xx.internal.cloudapp.net", h.Sum64())
}

// viewNetworkInterface shows the machine that the interface is attached to.
func viewNetworkInterface(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := viewNetwork(s, r, apiVersion)
	if machine := MachineWith(s, r.ID); machine != nil {
		properties := fields.Child(body, "properties")
		properties["virtualMachine"] = map[string]any{"id": machine.ID}
		properties["macAddress"] = HardwareAddress(r.ID)
		properties["primary"] = IsPrimary(machine, r.ID)
	}
	return body
}

// MachineWith returns the machine that a network interface is attached to, or nil.
func MachineWith(s *arm.Service, networkInterface string) *arm.Resource {
	for _, r := range s.Store.All() {
		if !strings.HasSuffix(r.Type, "/virtualMachines") { // Machines, and instances of scale sets.
			continue
		}
		for _, attached := range fields.Objects(r.Body, "properties", "networkProfile", "networkInterfaces") {
			if strings.EqualFold(fields.Text(attached, "id"), networkInterface) {
				return r
			}
		}
	}
	return nil
}

// IsPrimary tells whether a network interface is the machine's primary one: the one that says so, or the only one.
func IsPrimary(machine *arm.Resource, networkInterface string) bool {
	attached := fields.Objects(machine.Body, "properties", "networkProfile", "networkInterfaces")
	for _, one := range attached {
		if strings.EqualFold(fields.Text(one, "id"), networkInterface) {
			return len(attached) == 1 || fields.Bool(one, "properties", "primary")
		}
	}
	return false
}

// networkInterfaceDeletable refuses while a machine has the interface, https://aka.ms/deletenic.
func networkInterfaceDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	if machine := MachineWith(s, r.ID); machine != nil {
		return arm.Detailed(arm.BadRequest("NicInUse", "Network Interface %s is used by existing resource %s. In order to delete the network interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.", r.ID, machine.ID))
	}
	if endpoint := fields.Text(r.Body, "properties", "privateEndpoint", "id"); endpoint != "" && s.Store.Get(endpoint) != nil {
		return arm.Detailed(arm.BadRequest("NetworkInterfaceInUse", "Network Interface %s is used by private endpoint %s.", r.ID, endpoint))
	}
	return nil
}
