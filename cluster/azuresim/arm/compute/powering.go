package compute

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

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// ProvisioningDeadline is how long Azure waits for a machine's agent (Azure documentation, "Provisioning timeouts": about 20 minutes for Linux).
const ProvisioningDeadline = 20 * time.Minute

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
func (c *Provider) machineReady(s *arm.Service, op *arm.Operation, r *arm.Resource) (bool, *arm.Error) {
	d := c.driver
	if d == nil {
		return true, nil
	}
	if op.Change == arm.Remove {
		_, known := d.machines[r.Key()]
		return !known, nil
	}
	if fields.Bool(r.Private, privateReimage) {
		return false, nil
	}
	if fields.Text(r.Private, privatePower) != powerRunning {
		return d.machines[r.Key()] == off, nil
	}
	switch current := d.states[r.Key()]; {
	case current.Phase == power.Provisioned && d.machines[r.Key()] != "" && d.machines[r.Key()] != off:
		return true, nil
	case current.Phase == power.Failed, s.Clock.Now().Sub(op.Started) > ProvisioningDeadline:
		return true, provisioningTimedOut(r, current.Message)
	}
	return false, nil
}

// extensionReady holds back CAPZ's extension that waits for the custom data of a new machine (extension CAPZ.Linux.Bootstrapping looks for
// Cluster API's file at the end of it), and fails it as Azure does.
func (c *Provider) extensionReady(s *arm.Service, op *arm.Operation, r *arm.Resource) (bool, *arm.Error) {
	machine := s.Store.Get(r.Identity().Parent)
	if machine == nil || op.Change != arm.Create {
		return true, nil
	}
	return c.bootstrapped(s, op, machine, r.Name, r.Properties())
}

// bootstrapped does that for an extension of a machine that is a resource of its own or one of a scale set's model.
func (c *Provider) bootstrapped(s *arm.Service, op *arm.Operation, machine *arm.Resource, name string, extension map[string]any) (bool, *arm.Error) {
	if c.driver == nil || !strings.HasSuffix(fields.Text(extension, "type"), ".Bootstrapping") {
		return true, nil
	}
	current := c.driver.states[machine.Key()]
	switch {
	case current.Bootstrapped || fields.Text(machine.Body, "properties", "storageProfile", "osDisk", "osType") == "Windows":
		return true, nil
	case current.CustomDataEnded, s.Clock.Now().Sub(op.Started) > ProvisioningDeadline:
		kind, publisher := fields.Text(extension, "type"), fields.Text(extension, "publisher")
		return true, &arm.Error{Status: http.StatusConflict, Code: "VMExtensionProvisioningError", Message: fmt.Sprintf(
			"VM has reported a failure when processing extension '%s' (publisher '%s' and type '%s'). Error message: 'Enable failed: failed to execute command: command terminated with exit status=1 %s'.", name, publisher, kind, current.Message)}
	}
	return false, nil
}

func provisioningTimedOut(r *arm.Resource, why string) *arm.Error {
	message := fmt.Sprintf("OS Provisioning for VM '%s' did not finish in the allotted time. The VM may still finish provisioning successfully. Please check provisioning state later. Also, make sure the image has been properly prepared (generalized).", r.Name)
	if why != "" {
		message += " " + why
	}
	return &arm.Error{Status: http.StatusConflict, Code: "OSProvisioningTimedOut", Message: message}
}

// off is what stands for a machine that is powered off in what the host has been told.
const off = "off"

// task is one thing that the host is to do.
type task struct {
	do   func(ctx context.Context, host power.Host) error
	done func() error
}

// Drive has the host do what is missing; it does nothing without a host. It is to be called again and again, by one caller at a time.
func (c *Provider) Drive(ctx context.Context, s *arm.Service) error {
	if c.driver == nil {
		return nil
	}
	s.Lock()
	tasks, err := c.tasks(s)
	s.Unlock()
	errs := []error{err}
	for _, t := range tasks {
		if err := t.do(ctx, c.driver.host); err != nil {
			errs = append(errs, err)
			continue
		}
		s.Lock()
		errs = append(errs, t.done())
		s.Unlock()
	}
	return errors.Join(errs...)
}

