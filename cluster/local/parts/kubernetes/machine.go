package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	cadvisorapi "github.com/google/cadvisor/info/v1"
	cadvisorapiv2 "github.com/google/cadvisor/info/v2"
	cadvisortesting "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
)

// machine measures a simulated machine: variables MACHINE_CPUS and MACHINE_MEMORY_MIB say what its size has. What is used of it is nothing.
type machine struct{ cadvisortesting.Fake }

// diskSize is that of an OS disk, of which all is free.
const diskSize = 128 << 30

func fromEnv(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// MachineInfo implements cadvisor.Interface.
func (*machine) MachineInfo() (*cadvisorapi.MachineInfo, error) {
	id, _ := os.ReadFile("/etc/machine-id") // A node may have none.
	return &cadvisorapi.MachineInfo{
		Timestamp: time.Now(), NumCores: fromEnv("MACHINE_CPUS", 2), NumPhysicalCores: fromEnv("MACHINE_CPUS", 2), NumSockets: 1,
		MemoryCapacity: uint64(fromEnv("MACHINE_MEMORY_MIB", 8192)) << 20,
		MachineID:      strings.TrimSpace(string(id)), SystemUUID: strings.TrimSpace(string(id)), BootID: strings.TrimSpace(string(id)),
	}, nil
}

// VersionInfo implements cadvisor.Interface.
func (*machine) VersionInfo() (*cadvisorapi.VersionInfo, error) {
	info := &cadvisorapi.VersionInfo{ContainerOsVersion: "Linux"}
	var uts syscall.Utsname
	if err := syscall.Uname(&uts); err != nil {
		return nil, err
	}
	var release []byte
	for _, c := range uts.Release {
		if c == 0 {
			break
		}
		release = append(release, byte(c))
	}
	info.KernelVersion = string(release)
	raw, _ := os.ReadFile("/etc/os-release") // As above.
	for _, line := range strings.Split(string(raw), "\n") {
		if name, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			info.ContainerOsVersion = strings.Trim(name, `"`)
		}
	}
	return info, nil
}

// ContainerInfoV2 implements cadvisor.Interface. The eviction signals ask for the root.
func (*machine) ContainerInfoV2(name string, _ cadvisorapiv2.RequestOptions) (map[string]cadvisorapiv2.ContainerInfo, error) {
	return map[string]cadvisorapiv2.ContainerInfo{name: {
		Spec: cadvisorapiv2.ContainerSpec{HasCpu: true, HasMemory: true, Memory: cadvisorapiv2.MemorySpec{Limit: uint64(fromEnv("MACHINE_MEMORY_MIB", 8192)) << 20}},
		Stats: []*cadvisorapiv2.ContainerStats{{
			Timestamp: time.Now(), Cpu: &cadvisorapi.CpuStats{}, CpuInst: &cadvisorapiv2.CpuInstStats{}, Memory: &cadvisorapi.MemoryStats{},
		}},
	}}, nil
}

func disk() (cadvisorapiv2.FsInfo, error) {
	inodes := uint64(1 << 20)
	return cadvisorapiv2.FsInfo{
		Timestamp: time.Now(), Device: "/dev/sda1", Mountpoint: "/", Capacity: diskSize, Available: diskSize, Inodes: &inodes, InodesFree: &inodes,
	}, nil
}

// ImagesFsInfo implements cadvisor.Interface.
func (*machine) ImagesFsInfo(context.Context) (cadvisorapiv2.FsInfo, error) { return disk() }

// RootFsInfo implements cadvisor.Interface.
func (*machine) RootFsInfo() (cadvisorapiv2.FsInfo, error) { return disk() }

// ContainerFsInfo implements cadvisor.Interface.
func (*machine) ContainerFsInfo(context.Context) (cadvisorapiv2.FsInfo, error) { return disk() }

// GetDirFsInfo implements cadvisor.Interface.
func (*machine) GetDirFsInfo(string) (cadvisorapiv2.FsInfo, error) { return disk() }
