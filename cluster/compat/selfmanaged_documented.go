package main

import (
	"fmt"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// meantSent are the documented differences of what is sent to Azure.
var meantSent = []documented[func(s *specs.SelfManaged, d compare.Difference) bool]{
	{"disks", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return strings.HasSuffix(d.Path, ".deleteOption") && d.CAPZ == nil && d.Ours == "Delete"
	}},
	{"`managedDisk.securityProfile` of a data disk", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return strings.Contains(d.Path, ".dataDisks[") && strings.HasSuffix(d.Path, ".managedDisk.securityProfile") && d.CAPZ == nil
	}},
	{"`allocatePublicIP` of a machine of the control plane", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return strings.Contains(d.Object, "/networkinterfaces/") && strings.HasSuffix(d.Path, ".publicIPAddress") && d.CAPZ == nil
	}},
	{"`diffDiskSettings.placement: NvmeDisk`", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return refused(d, "placement is NvmeDisk")
	}},
	{"`securityProfile` absent with `securityEncryptionType`", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return refused(d, "spec.securityProfile is absent, but must have securityType ConfidentialVM")
	}},
	{"a size with 1.5 GiB of memory", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return refused(d, "has 1.5 GiB of memory")
	}},
	{"the availability zone of a machine", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return refused(d, "has no machines in availability zone")
	}},
	{"`controlPlaneEnabled: false`", func(s *specs.SelfManaged, d compare.Difference) bool {
		return s.Spec()["controlPlaneEnabled"] == false && d.Path == "" && d.Ours == nil && strings.Contains(fmt.Sprint(d.CAPZ), "CAPZ panics")
	}},
	{"tags of an availability set", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return strings.Contains(d.Object, "/availabilitysets/") && strings.HasPrefix(d.Path, "tags.")
	}},
	{"NAT gateways in a network that is not the cluster's", func(s *specs.SelfManaged, d compare.Difference) bool {
		gateway := strings.Contains(d.Object, "/natgateways/") || strings.Contains(d.Object, "/publicipaddresses/")
		return s.OwnNetwork && gateway && d.Path == "" && d.Ours == nil
	}},
	{"a second network interface without `subnetName`", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return refused(d, "subnetName is \"\"")
	}},
	{"a subnet with role cluster and IPv6", func(s *specs.SelfManaged, d compare.Difference) bool {
		return s.DualStackCluster() && (strings.HasSuffix(d.Object, "/publicipaddresses/") || strings.Contains(d.Object, "/natgateways/") && d.Ours == nil ||
			d.Path == "properties.natGateway" && d.Ours == nil || strings.Contains(d.Path, "loadBalancerBackendAddressPools"))
	}},
	{"security rules with one name of subnets that share a group", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return refused(d, "both are of network security group")
	}},
	{"private endpoint without `location`", func(s *specs.SelfManaged, d compare.Difference) bool {
		return strings.Contains(d.Object, "/privateendpoints/") && d.Path == "location" && d.CAPZ == nil && d.Ours == s.Spec()["location"]
	}},
	{"private endpoints in the subnet of Azure Bastion", func(_ *specs.SelfManaged, d compare.Difference) bool {
		return strings.Contains(d.Object, "/privateendpoints/") && d.Path == "properties.subnet" && d.CAPZ == nil
	}},
}

// refused reports whether this project alone does not go on with an object, and says the text.
func refused(d compare.Difference, text string) bool {
	return d.Path == "" && d.CAPZ == nil && strings.Contains(fmt.Sprint(d.Ours), text)
}

// notSentHere tells fields that no composer sends: provider-capz adds the secrets of a virtual machine and the settings of the extension that
// waits for its bootstrapping, and Azure chooses principals.
func notSentHere(d compare.Difference) bool {
	secret := d.Path == "properties.osProfile.customData" || d.Path == "properties.osProfile.adminPassword"
	script := strings.Contains(d.Object, "bootstrapping") && strings.HasPrefix(d.Path, "properties.protectedSettings")
	principal := d.Path == "properties.principalId" && d.CAPZ != nil && d.Ours != nil
	return secret && d.Ours == nil || script || principal
}