// tasks returns what the host has to do now. Networks come before the machines in them.
func (c *Provider) tasks(s *arm.Service) ([]task, error) {
	var tasks []task
	for _, make := range []func(*arm.Service) ([]task, error){c.balancerTasks, c.nameTasks, c.machineTasks} {
		more, err := make(s)
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

func (c *Provider) machineTasks(s *arm.Service) ([]task, error) {
	d := c.driver
	var tasks []task
	for key := range d.machines {
		if r := s.Store.Get(key); r == nil || r.ProvisioningState() == arm.StateDeleting {
			tasks = append(tasks, c.deleteTask(key))
		}
	}
	for _, r := range s.Store.All() {
		if !isMachine(r) || r.ProvisioningState() == arm.StateDeleting {
			continue
		}
		t, err := c.machineTask(s, r)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t...)
	}
	return tasks, nil
}

func (c *Provider) deleteTask(key string) task {
	d := c.driver
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
func (c *Provider) machineTask(s *arm.Service, r *arm.Resource) ([]task, error) {
	d, key, path := c.driver, r.Key(), r.ID
	told, known := d.machines[key]
	if fields.Bool(r.Private, privateReimage) {
		return []task{{
			do:   func(ctx context.Context, host power.Host) error { return host.Delete(ctx, path) },
			done: func() error { d.machines[key], d.states[key] = "", power.State{}; return forgetReimage(s, path) },
		}}, nil
	}
	if fields.Text(r.Private, privatePower) != powerRunning {
		if !known || told == off {
			return nil, nil
		}
		return []task{{
			do:   func(ctx context.Context, host power.Host) error { return host.Stop(ctx, path) },
			done: func() error { d.machines[key], d.states[key] = off, power.State{Phase: power.Off}; return nil },
		}}, nil
	}
	machine := hostMachine(s, r)
	lasting := machine
	lasting.CustomData = nil // It runs at the first start only, and is forgotten when the machine has come up.
	wanted, err := digest(lasting)
	if err != nil {
		return nil, err
	}
	if told != wanted {
		return []task{{
			do:   func(ctx context.Context, host power.Host) error { return host.Start(ctx, machine) },
			done: func() error { return c.noteStarted(key, path, wanted) },
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
			switch seen.Phase {
			case power.Off:
				d.machines[key] = "" // The host has lost it, as by a restart: Azure starts such a machine again.
			case power.Provisioned:
				return forgetCustomData(s, path)
			}
			return nil
		},
	}}, nil
}

// noteStarted writes down that the host has the machine.
func (c *Provider) noteStarted(key, path, wanted string) error {
	d := c.driver
	d.machines[key], d.ids[key] = wanted, path
	return d.journal.Put(hostMachinePrefix+key, path)
}

// forgetCustomData forgets the custom data of a machine that has come up, and so has taken it. Until then a host may fail, and the machine
// begins again on another.
func forgetCustomData(s *arm.Service, path string) error {
	r := s.Store.Get(path)
	if r == nil || fields.Text(r.Private, PrivateCustomData) == "" {
		return nil
	}
	delete(r.Private, PrivateCustomData)
	return s.Store.Put(r)
}

// hostMachine is a virtual machine as the host is to run it.
func hostMachine(s *arm.Service, r *arm.Resource) power.Machine {
	id, properties := r.Identity(), r.Properties()
	size, _ := sizeOf(r)
	image, _ := fields.At(properties, "storageProfile", "imageReference").(map[string]any)
	m := power.Machine{
		ID: r.ID, Name: r.Name, ComputerName: fields.Text(properties, "osProfile", "computerName"), OS: fields.Text(properties, "storageProfile", "osDisk", "osType"),
		Size: size.name, CPUs: size.cpus, MemoryMiB: int(size.memoryGiB * 1024), Location: arm.NormalLocation(r.Location()), ResourceGroup: id.ResourceGroup,
		SubscriptionID: id.Subscription, ImageID: imageName(image), CustomData: customDataOf(r), Tags: map[string]string{},
	}
	if zones := fields.Texts(r.Body, "zones"); len(zones) > 0 {
		m.Zone = zones[0]
	}
	for name := range fields.Child(fields.Clone(r.Body), "tags") {
		m.Tags[name] = fields.Text(r.Body, "tags", name)
	}
	for _, disk := range fields.Objects(properties, "storageProfile", "dataDisks") {
		lun, _ := fields.Number(disk, "lun")
		gib, _ := fields.Number(disk, "diskSizeGB")
		m.DataDisks = append(m.DataDisks, power.Disk{LUN: int(lun), Name: fields.Text(disk, "name"), SizeGiB: int(gib)})
	}
	addNICs(s, r, &m)
	return m
}

// addNICs adds the network interfaces of a machine, the primary one first.
func addNICs(s *arm.Service, r *arm.Resource, m *power.Machine) {
	for _, attached := range fields.Objects(r.Body, "properties", "networkProfile", "networkInterfaces") {
		nic := s.Store.Get(fields.Text(attached, "id"))
		if nic == nil {
			continue
		}
		for _, configuration := range fields.Objects(nic.Body, "properties", networking.ListConfigurations) {
			if !fields.Bool(configuration, "properties", "primary") {
				continue
			}
			subnet := s.Store.Get(fields.Text(configuration, "properties", "subnet", "id"))
			one := power.NIC{Name: nic.Name, IP: fields.Text(configuration, "properties", "privateIPAddress"), MAC: networking.HardwareAddress(nic.ID)}
			if subnet != nil && len(networking.PrefixesOf(subnet.Body)) > 0 {
				one.Subnet = networking.PrefixesOf(subnet.Body)[0].String()
			}
			if networking.IsPrimary(r, nic.ID) {
				m.NICs, m.VirtualNetwork = append([]power.NIC{one}, m.NICs...), networking.NetworkOf(nic)
			} else {
				m.NICs = append(m.NICs, one)
			}
		}
	}
}
