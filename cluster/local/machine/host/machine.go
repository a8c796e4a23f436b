package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/guest"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/network"
)

// machine is one virtual machine, on or off.
type machine struct {
	host *Host
	dir  string

	// switching is held while it is switched on or off.
	switching sync.Mutex

	mu      sync.Mutex
	spec    power.Machine
	process *os.Process
	done    chan struct{}
	reports guest.Report
	// fault is why it cannot be on.
	fault string
	// gone says that it has been deleted while somebody waited to switch it on.
	gone bool
}

// folder is the name of a machine's folder: what people read, and what no other has.
func folder(id string) string {
	parts := strings.Split(key(id), "/")
	sum := sha256.Sum256([]byte(key(id)))
	return safe.ReplaceAllString(parts[len(parts)-1], "-") + "-" + hex.EncodeToString(sum[:4])
}

var safe = regexp.MustCompile(`[^a-z0-9-]+`)

// current returns what the machine is, without its custom data.
func (m *machine) current() power.Machine {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spec
}

func (m *machine) running() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.process != nil
}

// start switches the machine on. One that is on takes what can change then.
func (m *machine) start(spec power.Machine) error {
	m.switching.Lock()
	defer m.switching.Unlock()
	userData := spec.CustomData
	spec.CustomData = nil
	m.mu.Lock()
	gone := m.gone
	m.spec, m.fault = spec, ""
	m.mu.Unlock()
	if gone {
		return fmt.Errorf("machine %s has just been deleted", spec.Name)
	}
	if m.running() {
		return m.attach(luns(spec.DataDisks))
	}
	version, err := kubernetesVersion(spec.ImageID)
	if err != nil {
		m.fail(err)
		return nil // The machine exists, and tells why it is not up.
	}
	if !strings.EqualFold(spec.OS, "Linux") {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.reports = guest.Report{Provisioned: true, Message: spec.OS + ": nothing of what runs in it is simulated"}
		return nil
	}
	return m.boot(spec, guest.Boot{
		Disk: filepath.Join(m.dir, "disk"), Hostname: spec.ComputerName, IP: spec.NICs[0].IP, Resolver: network.Resolver,
		Kubernetes: m.host.kubernetes, Program: m.host.program, Version: version,
		CPUs: spec.CPUs, MemoryMiB: spec.MemoryMiB, LUNs: luns(spec.DataDisks), UserData: userData,
	})
}

func luns(disks []power.Disk) []int {
	var all []int
	for _, d := range disks {
		all = append(all, d.LUN)
	}
	return all
}

// attach has a machine that runs see these data disks and no others.
func (m *machine) attach(luns []int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == nil || !m.reports.Provisioned {
		return nil // follow does it when the machine is up.
	}
	return guest.ShowDisks(m.root(), luns)
}

// root is where this process sees the root of the machine, which runs.
func (m *machine) root() string { return fmt.Sprintf("/proc/%d/root", m.process.Pid) }

func (m *machine) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = err.Error()
}

// boot starts PID 1 of the machine where its network is.
func (m *machine) boot(spec power.Machine, boot guest.Boot) error {
	if err := os.MkdirAll(boot.Disk, 0o755); err != nil {
		return err
	}
	m.host.mu.Lock()
	n, err := m.host.network(spec.VirtualNetwork)
	m.host.mu.Unlock()
	if err != nil {
		return err
	}
	var interfaces []network.Interface
	for _, nic := range spec.NICs {
		interfaces = append(interfaces, network.Interface{IP: nic.IP, MAC: nic.MAC})
	}
	port, err := n.Connect(interfaces)
	if err != nil {
		return fmt.Errorf("machine %s: %w", spec.Name, err)
	}
	if err := m.launch(port, boot); err != nil {
		port.Close()
		return fmt.Errorf("machine %s: %w", spec.Name, err)
	}
	fmt.Fprintf(m.host.log, "machine %s: on, address %s, Kubernetes %s, folder %s\n", spec.Name, boot.IP, boot.Version, m.dir)
	return nil
}

