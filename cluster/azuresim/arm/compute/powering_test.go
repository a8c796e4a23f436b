package compute_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/compute"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// recordedHost notes what it is asked for, and has machines in the state that a test sets.
type recordedHost struct {
	machines  map[string]power.Machine
	balancers map[string]power.LoadBalancer
	names     map[string]map[string]string
	state     power.State
	starts    int
	err       error
}

func newRecordedHost() *recordedHost {
	return &recordedHost{machines: map[string]power.Machine{}, balancers: map[string]power.LoadBalancer{}, names: map[string]map[string]string{}, state: power.State{Phase: power.Booting}}
}

func (h *recordedHost) Start(_ context.Context, m power.Machine) error {
	h.starts++
	if h.err == nil {
		h.machines[m.ID] = m
	}
	return h.err
}

func (h *recordedHost) Stop(_ context.Context, id string) error {
	delete(h.machines, id)
	return h.err
}

func (h *recordedHost) Delete(_ context.Context, id string) error {
	delete(h.machines, id)
	return h.err
}

func (h *recordedHost) State(_ context.Context, id string) (power.State, error) {
	if _, ok := h.machines[id]; !ok {
		return power.State{Phase: power.Off}, nil
	}
	return h.state, nil
}

func (h *recordedHost) SetLoadBalancer(_ context.Context, b power.LoadBalancer) error {
	h.balancers[b.ID] = b
	return nil
}

func (h *recordedHost) DeleteLoadBalancer(_ context.Context, id string) error {
	delete(h.balancers, id)
	return nil
}

func (h *recordedHost) SetNames(_ context.Context, network string, names map[string]string) error {
	h.names[network] = names
	return nil
}

func (h *recordedHost) Dial(context.Context, string) (net.Conn, error) {
	return nil, errors.New("not dialed")
}

// hosted is a fixture whose machines a host runs.
func hosted(t *testing.T, journal *state.Journal, host power.Host) *armtest.Fixture {
	t.Helper()
	return armtest.Restore(t, journal, host, armtest.New(t).Clock)
}

func drive(f *armtest.Fixture) {
	f.T.Helper()
	// Once to have it done, once more to see how it is.
	for range 2 {
		if err := f.Machines.Drive(context.Background(), f.Service); err != nil {
			f.T.Fatal(err)
		}
	}
}

// TestHost follows a machine from its PUT to its deletion, over a restart of the simulator.
func TestHost(t *testing.T) {
	journal, host := state.InMemory(), newRecordedHost()
	f := hosted(t, journal, host)
	for _, r := range armtest.Running {
		f.Make(r)
	}
	drive(f)
	m := host.machines[armtest.Machine]
	want := power.Machine{
		ID: armtest.Machine, Name: "vm", ComputerName: "vm", OS: "Linux", Size: "Standard_D2s_v3", CPUs: 2, MemoryMiB: 8192, Location: "eastus", Zone: "1",
		ResourceGroup: "rg", SubscriptionID: "s", ImageID: "/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3", CustomData: []byte(armtest.Bootstrap),
		VirtualNetwork: armtest.Network, NICs: []power.NIC{{Name: "nic", IP: "10.1.0.4", Subnet: "10.1.0.0/16", MAC: networking.HardwareAddress(armtest.Interface)}},
		DataDisks: []power.Disk{{Name: "vm_etcd", SizeGiB: 256}}, Tags: map[string]string{"a": "b"},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("machine: -want +got\n%s", diff)
	}
	address := fields.Text(f.Get(armtest.Address), "properties", "ipAddress")
	balancer := power.LoadBalancer{ID: armtest.Balancer, VirtualNetwork: armtest.Network, Frontends: []power.Frontend{
		{IP: address, Port: 6443, Backends: []power.Backend{{IP: "10.1.0.4", Port: 6443}}, ProbePath: "/readyz", ProbeTLS: true, ProbePort: 6443},
		{IP: address, Port: 2201, Backends: []power.Backend{{IP: "10.1.0.4", Port: 22}}},
	}}
	if diff := cmp.Diff(balancer, host.balancers[armtest.Balancer]); diff != "" {
		t.Errorf("load balancer: -want +got\n%s", diff)
	}
	names := map[string]map[string]string{"": {"api.eastus.cloudapp.azure.com": address}, armtest.Network: {"vm": "10.1.0.4"}}
	if diff := cmp.Diff(names, host.names); diff != "" {
		t.Errorf("names: -want +got\n%s", diff)
	}

	if got := f.ProvisioningState(armtest.Machine); got != "Creating" {
		t.Errorf("while it boots: %s, want Creating", got)
	}
	host.state.Phase = power.Provisioned
	drive(f)
	if got := f.ProvisioningState(armtest.Machine); got != "Succeeded" {
		t.Errorf("once it is provisioned: %s, want Succeeded", got)
	}
	if data := fields.Text(f.Resources(armtest.Machine)[0].Private, compute.PrivateCustomData); data != "" {
		t.Error("the custom data is still there after the start")
	}

	// A simulator that starts again repeats itself, and no machine is started twice by its host for that.
	starts := host.starts
	f = hosted(t, journal, host)
	drive(f)
	drive(f)
	if host.starts != starts+1 {
		t.Errorf("%d starts after a restart, want one that repeats the last", host.starts-starts)
	}

	f.Settle(http.MethodPost, armtest.Machine+"/deallocate", "")
	drive(f)
	if _, on := host.machines[armtest.Machine]; on {
		t.Error("deallocated, and still on")
	}
	f.Settle(http.MethodPost, armtest.Machine+"/start", "")
	drive(f)
	if _, on := host.machines[armtest.Machine]; !on {
		t.Error("started, and still off")
	}
	f.Settle(http.MethodDelete, armtest.Machine, "")
	if got := f.ProvisioningState(armtest.Machine); got != "Deleting" {
		t.Errorf("before the host has deleted it: %s, want Deleting", got)
	}
	drive(f)
	if w := f.Send(http.MethodGet, armtest.Machine, ""); w.Code != http.StatusNotFound || len(host.machines) != 0 {
		t.Errorf("after its deletion: %d, %d machines at the host", w.Code, len(host.machines))
	}
}

