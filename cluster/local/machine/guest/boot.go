// Package guest is what runs in a simulated virtual machine: PID 1 of it, with the machine's own root, the first start's user data, a
// container runtime, the kubelet's supervisor, and stand-ins for commands that a systemd would serve.
package guest

import (
	"encoding/json"
	"fmt"
	"os"
)

// Name is the argument by which a program knows that it is PID 1 of a machine.
const Name = "machine-init"

// Bootstrapped is the file by which Cluster API's user data says that kubeadm has succeeded. It does not outlast a restart.
const Bootstrapped = "/run/cluster-api/bootstrap-success.complete"

// Boot is what a machine is started with. It holds secrets: it goes through a pipe.
type Boot struct {
	// Disk is the folder that becomes the machine's root. It keeps what the machine writes, as an OS disk does.
	Disk string
	// Hostname is the machine's name, IP its primary address.
	Hostname, IP string
	// Resolver answers its questions for names.
	Resolver string
	// Kubernetes is the binary that is kubeadm, kubelet, etcd and the rest by the name that it is called by; Program is this one.
	Kubernetes, Program string
	// Version is the Kubernetes version that its image has, such as v1.36.3.
	Version string
	// CPUs and MemoryMiB are what the node shows as its capacity.
	CPUs, MemoryMiB int
	// LUNs of the data disks that are attached.
	LUNs []int
	// UserData is what cloud-init or ignition reads at the first start.
	UserData []byte
}

// Report is what a machine tells its host, one JSON object after another.
type Report struct {
	// Provisioned says that the operating system is up.
	Provisioned bool `json:"provisioned,omitempty"`
	// Ended says that the user data has been carried out, or cannot be.
	Ended bool `json:"ended,omitempty"`
	// Message says what failed, without anything of the user data.
	Message string `json:"message,omitempty"`
}

// The files of a machine's PID 1, beyond the three of every process: the host gives it Boot by the first and takes Reports by the second.
const (
	bootFile   = 3
	reportFile = 4
)

// Main is PID 1 of a machine. It returns only with an error: one that keeps the machine from coming up.
func Main() error {
	in := os.NewFile(bootFile, "boot")
	var boot Boot
	err := json.NewDecoder(in).Decode(&boot)
	_ = in.Close() // It is read.
	if err != nil {
		return fmt.Errorf("what to boot: %w", err)
	}
	out := os.NewFile(reportFile, "reports")
	encoder := json.NewEncoder(out)
	report := func(r Report) { _ = encoder.Encode(r) } // A host that does not listen ends the machine.
	if err := run(boot, report); err != nil {
		report(Report{Message: err.Error()})
		return err
	}
	return nil
}

func run(boot Boot, report func(Report)) error {
	if err := enter(boot); err != nil {
		return fmt.Errorf("root of the machine: %w", err)
	}
	first, err := writeSystemFiles(boot)
	if err != nil {
		return fmt.Errorf("files of the system: %w", err)
	}
	children := &children{}
	go children.reap()
	if err := serveRuntime(boot, children); err != nil {
		return fmt.Errorf("container runtime: %w", err)
	}
	kubelet := newKubelet(boot, children)
	go kubelet.supervise()
	if err := serveUnits(kubelet); err != nil {
		return fmt.Errorf("systemctl: %w", err)
	}
	report(Report{Provisioned: true})
	if first {
		err = carryOut(boot, children)
	}
	ended := Report{Ended: true}
	if err != nil {
		ended.Message = err.Error()
	} else if _, missing := os.Stat(Bootstrapped); missing != nil && first && len(boot.UserData) > 0 {
		ended.Message = "the user data has been carried out, and there is no " + Bootstrapped
	}
	report(ended)
	select {}
}
