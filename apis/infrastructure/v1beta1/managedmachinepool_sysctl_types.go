package v1beta1

// SysctlConfig are kernel parameters of Linux nodes. Each has the value that AKS gives it when it is left out.
type SysctlConfig struct {
	// fsAioMaxNr is fs.aio-max-nr, how many asynchronous disk requests the machine may have open: 65536 to 6553500.
	// Example: 65536
	// +optional
	// +kubebuilder:validation:Minimum=65536
	// +kubebuilder:validation:Maximum=6553500
	FsAioMaxNr *int `json:"fsAioMaxNr,omitempty"`

	// fsFileMax is fs.file-max, how many files all processes together may have open: 8192 to 12000500.
	// Example: 8192
	// +optional
	// +kubebuilder:validation:Minimum=8192
	// +kubebuilder:validation:Maximum=12000500
	FsFileMax *int `json:"fsFileMax,omitempty"`

	// fsInotifyMaxUserWatches is fs.inotify.max_user_watches, how many files each user may watch: 781250 to 2097152.
	// Example: 781250
	// +optional
	// +kubebuilder:validation:Minimum=781250
	// +kubebuilder:validation:Maximum=2097152
	FsInotifyMaxUserWatches *int `json:"fsInotifyMaxUserWatches,omitempty"`

	// fsNrOpen is fs.nr_open, how many files one process may have open: 8192 to 20000500.
	// Example: 8192
	// +optional
	// +kubebuilder:validation:Minimum=8192
	// +kubebuilder:validation:Maximum=20000500
	FsNrOpen *int `json:"fsNrOpen,omitempty"`

	// kernelThreadsMax is kernel.threads-max, how many threads there may be: 20 to 513785.
	// Example: 20
	// +optional
	// +kubebuilder:validation:Minimum=20
	// +kubebuilder:validation:Maximum=513785
	KernelThreadsMax *int `json:"kernelThreadsMax,omitempty"`

	// netCoreNetdevMaxBacklog is net.core.netdev_max_backlog, how many received packets may queue when they come faster than
	// the kernel takes them: 1000 to 3240000.
	// Example: 1000
	// +optional
	// +kubebuilder:validation:Minimum=1000
	// +kubebuilder:validation:Maximum=3240000
	NetCoreNetdevMaxBacklog *int `json:"netCoreNetdevMaxBacklog,omitempty"`

	// netCoreOptmemMax is net.core.optmem_max, how many bytes a socket may use for its options: 20480 to 4194304.
	// Example: 20480
	// +optional
	// +kubebuilder:validation:Minimum=20480
	// +kubebuilder:validation:Maximum=4194304
	NetCoreOptmemMax *int `json:"netCoreOptmemMax,omitempty"`

	// netCoreRmemDefault is net.core.rmem_default, how many bytes the receive buffer of a socket has at first: 212992 to
	// 134217728.
	// Example: 212992
	// +optional
	// +kubebuilder:validation:Minimum=212992
	// +kubebuilder:validation:Maximum=134217728
	NetCoreRmemDefault *int `json:"netCoreRmemDefault,omitempty"`

	// netCoreRmemMax is net.core.rmem_max, how many bytes the receive buffer of a socket may have: 212992 to 134217728.
	// Example: 212992
	// +optional
	// +kubebuilder:validation:Minimum=212992
	// +kubebuilder:validation:Maximum=134217728
	NetCoreRmemMax *int `json:"netCoreRmemMax,omitempty"`

	// netCoreSomaxconn is net.core.somaxconn, how many connections may queue at a listening socket: 4096 to 3240000.
	// Example: 4096
	// +optional
	// +kubebuilder:validation:Minimum=4096
	// +kubebuilder:validation:Maximum=3240000
	NetCoreSomaxconn *int `json:"netCoreSomaxconn,omitempty"`

	// netCoreWmemDefault is net.core.wmem_default, how many bytes the send buffer of a socket has at first: 212992 to
	// 134217728.
	// Example: 212992
	// +optional
	// +kubebuilder:validation:Minimum=212992
	// +kubebuilder:validation:Maximum=134217728
	NetCoreWmemDefault *int `json:"netCoreWmemDefault,omitempty"`

	// netCoreWmemMax is net.core.wmem_max, how many bytes the send buffer of a socket may have: 212992 to 134217728.
	// Example: 212992
	// +optional
	// +kubebuilder:validation:Minimum=212992
	// +kubebuilder:validation:Maximum=134217728
	NetCoreWmemMax *int `json:"netCoreWmemMax,omitempty"`

	// netIpv4IPLocalPortRange is net.ipv4.ip_local_port_range, the local ports of outbound connections: the first, 1024 to 60999, a space,
	// and the last, 32768 to 65000.
	// Example: 32768 60999
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{1,9} [0-9]{1,9}$')",message="must be two numbers with a space between, such as 32768 60999"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[0-9]{1,9} [0-9]{1,9}$') || (int(self.split(' ')[0]) >= 1024 && int(self.split(' ')[0]) <= 60999)",message="the first port must be from 1024 to 60999"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[0-9]{1,9} [0-9]{1,9}$') || (int(self.split(' ')[1]) >= 32768 && int(self.split(' ')[1]) <= 65000)",message="the last port must be from 32768 to 65000"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[0-9]{1,9} [0-9]{1,9}$') || int(self.split(' ')[0]) <= int(self.split(' ')[1])",message="the first port must not be above the last"
	NetIpv4IPLocalPortRange *string `json:"netIpv4IPLocalPortRange,omitempty"`

	// netIpv4NeighDefaultGcThresh1 is net.ipv4.neigh.default.gc_thresh1, up to how many entries the ARP cache is never
	// cleaned: 128 to 80000.
	// Example: 128
	// +optional
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=80000
	NetIpv4NeighDefaultGcThresh1 *int `json:"netIpv4NeighDefaultGcThresh1,omitempty"`

	// netIpv4NeighDefaultGcThresh2 is net.ipv4.neigh.default.gc_thresh2, from how many entries the ARP cache is cleaned
	// after some seconds: 512 to 90000.
	// Example: 512
	// +optional
	// +kubebuilder:validation:Minimum=512
	// +kubebuilder:validation:Maximum=90000
	NetIpv4NeighDefaultGcThresh2 *int `json:"netIpv4NeighDefaultGcThresh2,omitempty"`

	// netIpv4NeighDefaultGcThresh3 is net.ipv4.neigh.default.gc_thresh3, how many entries the ARP cache may have: 1024 to
	// 100000.
	// Example: 1024
	// +optional
	// +kubebuilder:validation:Minimum=1024
	// +kubebuilder:validation:Maximum=100000
	NetIpv4NeighDefaultGcThresh3 *int `json:"netIpv4NeighDefaultGcThresh3,omitempty"`

	// netIpv4TCPFinTimeout is net.ipv4.tcp_fin_timeout, for how many seconds a connection that only one side has closed is
	// kept: 5 to 120.
	// Example: 5
	// +optional
	// +kubebuilder:validation:Minimum=5
	// +kubebuilder:validation:Maximum=120
	NetIpv4TCPFinTimeout *int `json:"netIpv4TCPFinTimeout,omitempty"`

	// netIpv4TCPKeepaliveProbes is net.ipv4.tcp_keepalive_probes, how many probes without an answer end a connection: 1 to
	// 15.
	// Example: 1
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=15
	NetIpv4TCPKeepaliveProbes *int `json:"netIpv4TCPKeepaliveProbes,omitempty"`

	// netIpv4TCPKeepaliveTime is net.ipv4.tcp_keepalive_time, after how many seconds without traffic a connection is probed:
	// 30 to 432000.
	// Example: 30
	// +optional
	// +kubebuilder:validation:Minimum=30
	// +kubebuilder:validation:Maximum=432000
	NetIpv4TCPKeepaliveTime *int `json:"netIpv4TCPKeepaliveTime,omitempty"`

	// netIpv4TCPMaxSynBacklog is net.ipv4.tcp_max_syn_backlog, how many connections may wait for the end of their handshake:
	// 128 to 3240000.
	// Example: 128
	// +optional
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=3240000
	NetIpv4TCPMaxSynBacklog *int `json:"netIpv4TCPMaxSynBacklog,omitempty"`

	// netIpv4TCPMaxTwBuckets is net.ipv4.tcp_max_tw_buckets, how many closed connections are remembered: 8000 to 1440000.
	// Example: 8000
	// +optional
	// +kubebuilder:validation:Minimum=8000
	// +kubebuilder:validation:Maximum=1440000
	NetIpv4TCPMaxTwBuckets *int `json:"netIpv4TCPMaxTwBuckets,omitempty"`

	// netIpv4TCPTwReuse is net.ipv4.tcp_tw_reuse: true lets new connections use ports of connections that were just closed.
	// Example: true
	// +optional
	NetIpv4TCPTwReuse *bool `json:"netIpv4TCPTwReuse,omitempty"`

	// netIpv4TCPkeepaliveIntvl is net.ipv4.tcp_keepalive_intvl, the seconds between two probes of a connection: 1 to 75.
	// Example: 1
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=75
	NetIpv4TCPkeepaliveIntvl *int `json:"netIpv4TCPkeepaliveIntvl,omitempty"`

	// netNetfilterNfConntrackBuckets is net.netfilter.nf_conntrack_buckets, the size of the hash table of tracked
	// connections: 65536 to 147456.
	// Example: 65536
	// +optional
	// +kubebuilder:validation:Minimum=65536
	// +kubebuilder:validation:Maximum=147456
	NetNetfilterNfConntrackBuckets *int `json:"netNetfilterNfConntrackBuckets,omitempty"`

	// netNetfilterNfConntrackMax is net.netfilter.nf_conntrack_max, how many connections may be tracked: 131072 to 1048576.
	// Example: 131072
	// +optional
	// +kubebuilder:validation:Minimum=131072
	// +kubebuilder:validation:Maximum=1048576
	NetNetfilterNfConntrackMax *int `json:"netNetfilterNfConntrackMax,omitempty"`

	// vmMaxMapCount is vm.max_map_count, how many areas of memory a process may map: 65530 to 262144.
	// Example: 65530
	// +optional
	// +kubebuilder:validation:Minimum=65530
	// +kubebuilder:validation:Maximum=262144
	VMMaxMapCount *int `json:"vmMaxMapCount,omitempty"`

	// vmSwappiness is vm.swappiness, how readily the kernel swaps, from 0, hardly ever: 0 to 100.
	// Example: 10
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	VMSwappiness *int `json:"vmSwappiness,omitempty"`

	// vmVfsCachePressure is vm.vfs_cache_pressure, how readily the kernel gives up cached directories and inodes; 100 is as
	// readily as other caches: 1 to 500.
	// Example: 1
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=500
	VMVfsCachePressure *int `json:"vmVfsCachePressure,omitempty"`
}