// TestHostLosesMachine has the host fail before a machine has come up, and after: only the first time it begins anew.
func TestHostLosesMachine(t *testing.T) {
	host := newRecordedHost()
	f := hosted(t, state.InMemory(), host)
	for _, r := range armtest.Running {
		f.Make(r)
	}
	drive(f)
	for _, tc := range []struct{ phase, data string }{{power.Booting, armtest.Bootstrap}, {power.Provisioned, ""}} {
		host.state.Phase = tc.phase
		drive(f)
		delete(host.machines, armtest.Machine)
		drive(f) // It is missed.
		drive(f)
		m, on := host.machines[armtest.Machine]
		if !on || string(m.CustomData) != tc.data {
			t.Errorf("lost as %s: on %v, with custom data %q, want %q", tc.phase, on, m.CustomData, tc.data)
		}
	}
}

// TestHostFails checks how the failure of a machine is told.
func TestHostFails(t *testing.T) {
	cases := map[string]struct {
		state power.State
		wait  time.Duration
		want  string
	}{
		"it boots":          {power.State{Phase: power.Booting}, 0, "Creating"},
		"it has failed":     {power.State{Phase: power.Failed, Message: "no kernel"}, 0, "Failed"},
		"it takes too long": {power.State{Phase: power.Booting}, compute.ProvisioningDeadline, "Failed"},
		"it is up":          {power.State{Phase: power.Provisioned}, compute.ProvisioningDeadline, "Succeeded"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			host := newRecordedHost()
			host.state = c.state
			f := hosted(t, state.InMemory(), host)
			for _, r := range armtest.Prepared {
				f.Make(r)
			}
			w := f.Ask(armtest.CreateMachine)
			drive(f)
			f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency + c.wait))
			if got := f.ProvisioningState(armtest.Machine); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			poll := f.Get(arm.PathOf(w.Header().Get("Azure-AsyncOperation")))
			if got := fields.Text(poll, "error", "code"); (got == "OSProvisioningTimedOut") != (c.want == "Failed") {
				t.Errorf("the operation ends with %q", got)
			}
			status := fields.Objects(f.Get(armtest.Machine+"/instanceView"), "statuses")[0]
			if got := fields.Text(status, "code"); c.want == "Failed" && (got != "ProvisioningState/failed/OSProvisioningTimedOut" || fields.Text(status, "message") == "") {
				t.Errorf("the instance view has %v", status)
			}
		})
	}
}

