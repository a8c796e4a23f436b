package selfmanaged_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

// poolFacts are those of a pool of two that waits for nothing.
func poolFacts() v1alpha1.MachineFacts {
	f := facts()
	f.Machine = v1alpha1.FactsOfMachine{Name: "mp", Version: "v1.33.2", BootstrapReady: true}
	f.Pool = v1alpha1.FactsOfPool{Replicas: 2}
	return f
}

// newPoolPlay is newPlay for an AzureMachinePool.
func newPoolPlay(t testing.TB, f v1alpha1.MachineFacts, edits ...composertest.Edit) *play {
	t.Helper()
	p := newPlay(t, f)
	xr := parsed(t, `{apiVersion: %s/v1beta1, kind: AzureMachinePool, metadata: {name: mp, labels: {cluster.x-k8s.io/cluster-name: c1}}, spec: {location: westeurope, identity: SystemAssigned,
		systemAssignedIdentityRole: {name: 0b5a2fd8-4ca5-4cb7-9a4a-1e3f65b0a2f1}, template: {vmSize: Standard_D2s_v3, osDisk: {osType: Linux, diskSizeGB: 30}, sshPublicKey: c3NoLXJzYSBBQUFBIHRlc3Q=}}}`, infra)
	xr.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachinePool", Name: "mp", UID: "uid-machinepool"}})
	p.xr = composertest.Edited(xr, edits...)
	return p
}

// TestPoolUp brings a pool up, and shows what is made in which order and what Cluster API reads.
func TestPoolUp(t *testing.T) {
	p := newPoolPlay(t, poolFacts()).rounds(6)
	if diff := cmp.Diff([]string{"create VirtualMachineScaleSet mp", "create RoleAssignment 0b5a2fd8-4ca5-4cb7-9a4a-1e3f65b0a2f1"}, p.did); diff != "" {
		t.Errorf("in Azure: -want, +got:\n%s", diff)
	}
	if got := p.status("ready", "initialization.provisioned", "infrastructureMachineKind", "provisioningState", "version", "replicas"); got != "false false AzureMachinePoolMachine Succeeded v1.33.2 0" {
		t.Errorf("before the instances are listed, the status is %s", got)
	}
	if got := p.condition("Ready"); !strings.HasPrefix(got, "False WaitingForInstances") {
		t.Errorf("before the instances are listed, it is %s", got)
	}
	p.facts.Pool.Listed, p.facts.Pool.Ready, p.facts.Pool.State = true, 1, "Updating"
	p.rounds(1)
	if got := p.status("ready", "initialization.provisioned", "provisioningState", "replicas"); got != "true true Updating 1" {
		t.Errorf("the status is %s", got)
	}
	if got := p.condition("ScaleSetDesiredReplicas"); got != "False ScaleSetScaleUp: 1 instances are ready, and 2 are to be" {
		t.Errorf("while one is missing: %s", got)
	}
	p.facts.Pool.Ready, p.facts.Pool.Outdated = 2, 1
	p.rounds(1)
	if got := p.condition("ScaleSetModelUpdated"); !strings.HasPrefix(got, "False ScaleSetModelOutOfDate: 1 instances") {
		t.Errorf("while one is old: %s", got)
	}
	p.facts.Pool.Outdated = 0
	p.rounds(1)
	for _, c := range []string{"Ready", "ResourcesReady", "ScaleSetRunning", "ScaleSetDesiredReplicas", "ScaleSetModelUpdated", "RoleAssignmentReady"} {
		if got := p.condition(c); !strings.HasPrefix(got, "True ") {
			t.Errorf("condition %s: %q", c, got)
		}
	}
	before := len(p.did)
	if p.rounds(3); len(p.did) != before {
		t.Errorf("it does not rest: %v", p.did[before:])
	}
}

// TestPoolWaits shows what a user reads while something is missing, and what Azure has refused.
func TestPoolWaits(t *testing.T) {
	cases := map[string]struct {
		change func(*v1alpha1.MachineFacts)
		edit   composertest.Edit
		want   string
	}{
		"no facts":          {func(f *v1alpha1.MachineFacts) { f.Machine.Name = "" }, nil, "WaitingForMachineFacts"},
		"no bootstrap data": {func(f *v1alpha1.MachineFacts) { f.Machine.BootstrapReady = false }, nil, "MachinePool mp has bootstrap data"},
		"no size":           {func(f *v1alpha1.MachineFacts) { f.Size = v1alpha1.FactsOfSize{} }, nil, "what Azure offers of size Standard_D2s_v3"},
		"no label":          {nil, composertest.Remove("metadata", "labels"), "WaitingForOwner"},
		"refused": {func(f *v1alpha1.MachineFacts) {
			f.Created.Reason, f.Created.Message = "QuotaExceeded", "too many cores"
		}, nil, "QuotaExceeded"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := poolFacts()
			if c.change != nil {
				c.change(&f)
			}
			p := newPoolPlay(t, f)
			if c.edit != nil {
				p.xr = composertest.Edited(p.xr, c.edit)
			}
			if name == "refused" {
				p.vm = f.Created
			}
			p.rounds(4)
			if got := p.condition("Ready"); !strings.HasPrefix(got, "False") || !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