func (m *machine) launch(port *network.Port, boot guest.Boot) error {
	console, err := os.OpenFile(filepath.Join(m.dir, "console.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer console.Close()
	bootOut, bootIn, err := os.Pipe()
	if err != nil {
		return err
	}
	defer bootIn.Close()
	defer bootOut.Close()
	reportOut, reportIn, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reportIn.Close()
	cmd := exec.Command(m.host.program, guest.Name)
	cmd.Env = []string{}
	cmd.Stdout, cmd.Stderr = console, console
	cmd.ExtraFiles = []*os.File{bootOut, reportIn}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC, Setsid: true,
	}
	if err := port.Start(cmd); err != nil {
		_ = reportOut.Close() // Nobody writes to it.
		return err
	}
	m.mu.Lock()
	m.process, m.reports, m.done = cmd.Process, guest.Report{}, make(chan struct{})
	m.mu.Unlock()
	go m.follow(cmd, port, reportOut)
	// A machine that does not read it has ended, and its console says why.
	_ = json.NewEncoder(bootIn).Encode(boot)
	return nil
}

// follow notes what the machine reports, until it ends.
func (m *machine) follow(cmd *exec.Cmd, port *network.Port, reports *os.File) {
	defer reports.Close()
	decoder := json.NewDecoder(reports)
	for {
		var r guest.Report
		if decoder.Decode(&r) != nil {
			break
		}
		m.mu.Lock()
		if r.Provisioned {
			m.reports.Provisioned = true
			// Disks may have been attached since it was switched on.
			_ = guest.ShowDisks(m.root(), luns(m.spec.DataDisks)) // It has ended otherwise.
		}
		m.reports.Ended = m.reports.Ended || r.Ended
		if r.Message != "" {
			m.reports.Message = r.Message
		}
		m.mu.Unlock()
	}
	err := cmd.Wait()
	port.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.process = nil
	close(m.done)
	fmt.Fprintf(m.host.log, "machine %s: off (%v)\n", m.spec.Name, err)
	if err != nil && m.fault == "" && !m.reports.Provisioned && m.reports.Message != "" {
		m.fault = m.reports.Message
	}
}

// stop switches the machine off, at once, as by its power switch.
func (m *machine) stop() {
	m.switching.Lock()
	defer m.switching.Unlock()
	m.kill()
}

// kill ends the machine and returns when all of it has ended. What it was told is forgotten: one that is off has no fault.
func (m *machine) kill() {
	m.mu.Lock()
	process, done := m.process, m.done
	m.mu.Unlock()
	if process != nil {
		_ = process.Kill() // It may have ended.
		<-done
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault, m.reports = "", guest.Report{}
	m.spec.NICs = nil
}

func (m *machine) remove() error {
	m.switching.Lock()
	defer m.switching.Unlock()
	m.kill()
	m.mu.Lock()
	m.gone = true
	m.mu.Unlock()
	return os.RemoveAll(m.dir)
}

// state returns how far the machine is.
func (m *machine) state() power.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.fault != "":
		return power.State{Phase: power.Failed, Message: m.fault}
	case m.process == nil && !m.reports.Provisioned:
		return power.State{Phase: power.Off}
	case !m.reports.Provisioned:
		return power.State{Phase: power.Booting}
	}
	s := power.State{Phase: power.Provisioned, Message: m.reports.Message, CustomDataEnded: m.reports.Ended}
	if m.process != nil {
		_, err := os.Stat(m.root() + guest.Bootstrapped)
		s.Bootstrapped = err == nil
	}
	return s
}

// DefaultVersion is the Kubernetes version of images that name none.
const DefaultVersion = "v1.36.3"

var imageVersion = regexp.MustCompile(`(?:^|[/:])v?(\d+\.\d+\.\d+)$`)

// minors are the minor versions of Kubernetes that machines can have: those that the API server of the one code that they all run can stand for.
var minors = []string{"1.33", "1.34", "1.35", "1.36"}

// kubernetesVersion returns the version that an image is told to have by the last part of its identifier, as the images that Cluster API's
// projects publish. Versions of marketplace images count otherwise: those are below 1 or above it.
func kubernetesVersion(image string) (string, error) {
	match := imageVersion.FindStringSubmatch(image)
	if match == nil || !strings.HasPrefix(match[1], "1.") {
		return DefaultVersion, nil
	}
	minor := match[1][:strings.LastIndexByte(match[1], '.')]
	if !slices.Contains(minors, minor) {
		return "", errors.New("image " + image + " has Kubernetes " + match[1] + "; simulated machines have " + strings.Join(minors, " or "))
	}
	return "v" + match[1], nil
}
