package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// meantOfPools are the documented differences of what is sent to Azure for AzureMachinePools.
var meantOfPools = []documented[func(p *specs.MachinePool, phase string, d compare.Difference) bool]{
	{"`dataDisks` without `lun`, or with `cachingType`", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		return strings.Contains(d.Path, ".dataDisks[") && (strings.HasSuffix(d.Path, ".lun") || strings.HasSuffix(d.Path, ".caching")) && d.CAPZ == nil
	}},
	{"`managedDisk.securityProfile` of a data disk", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		return strings.Contains(d.Path, ".dataDisks[") && strings.HasSuffix(d.Path, ".managedDisk.securityProfile") && d.CAPZ == nil
	}},
	{"`securityProfile` with more than encryptionAtHost", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		sent := strings.Contains(d.Path, ".virtualMachineProfile.") && strings.Contains(d.Path, "securityProfile") && d.CAPZ == nil
		stopped := strings.Contains(fmt.Sprint(d.CAPZ), "CAPZ panics") || strings.Contains(fmt.Sprint(d.CAPZ), "encryption at host is not supported")
		return sent || stopped && d.Path == "" && d.Ours == nil
	}},
	{"the script of the bootstrapping extension", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		return strings.Contains(d.Path, ".extensions[") && strings.HasSuffix(d.Path, ".protectedSettings.commandToExecute") &&
			strings.Contains(fmt.Sprint(d.CAPZ, d.Ours), "bootstrap")
	}},
	{"`diffDiskSettings.placement: NvmeDisk`", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		return refused(d, "placement is NvmeDisk")
	}},
	{"`securityProfile` absent with `securityEncryptionType`", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		return refused(d, "securityProfile is absent, but must have securityType ConfidentialVM")
	}},
	{"a second network interface without `subnetName`", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		return refused(d, "subnetName is \"\"")
	}},
	{"`spec.location` is not that of the AzureCluster", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		return refused(d, "because a virtual machine is where its network is")
	}},
	{"ultra disks of a pool in no availability zone", func(_ *specs.MachinePool, _ string, d compare.Difference) bool {
		return refused(d, "has no ultra disks outside of availability zones")
	}},
	{"fewer replicas together with another model", func(p *specs.MachinePool, phase string, d compare.Difference) bool {
		return phase == changedPhase && d.Path == "sku.capacity" && p.Change.Replicas < p.Created.Replicas
	}},
	{"replicas managed by others, while instances are replaced", func(p *specs.MachinePool, phase string, d compare.Difference) bool {
		changed := phase == changedPhase || phase == followedPhase
		return changed && d.Path == "sku.capacity" && p.Change.ScaledByOthers && number(d.Ours) > number(d.CAPZ)
	}},
}

// number returns the number that a side sends; none is not one.
func number(sent any) float64 {
	n, err := strconv.ParseFloat(fmt.Sprint(sent), 64)
	if err != nil {
		return math.NaN()
	}
	return n
}