// TestBootstrappingExtension checks what CAPZ's extension waits for.
func TestBootstrappingExtension(t *testing.T) {
	cases := map[string]struct {
		state power.State
		want  string
	}{
		"under way":    {power.State{Phase: power.Provisioned}, "Creating"},
		"bootstrapped": {power.State{Phase: power.Provisioned, CustomDataEnded: true, Bootstrapped: true}, "Succeeded"},
		"failed":       {power.State{Phase: power.Provisioned, CustomDataEnded: true, Message: "kubeadm init"}, "Failed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			host := newRecordedHost()
			host.state = c.state
			f := hosted(t, state.InMemory(), host)
			for _, r := range armtest.Running {
				f.Make(r)
			}
			drive(f)
			path := armtest.Machine + "/extensions/CAPZ.Linux.Bootstrapping"
			f.Settle(http.MethodPut, path, `{"location":"eastus","properties":{"publisher":"Microsoft.Azure.ContainerUpstream","type":"CAPZ.Linux.Bootstrapping","typeHandlerVersion":"1.0",
				"protectedSettings":{"commandToExecute":"`+base64.StdEncoding.EncodeToString([]byte("x"))+`"}}}`)
			drive(f)
			if got := f.ProvisioningState(path); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if fields.At(f.Get(path), "properties", "protectedSettings") != nil {
				t.Error("GET shows protectedSettings")
			}
		})
	}
}

// TestHostErrors checks that what a host could not do is done later.
func TestHostErrors(t *testing.T) {
	host := newRecordedHost()
	host.err = errors.New("no host")
	f := hosted(t, state.InMemory(), host)
	for _, r := range armtest.Running {
		f.Make(r)
	}
	if err := f.Machines.Drive(context.Background(), f.Service); err == nil {
		t.Error("Drive: no error")
	}
	host.err = nil
	drive(f)
	if len(host.machines) != 1 {
		t.Errorf("%d machines, want 1", len(host.machines))
	}
}

// TestDeletedWhileChanged checks that a machine goes whose deletion begins while a change of it runs, with a host and without.
func TestDeletedWhileChanged(t *testing.T) {
	for name, host := range map[string]power.Host{"with a host": newRecordedHost(), "without": nil} {
		t.Run(name, func(t *testing.T) {
			f := hosted(t, state.InMemory(), host)
			if recorded, ok := host.(*recordedHost); ok {
				recorded.state.Phase = power.Provisioned
			}
			for _, r := range armtest.Running {
				f.Make(r)
			}
			drive(f)
			f.Get(armtest.Machine)
			changed := f.Send(http.MethodPut, armtest.Machine, `{"location":"eastus","tags":{"c":"d"},"properties":{}}`)
			if changed.Code != http.StatusOK {
				t.Fatalf("PUT: %d %s", changed.Code, changed.Body)
			}
			f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency / 10))
			if w := f.Send(http.MethodDelete, armtest.Machine, ""); w.Code != http.StatusAccepted {
				t.Fatalf("DELETE: %d %s", w.Code, w.Body)
			}
			poll := f.Get(arm.PathOf(changed.Header().Get("Azure-AsyncOperation")))
			if got := fields.Text(poll, "error", "code"); got != "OperationPreempted" {
				t.Errorf("the change ends with %q, want OperationPreempted", got)
			}
			f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency * 19 / 20)) // When the change would have ended, and the deletion has not.
			if got := f.ProvisioningState(armtest.Machine); got != "Deleting" {
				t.Errorf("meanwhile: %s, want Deleting", got)
			}
			f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
			drive(f)
			if w := f.Send(http.MethodGet, armtest.Machine, ""); w.Code != http.StatusNotFound {
				t.Errorf("GET after the deletion: %d, want 404", w.Code)
			}
		})
	}
}

// bootedScaleSet is a fixture whose host has been told to run the instances of a scale set.
func bootedScaleSet(t *testing.T, host *recordedHost, body string) *armtest.Fixture {
	t.Helper()
	f := hosted(t, state.InMemory(), host)
	for _, r := range armtest.BehindBalancer {
		f.Make(r)
	}
	f.Settle(http.MethodPut, armtest.ScaleSet, body)
	drive(f)
	return f
}

