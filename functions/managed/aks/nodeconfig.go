package aks

import (
	aks "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801/storage"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

func kubeletConfig(s *v1beta1.KubeletConfig) *aks.KubeletConfig {
	return &aks.KubeletConfig{
		AllowedUnsafeSysctls:  s.AllowedUnsafeSysctls,
		ContainerLogMaxFiles:  s.ContainerLogMaxFiles,
		ContainerLogMaxSizeMB: s.ContainerLogMaxSizeMB,
		CpuCfsQuota:           s.CPUCfsQuota,
		CpuCfsQuotaPeriod:     s.CPUCfsQuotaPeriod,
		CpuManagerPolicy:      (*string)(s.CPUManagerPolicy),
		FailSwapOn:            s.FailSwapOn,
		ImageGcHighThreshold:  s.ImageGcHighThreshold,
		ImageGcLowThreshold:   s.ImageGcLowThreshold,
		PodMaxPids:            s.PodMaxPids,
		TopologyManagerPolicy: (*string)(s.TopologyManagerPolicy),
	}
}

func linuxOSConfig(s *v1beta1.LinuxOSConfig) *aks.LinuxOSConfig {
	config := &aks.LinuxOSConfig{
		SwapFileSizeMB:             s.SwapFileSizeMB,
		TransparentHugePageDefrag:  (*string)(s.TransparentHugePageDefrag),
		TransparentHugePageEnabled: (*string)(s.TransparentHugePageEnabled),
	}
	if s.Sysctls != nil {
		config.Sysctls = sysctls(s.Sysctls)
	}
	return config
}

func sysctls(s *v1beta1.SysctlConfig) *aks.SysctlConfig {
	return &aks.SysctlConfig{
		FsAioMaxNr:                     s.FsAioMaxNr,
		FsFileMax:                      s.FsFileMax,
		FsInotifyMaxUserWatches:        s.FsInotifyMaxUserWatches,
		FsNrOpen:                       s.FsNrOpen,
		KernelThreadsMax:               s.KernelThreadsMax,
		NetCoreNetdevMaxBacklog:        s.NetCoreNetdevMaxBacklog,
		NetCoreOptmemMax:               s.NetCoreOptmemMax,
		NetCoreRmemDefault:             s.NetCoreRmemDefault,
		NetCoreRmemMax:                 s.NetCoreRmemMax,
		NetCoreSomaxconn:               s.NetCoreSomaxconn,
		NetCoreWmemDefault:             s.NetCoreWmemDefault,
		NetCoreWmemMax:                 s.NetCoreWmemMax,
		NetIpv4IpLocalPortRange:        s.NetIpv4IPLocalPortRange,
		NetIpv4NeighDefaultGcThresh1:   s.NetIpv4NeighDefaultGcThresh1,
		NetIpv4NeighDefaultGcThresh2:   s.NetIpv4NeighDefaultGcThresh2,
		NetIpv4NeighDefaultGcThresh3:   s.NetIpv4NeighDefaultGcThresh3,
		NetIpv4TcpFinTimeout:           s.NetIpv4TCPFinTimeout,
		NetIpv4TcpKeepaliveProbes:      s.NetIpv4TCPKeepaliveProbes,
		NetIpv4TcpKeepaliveTime:        s.NetIpv4TCPKeepaliveTime,
		NetIpv4TcpMaxSynBacklog:        s.NetIpv4TCPMaxSynBacklog,
		NetIpv4TcpMaxTwBuckets:         s.NetIpv4TCPMaxTwBuckets,
		NetIpv4TcpTwReuse:              s.NetIpv4TCPTwReuse,
		NetIpv4TcpkeepaliveIntvl:       s.NetIpv4TCPkeepaliveIntvl,
		NetNetfilterNfConntrackBuckets: s.NetNetfilterNfConntrackBuckets,
		NetNetfilterNfConntrackMax:     s.NetNetfilterNfConntrackMax,
		VmMaxMapCount:                  s.VMMaxMapCount,
		VmSwappiness:                   s.VMSwappiness,
		VmVfsCachePressure:             s.VMVfsCachePressure,
	}
}
