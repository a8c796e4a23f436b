package arm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// provisioningDeadline is how long Azure waits for a machine's agent (Azure documentation, "Provisioning timeouts": about 20 minutes for Linux).
const provisioningDeadline = 20 * time.Minute

const (
	hostMachinePrefix  = "arm/host/machines/"
	hostBalancerPrefix = "arm/host/balancers/"
)

// driver has a host run what the store says. It compares what is wanted with what it has applied, so that it goes on where a simulator that was
// killed stopped.
type driver struct {
	host    power.Host
	journal *state.Journal
	// machines and balancers are what the host has been told, by identifier in lower case: a digest, or empty if that is not known any more.
	machines, balancers map[string]string
	// ids are the identifiers of the machines and the load balancers as they were spelled, by those in lower case.
	ids map[string]string
	// names are digests by virtual network.
	names map[string]string
	// states are how far the machines are.
	states map[string]power.State
}

func loadDriver(host power.Host, journal *state.Journal) (*driver, error) {
	d := &driver{host: host, journal: journal, machines: map[string]string{}, balancers: map[string]string{}, ids: map[string]string{}, names: map[string]string{}, states: map[string]power.State{}}
	for prefix, known := range map[string]map[string]string{hostMachinePrefix: d.machines, hostBalancerPrefix: d.balancers} {
		err := journal.Each(prefix, func(key string, raw json.RawMessage) error {
			var id string
			if err := json.Unmarshal(raw, &id); err != nil {
				return fmt.Errorf("decode %s: %w", key, err)
			}
			key = strings.TrimPrefix(key, prefix)
			known[key], d.ids[key] = "", id
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// machineReady holds the operations of a machine back until the host has done its part.
func machineReady(s *Service, op *Operation, r *Resource) (bool, *Error) {
	d := s.driver
	if d == nil {
		return true, nil
	}
	if op.Change == remove {
		_, known := d.machines[r.key()]
		return !known, nil
	}
	if text(r.Private, privatePower) != powerRunning {
		return d.machines[r.key()] == off, nil
	}
	switch current := d.states[r.key()]; {
	case current.Phase == power.Provisioned && d.machines[r.key()] != "" && d.machines[r.key()] != off:
		return true, nil
	case current.Phase == power.Failed, s.clock.Now().Sub(op.Started) > provisioningDeadline:
		return true, provisioningTimedOut(r, current.Message)
	}
	return false, nil
}

// extensionReady holds back CAPZ's extension that waits for the custom data of a new machine (extension CAPZ.Linux.Bootstrapping looks for
// Cluster API's file at the end of it), and fails it as Azure does.
func extensionReady(s *Service, op *Operation, r *Resource) (bool, *Error) {
	machine := s.store.get(r.id().Parent)
	if s.driver == nil || machine == nil || op.Change != create || !strings.HasSuffix(text(r.Body, "properties", "type"), ".Bootstrapping") {
		return true, nil
	}
	current := s.driver.states[machine.key()]
	switch {
	case current.Bootstrapped || text(machine.Body, "properties", "storageProfile", "osDisk", "osType") == "Windows":
		return true, nil
	case current.CustomDataEnded, s.clock.Now().Sub(op.Started) > provisioningDeadline:
		kind, publisher := text(r.Body, "properties", "type"), text(r.Body, "properties", "publisher")
		return true, &Error{Status: http.StatusConflict, Code: "VMExtensionProvisioningError", Message: fmt.Sprintf(
			"VM has reported a failure when processing extension '%s' (publisher '%s' and type '%s'). Error message: 'Enable failed: failed to execute command: command terminated with exit status=1 %s'.", r.Name, publisher, kind, current.Message)}
	}
	return false, nil
}

func provisioningTimedOut(r *Resource, why string) *Error {
	message := fmt.Sprintf("OS Provisioning for VM '%s' did not finish in the allotted time. The VM may still finish provisioning successfully. Please check provisioning state later. Also, make sure the image has been properly prepared (generalized).", r.Name)
	if why != "" {
		message += " " + why
	}
	return &Error{Status: http.StatusConflict, Code: "OSProvisioningTimedOut", Message: message}
}

// off is what stands for a machine that is powered off in what the host has been told.
const off = "off"

// task is one thing that the host is to do.
type task struct {
	do   func(ctx context.Context, host power.Host) error
	done func() error
}

// Drive has the host do what is missing; it does nothing without a host. It is to be called again and again, by one caller at a time.
func (s *Service) Drive(ctx context.Context) error {
	if s.driver == nil {
		return nil
	}
	s.mu.Lock()
	tasks, err := s.tasks()
	s.mu.Unlock()
	errs := []error{err}
	for _, t := range tasks {
		if err := t.do(ctx, s.driver.host); err != nil {
			errs = append(errs, err)
			continue
		}
		s.mu.Lock()
		errs = append(errs, t.done())
		s.mu.Unlock()
	}
	return errors.Join(errs...)
}

// tasks returns what the host has to do now. Networks come before the machines in them.
func (s *Service) tasks() ([]task, error) {
	var tasks []task
	for _, make := range []func() ([]task, error){s.balancerTasks, s.nameTasks, s.machineTasks} {
		more, err := make()
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, more...)
	}
	return tasks, nil
}

func digest(value any) (string, error) {
	raw, err := json.Marshal(value)
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), err
}

func (s *Service) machineTasks() ([]task, error) {
	d := s.driver
	var tasks []task
	for key := range d.machines {
		if r := s.store.get(key); r == nil || r.provisioningState() == stateDeleting {
			tasks = append(tasks, s.deleteTask(key))
		}
	}
	for _, r := range s.store.all() {
		if r.Type != TypeVirtualMachine || r.provisioningState() == stateDeleting {
			continue
		}
		t, err := s.machineTask(r)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t...)
	}
	return tasks, nil
}

func (s *Service) deleteTask(key string) task {
	d := s.driver
	id := d.ids[key]
	return task{
		do: func(ctx context.Context, host power.Host) error { return host.Delete(ctx, id) },
		done: func() error {
			delete(d.machines, key)
			delete(d.ids, key)
			delete(d.states, key)
			return d.journal.Delete(hostMachinePrefix + key)
		},
	}
}

// machineTask starts or stops a machine whose host does not know yet that it is to, and asks how far one is that runs.
func (s *Service) machineTask(r *Resource) ([]task, error) {
	d, key, path := s.driver, r.key(), r.ID
	told, known := d.machines[key]
	if text(r.Private, privatePower) != powerRunning {
		if !known || told == off {
			return nil, nil
		}
		return []task{{
			do:   func(ctx context.Context, host power.Host) error { return host.Stop(ctx, path) },
			done: func() error { d.machines[key], d.states[key] = off, power.State{Phase: power.Off}; return nil },
		}}, nil
	}
	machine := s.hostMachine(r)
	lasting := machine
	lasting.CustomData = nil // It runs at the first start only, and is forgotten after that.
	wanted, err := digest(lasting)
	if err != nil {
		return nil, err
	}
	if told != wanted {
		return []task{{
			do:   func(ctx context.Context, host power.Host) error { return host.Start(ctx, machine) },
			done: func() error { return s.noteStarted(key, path, wanted) },
		}}, nil
	}
	var seen power.State
	return []task{{
		do: func(ctx context.Context, host power.Host) error {
			var err error
			seen, err = host.State(ctx, path)
			return err
		},
		done: func() error {
			d.states[key] = seen
			if seen.Phase == power.Off {
				d.machines[key] = "" // The host has lost it, as by a restart: Azure starts such a machine again.
			}
			return nil
		},
	}}, nil
}

// noteStarted writes down that the host has the machine, and forgets its custom data, which is not needed any more.
func (s *Service) noteStarted(key, path, wanted string) error {
	d := s.driver
	d.machines[key], d.ids[key] = wanted, path
	if err := d.journal.Put(hostMachinePrefix+key, path); err != nil {
		return err
	}
	r := s.store.get(path)
	if r == nil || text(r.Private, privateCustomData) == "" {
		return nil
	}
	delete(r.Private, privateCustomData)
	return s.store.put(r)
}

// hostMachine is a virtual machine as the host is to run it.
func (s *Service) hostMachine(r *Resource) power.Machine {
	id, properties := r.id(), r.properties()
	size, _ := sizeNamed(text(properties, "hardwareProfile", "vmSize"))
	image, _ := at(properties, "storageProfile", "imageReference").(map[string]any)
	m := power.Machine{
		ID: r.ID, Name: r.Name, ComputerName: text(properties, "osProfile", "computerName"), OS: text(properties, "storageProfile", "osDisk", "osType"),
		Size: size.name, CPUs: size.cpus, MemoryMiB: int(size.memoryGiB * 1024), Location: normalLocation(r.location()), ResourceGroup: id.ResourceGroup,
		SubscriptionID: id.Subscription, ImageID: imageName(image), CustomData: customDataOf(r), Tags: map[string]string{},
	}
	if zones := texts(r.Body, "zones"); len(zones) > 0 {
		m.Zone = zones[0]
	}
	for name := range child(clone(r.Body), "tags") {
		m.Tags[name] = text(r.Body, "tags", name)
	}
	for _, disk := range objects(properties, "storageProfile", "dataDisks") {
		lun, _ := number(disk, "lun")
		gib, _ := number(disk, "diskSizeGB")
		m.DataDisks = append(m.DataDisks, power.Disk{LUN: int(lun), Name: text(disk, "name"), SizeGiB: int(gib)})
	}
	s.addNICs(r, &m)
	return m
}

// addNICs adds the network interfaces of a machine, the primary one first.
func (s *Service) addNICs(r *Resource, m *power.Machine) {
	for _, attached := range objects(r.Body, "properties", "networkProfile", "networkInterfaces") {
		nic := s.store.get(text(attached, "id"))
		if nic == nil {
			continue
		}
		for _, configuration := range objects(nic.Body, "properties", listConfigurations) {
			if !boolean(configuration, "properties", "primary") {
				continue
			}
			subnet := s.store.get(text(configuration, "properties", "subnet", "id"))
			one := power.NIC{Name: nic.Name, IP: text(configuration, "properties", "privateIPAddress"), MAC: hardwareAddress(nic.ID)}
			if subnet != nil && len(prefixesOf(subnet.Body)) > 0 {
				one.Subnet = prefixesOf(subnet.Body)[0].String()
			}
			if isPrimary(r, nic.ID) {
				m.NICs, m.VirtualNetwork = append([]power.NIC{one}, m.NICs...), networkOf(nic)
			} else {
				m.NICs = append(m.NICs, one)
			}
		}
	}
}