// TestHostedInstances has a host run the instances of scale sets: each with its own name, its own identifier, and the custom data of the model.
func TestHostedInstances(t *testing.T) {
	cases := map[string]struct {
		body  string
		names []string
		ids   string
	}{
		"uniform":  {armtest.ScaleSetBody(), []string{"pool000000", "pool000001"}, armtest.ScaleSet + "/virtualMachines/"},
		"flexible": {armtest.Flexible(armtest.ScaleSetBody()), nil, armtest.Group + "/providers/Microsoft.Compute/virtualMachines/pool_"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			host := newRecordedHost()
			bootedScaleSet(t, host, c.body)
			names := []string{}
			for id, m := range host.machines {
				names = append(names, m.ComputerName)
				if !strings.HasPrefix(id, c.ids) || m.Zone == "" || string(m.CustomData) != armtest.Bootstrap || m.VirtualNetwork != armtest.Network || m.CPUs != 2 || len(m.NICs) != 1 {
					t.Errorf("machine %s: %+v", id, m)
				}
			}
			slices.Sort(names)
			if len(names) != 2 || c.names != nil && !slices.Equal(names, c.names) {
				t.Errorf("names %q, want %q", names, c.names)
			}
			if backends := host.balancers[armtest.Balancer].Frontends[0].Backends; len(backends) != 2 {
				t.Errorf("backends of the load balancer: %v, want two", backends)
			}
			if found := host.names[armtest.Network]; len(found) != 2 || found[names[0]] == "" {
				t.Errorf("names in the network: %v", found)
			}
		})
	}
}

// TestHostedScaleSetLife follows scale sets whose instances a host runs from their making to their deletion.
func TestHostedScaleSetLife(t *testing.T) {
	for name, body := range map[string]string{"uniform": armtest.ScaleSetBody(), "flexible": armtest.Flexible(armtest.ScaleSetBody())} {
		t.Run(name, func(t *testing.T) {
			host := newRecordedHost()
			f := bootedScaleSet(t, host, body)
			if got := f.ProvisioningState(armtest.ScaleSet); got != "Creating" {
				t.Errorf("while they boot: %s, want Creating", got)
			}
			host.state.Phase = power.Provisioned
			drive(f)
			settle(f)
			if got := f.ProvisioningState(armtest.ScaleSet); got != "Succeeded" {
				t.Errorf("once they are provisioned: %s, want Succeeded", got)
			}
			f.Settle(http.MethodPut, armtest.ScaleSet, capacity(1))
			drive(f)
			settle(f)
			if len(host.machines) != 1 || len(instances(f)) != 2 {
				t.Errorf("scaled in: %d machines, %q", len(host.machines), instances(f))
			}
			starts := host.starts
			f.Settle(http.MethodPost, armtest.ScaleSet+"/reimage", `{"instanceIds":["*"]}`)
			drive(f)
			drive(f)
			if host.starts != starts+1 {
				t.Errorf("%d starts by a reimage, want one", host.starts-starts)
			}
			for _, m := range host.machines {
				if string(m.CustomData) != armtest.Bootstrap {
					t.Errorf("custom data after a reimage: %q", m.CustomData)
				}
			}
			settle(f)
			f.Settle(http.MethodDelete, armtest.ScaleSet, "")
			drive(f)
			settle(f)
			if len(host.machines) != 0 {
				t.Errorf("%d machines are left", len(host.machines))
			}
			expectNoMachines(f)
		})
	}
}

// TestFailedInstance has an instance fail by its bootstrapping extension, and the operation of the scale set with it.
func TestFailedInstance(t *testing.T) {
	body := armtest.ScaleSetBody(`"networkProfile":{`, `"extensionProfile":{"extensions":[{"name":"CAPZ.Linux.Bootstrapping","properties":{
		"publisher":"Microsoft.Azure.ContainerUpstream","type":"CAPZ.Linux.Bootstrapping","typeHandlerVersion":"1.0"}}]},"networkProfile":{`)
	cases := map[string]struct {
		state power.State
		want  []string
	}{
		"it goes on":       {power.State{Phase: power.Provisioned}, []string{"0 Creating 1", "1 Creating 2", "2 Creating"}},
		"it is done":       {power.State{Phase: power.Provisioned, CustomDataEnded: true, Bootstrapped: true}, []string{"0 Succeeded 1", "1 Succeeded 2", "2 Succeeded"}},
		"it fails":         {power.State{Phase: power.Provisioned, CustomDataEnded: true}, []string{"0 Failed 1", "1 Failed 2", "2 Failed"}},
		"it never boots":   {power.State{Phase: power.Failed}, []string{"0 Failed 1", "1 Failed 2", "2 Failed"}},
		"it is still dark": {power.State{Phase: power.Booting}, []string{"0 Creating 1", "1 Creating 2", "2 Creating"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			host := newRecordedHost()
			host.state = c.state
			f := bootedScaleSet(t, host, body)
			settle(f)
			if diff := cmp.Diff(c.want, instances(f)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			resource := fields.Objects(f.Get(armtest.ScaleSet+"/virtualMachines/0"), "resources")[0]
			if got := fields.Text(resource, "properties", "provisioningState"); got != strings.Fields(c.want[0])[1] {
				t.Errorf("the extension is %s", got)
			}
		})
	}
}
