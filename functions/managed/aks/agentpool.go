package aks

import (
	"fmt"

	aks "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801/storage"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// agentPool returns the object of one agent pool, with its patches.
func (c *aksCluster) agentPool(pool Pool, live LivePool) *plan.Resource {
	s := &pool.XR.Spec
	hub := &aks.ManagedClustersAgentPool{Spec: c.agentPoolSpec(pool, live)}
	problem := c.setPoolNetwork(hub, s)
	if problem == nil {
		problem = c.versionProblem(pool)
	}
	if s.KubeletConfig != nil {
		hub.Spec.KubeletConfig = kubeletConfig(s.KubeletConfig)
	}
	if s.LinuxOSConfig != nil {
		hub.Spec.LinuxOSConfig = linuxOSConfig(s.LinuxOSConfig)
	}
	object, err := c.agentPoolIn(hub)
	if err != nil {
		problem = typed.Invalid("spec cannot be written in the API version of AKS: %v", err)
	}
	o := c.object("spec", v1beta1.ASOObjectName(pool.XR.Name), object, problem)
	return c.patched(o, "spec.asoManagedClustersAgentPoolPatches", s.ASOManagedClustersAgentPoolPatches)
}

func (c *aksCluster) agentPoolSpec(pool Pool, live LivePool) aks.ManagedClustersAgentPool_Spec {
	s := &pool.XR.Spec
	spec := aks.ManagedClustersAgentPool_Spec{
		AzureName:              poolName(pool.XR),
		Owner:                  typed.OwnedBy(c.name),
		AvailabilityZones:      s.AvailabilityZones,
		Count:                  ptr.To(int(ptr.Deref(pool.Replicas, 1))),
		EnableAutoScaling:      ptr.To(s.Scaling != nil),
		EnableEncryptionAtHost: s.EnableEncryptionAtHost,
		EnableFIPS:             s.EnableFIPS,
		EnableNodePublicIP:     s.EnableNodePublicIP,
		EnableUltraSSD:         s.EnableUltraSSD,
		KubeletDiskType:        typed.Optional(s.KubeletDiskType),
		MaxPods:                s.MaxPods,
		Mode:                   ptr.To(s.Mode),
		NodeLabels:             s.NodeLabels,
		NodeTaints:             taints(s.Taints),
		OrchestratorVersion:    typed.Text(kubeversion.Higher(kubeversion.WithoutV(kubeversion.Higher(pool.Version, pool.AutoUpgradeVersion)), live.Version)),
		OsDiskSizeGB:           ptr.To(ptr.Deref(s.OSDiskSizeGB, 0)),
		OsDiskType:             typed.Optional(s.OsDiskType),
		OsType:                 ptr.To(ptr.Deref(s.OSType, v1beta1.DefaultOSType)),
		ScaleDownMode:          typed.Optional(s.ScaleDownMode),
		ScaleSetPriority:       typed.Optional(s.ScaleSetPriority),
		Tags:                   s.AdditionalTags,
		Type:                   ptr.To("VirtualMachineScaleSets"),
		VmSize:                 typed.Text(s.SKU),
	}
	if s.Scaling != nil {
		spec.MinCount, spec.MaxCount = s.Scaling.MinSize, s.Scaling.MaxSize
	}
	if s.SpotMaxPrice != nil {
		spec.SpotMaxPrice = ptr.To(s.SpotMaxPrice.AsApproximateFloat64())
	}
	return spec
}

// setPoolNetwork puts the nodes into a subnet of the cluster's network.
func (c *aksCluster) setPoolNetwork(hub *aks.ManagedClustersAgentPool, s *v1beta1.AzureManagedMachinePoolSpec) *composer.Blocked {
	hub.Spec.NodePublicIPPrefixReference = typed.ByID(ptr.Deref(s.NodePublicIPPrefixID, ""))
	subnet, problem := c.subnetReference(ptr.Deref(s.SubnetName, c.spec.VirtualNetwork.Subnet.Name))
	hub.Spec.VnetSubnetReference = subnet
	return problem
}

// versionProblem says that the nodes would be newer than the control plane, which Kubernetes does not support.
func (c *aksCluster) versionProblem(pool Pool) *composer.Blocked {
	highest := kubeversion.Higher(c.spec.Version, pool.AutoUpgradeVersion)
	if pool.Version == "" || kubeversion.Compare(pool.Version, highest) <= 0 {
		return nil
	}
	return composer.Blockedf(composer.ReasonIncompatibleValue,
		"the MachinePool of AzureManagedMachinePool %s: spec.template.spec.version is %q, but must not be above %q, the version of AzureManagedControlPlane %s",
		pool.XR.Name, pool.Version, highest, c.name)
}

// poolName returns the name of the pool in Azure: that of the object, where the spec has none.
func poolName(pool *v1beta1.AzureManagedMachinePool) string {
	if name := ptr.Deref(pool.Spec.Name, ""); name != "" {
		return name
	}
	return pool.Name
}

// taints writes taints as AKS takes them: key=value:effect.
func taints(of v1beta1.Taints) []string {
	var written []string
	for _, t := range of {
		written = append(written, fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect))
	}
	return written
}
