package arm

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// TypeNetworkInterface is the type of a network interface.
const TypeNetworkInterface = "Microsoft.Network/networkInterfaces"

// networkInterfaceType changes at once.
func networkInterfaceType() *resourceType {
	p := networkProtocol(0)
	p.create = answer{status: 201}
	p.update = answer{status: 200}
	p.unchanged = answer{status: 200}
	p.remove.retryAfter = 4
	t := networkResourceType(TypeNetworkInterface, p)
	t.validate = validateNetworkInterface
	t.apply = applyNetworkInterface
	t.view = viewNetworkInterface
	t.deletable = networkInterfaceDeletable
	return t
}

func validateNetworkInterface(p *put) *Error {
	if len(objects(p.requested, "properties", listConfigurations)) == 0 {
		return detailed(badRequest("NetworkInterfaceMustHaveAtLeastOneIpConfiguration", "Network interface %s must have at least one IP configuration.", p.id.Name))
	}
	if e := checkReferences(p); e != nil {
		return e
	}
	network := ""
	for _, configuration := range objects(p.requested, "properties", listConfigurations) {
		subnet, err := ParseID(text(configuration, "properties", "subnet", "id"))
		if err != nil {
			return detailed(badRequest("SubnetMissingForNetworkInterface", "IP configuration %s of network interface %s has no subnet.", text(configuration, "name"), p.id.Name))
		}
		if network != "" && !strings.EqualFold(network, subnet.Parent) {
			return detailed(badRequest("IpConfigurationsOnSameNicCannotUseDifferentVnets", "IP configurations of network interface %s are in different virtual networks.", p.id.Name))
		}
		network = subnet.Parent
		if e := checkPublicAddressFree(p, text(configuration, "properties", "publicIPAddress", "id"), "ipConfigurations/"+text(configuration, "name")); e != nil {
			return e
		}
		if e := checkNATRulesFree(p, configuration); e != nil {
			return e
		}
	}
	return nil
}

// checkPublicAddressFree refuses a public address that something else has.
func checkPublicAddressFree(p *put, address, configuration string) *Error {
	if address == "" {
		return nil
	}
	for _, other := range p.service.networkUsersOf(address, p.id.Path) {
		return detailed(badRequest("PublicIPAddressInUse", "Resource %s is referencing public IP address %s that is already allocated to resource %s.",
			p.id.Path+"/"+configuration, address, other.ID))
	}
	return nil
}

// checkNATRulesFree refuses an inbound NAT rule that leads to another network interface.
func checkNATRulesFree(p *put, configuration map[string]any) *Error {
	for _, rule := range objects(configuration, "properties", "loadBalancerInboundNatRules") {
		path := text(rule, "id")
		for _, other := range p.service.networkUsersOf(path, p.id.Path) {
			if other.Type == TypeNetworkInterface {
				return detailed(badRequest("InboundNatRuleAlreadyAssociated", "Inbound NAT rule %s is already associated with network interface %s.", path, other.ID))
			}
		}
	}
	return nil
}

func applyNetworkInterface(p *put) *Error {
	if e := applyNetworkDefaults(p); e != nil {
		return e
	}
	configurations := objects(p.result, "properties", listConfigurations)
	primary := false
	for _, configuration := range configurations {
		primary = primary || boolean(configuration, "properties", "primary")
	}
	for i, configuration := range configurations {
		fill(child(configuration, "properties"), map[string]any{"primary": i == 0 && !primary})
	}
	subnet, err := ParseID(text(configurations[0], "properties", "subnet", "id"))
	if err != nil {
		return internalError(err)
	}
	settings := child(child(p.result, "properties"), "dnsSettings")
	fill(settings, map[string]any{"dnsServers": []any{}, "appliedDnsServers": []any{}, "internalDomainNameSuffix": internalSuffix(subnet.Parent)})
	if e := completeParts(p); e != nil {
		return e
	}
	return assignAddresses(p, listConfigurations)
}

// internalSuffix makes up the domain in which Azure names the machines of a virtual network.
func internalSuffix(network string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(network))) // never fails
	return fmt.Sprintf("%016x.xx.internal.cloudapp.net", h.Sum64())
}

// viewNetworkInterface shows the machine that the interface is attached to.
func viewNetworkInterface(s *Service, r *Resource, apiVersion string) map[string]any {
	body := viewNetwork(s, r, apiVersion)
	if machine := s.machineWith(r.ID); machine != nil {
		properties := child(body, "properties")
		properties["virtualMachine"] = map[string]any{"id": machine.ID}
		properties["macAddress"] = hardwareAddress(r.ID)
		properties["primary"] = isPrimary(machine, r.ID)
	}
	return body
}

// machineWith returns the virtual machine that a network interface is attached to, or nil.
func (s *Service) machineWith(networkInterface string) *Resource {
	for _, r := range s.store.all() {
		if r.Type != TypeVirtualMachine {
			continue
		}
		for _, attached := range objects(r.Body, "properties", "networkProfile", "networkInterfaces") {
			if strings.EqualFold(text(attached, "id"), networkInterface) {
				return r
			}
		}
	}
	return nil
}

// isPrimary tells whether a network interface is the machine's primary one: the one that says so, or the only one.
func isPrimary(machine *Resource, networkInterface string) bool {
	attached := objects(machine.Body, "properties", "networkProfile", "networkInterfaces")
	for _, one := range attached {
		if strings.EqualFold(text(one, "id"), networkInterface) {
			return len(attached) == 1 || boolean(one, "properties", "primary")
		}
	}
	return false
}

// networkInterfaceDeletable refuses while a machine has the interface, https://aka.ms/deletenic.
func networkInterfaceDeletable(s *Service, r *Resource) *Error {
	if machine := s.machineWith(r.ID); machine != nil {
		return detailed(badRequest("NicInUse", "Network Interface %s is used by existing resource %s. In order to delete the network interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.", r.ID, machine.ID))
	}
	if endpoint := text(r.Body, "properties", "privateEndpoint", "id"); endpoint != "" && s.store.get(endpoint) != nil {
		return detailed(badRequest("NetworkInterfaceInUse", "Network Interface %s is used by private endpoint %s.", r.ID, endpoint))
	}
	return nil
}
