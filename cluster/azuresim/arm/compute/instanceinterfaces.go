package compute

import (
	"fmt"
	"hash/fnv"
	"net/netip"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
)

// networkAddresses is who has the addresses of a virtual network.
type networkAddresses = map[netip.Addr]string

// poolLists are the lists by which an IP configuration is behind a load balancer or in a group.
var poolLists = []string{"loadBalancerBackendAddressPools", "applicationGatewayBackendAddressPools", "applicationSecurityGroups"}

// storeInterfaces makes the network interfaces of a new instance, as the model describes them.
func storeInterfaces(s *arm.Service, set, instance *arm.Resource, free *addresses) *arm.Error {
	configurations := fields.Objects(modelOf(set), "networkProfile", "networkInterfaceConfigurations")
	attached := []any{}
	for _, configuration := range configurations {
		nic := interfaceOf(set, instance, configuration)
		nic.Created = s.Clock.Now()
		properties := nic.Properties()
		properties["virtualMachine"] = map[string]any{"id": instance.ID}
		properties["primary"] = len(configurations) == 1 || fields.Bool(configuration, "properties", "primary")
		addressed, e := addressConfigurations(nic.ID, configuration, free)
		if e != nil {
			return e
		}
		properties[networking.ListConfigurations] = addressed
		if err := s.Store.Put(nic); err != nil {
			return arm.InternalError(err)
		}
		reference := map[string]any{"primary": properties["primary"]}
		if isFlexible(set.Body) {
			reference["deleteOption"] = "Delete"
		}
		attached = append(attached, map[string]any{"id": nic.ID, "properties": reference})
	}
	instance.Properties()["networkProfile"] = map[string]any{"networkInterfaces": attached}
	return nil
}

// interfaceOf is a network interface without its addresses: below a uniform instance, by itself for a flexible one.
func interfaceOf(set, instance *arm.Resource, configuration map[string]any) *arm.Resource {
	name := fields.Text(configuration, "name")
	nic := &arm.Resource{ID: instance.ID + "/networkInterfaces/" + name, Type: typeInstanceInterface, Name: name, Private: map[string]any{}}
	if isFlexible(set.Body) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(instance.Key())) // never fails
		nic.Name = fmt.Sprintf("%s-%08x", name, h.Sum32())
		nic.ID, nic.Type = set.Identity().GroupPath()+"/providers/"+networking.TypeNetworkInterface+"/"+nic.Name, networking.TypeNetworkInterface
	}
	properties := map[string]any{
		fields.State: arm.StatusSucceeded, "macAddress": networking.HardwareAddress(nic.ID), "enableAcceleratedNetworking": fields.Bool(configuration, "properties", "enableAcceleratedNetworking"),
		"enableIPForwarding": fields.Bool(configuration, "properties", "enableIPForwarding"),
		"dnsSettings":        map[string]any{"dnsServers": fields.List(fields.Texts(configuration, "properties", "dnsSettings", "dnsServers")), "appliedDnsServers": []any{}},
	}
	if group := fields.At(configuration, "properties", "networkSecurityGroup"); group != nil {
		properties["networkSecurityGroup"] = group
	}
	nic.Body = map[string]any{"id": nic.ID, "name": nic.Name, "type": nic.Type, "etag": "", fields.Location: set.Location(), fields.Properties: properties}
	if tags, given := fields.Clone(set.Body)["tags"]; given && isFlexible(set.Body) {
		nic.Body["tags"] = tags
	}
	arm.RefreshETag(nic)
	return nic
}

// addressConfigurations gives each IP configuration of a network interface its address.
func addressConfigurations(nic string, configuration map[string]any, free *addresses) ([]any, *arm.Error) {
	listed := fields.Objects(configuration, "properties", networking.ListConfigurations)
	chosen := slices.ContainsFunc(listed, func(one map[string]any) bool { return fields.Bool(one, "properties", "primary") })
	found := []any{}
	for i, one := range listed {
		given := fields.Child(fields.Clone(one), "properties")
		version := fields.Text(given, "privateIPAddressVersion")
		address, e := free.next(fields.Text(given, "subnet", "id"), version == "IPv6")
		if e != nil {
			return nil, e
		}
		properties := map[string]any{
			fields.State: arm.StatusSucceeded, "privateIPAddress": address, "privateIPAllocationMethod": "Dynamic", "privateIPAddressVersion": version, "subnet": given["subnet"],
			"primary": fields.Bool(given, "primary") || !chosen && i == 0,
		}
		for _, list := range poolLists {
			if value, is := given[list]; is {
				properties[list] = value
			}
		}
		name := fields.Text(one, "name")
		found = append(found, map[string]any{"name": name, "id": nic + "/ipConfigurations/" + name, "etag": "", fields.Properties: properties})
	}
	return found, nil
}

// followConfigurations has the IP configurations of an instance's network interfaces be in the pools that configurations name.
func followConfigurations(s *arm.Service, instance *arm.Resource, configurations []map[string]any) *arm.Error {
	for _, configuration := range configurations {
		nic := s.Store.Get(instance.ID + "/networkInterfaces/" + fields.Text(configuration, "name"))
		if nic == nil {
			continue
		}
		for _, one := range fields.Objects(configuration, "properties", networking.ListConfigurations) {
			for _, present := range fields.Objects(nic.Body, "properties", networking.ListConfigurations) {
				if strings.EqualFold(fields.Text(present, "name"), fields.Text(one, "name")) {
					copyPools(fields.Child(fields.Clone(one), "properties"), fields.Child(present, "properties"))
				}
			}
		}
		if err := s.Store.Put(nic); err != nil {
			return arm.InternalError(err)
		}
	}
	return nil
}

func copyPools(from, to map[string]any) {
	for _, list := range poolLists {
		delete(to, list)
		if value, given := from[list]; given {
			to[list] = value
		}
	}
}
