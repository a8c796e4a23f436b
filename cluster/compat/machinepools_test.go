package main

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/sides"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

func machinePoolsFor(t *testing.T, out *bytes.Buffer) *machinePools {
	t.Helper()
	t.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription)
	sources, err := capzSources()
	must(t, err)
	c := &machinePools{out: out, documented: map[string]int{}, fields: specs.Coverage{}}
	c.capz, err = sides.NewSelfManagedCAPZ(sources)
	must(t, err)
	c.ours, err = sides.NewSelfManagedOurs(root)
	must(t, err)
	return c
}

// poolWritten returns the least pool of the default cluster, and a change of it.
func poolWritten(change func(*specs.PoolState)) *specs.MachinePool {
	state := func() specs.PoolState {
		return specs.PoolState{Replicas: 2, Version: "v1.33.2", Bootstrap: "#cloud-config", Object: map[string]any{
			"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "AzureMachinePool",
			"metadata": map[string]any{"name": "blue", "namespace": specs.Namespace, "labels": map[string]any{"cluster.x-k8s.io/cluster-name": "blue"}},
			"spec": map[string]any{"location": "westus", "template": map[string]any{"vmSize": "Standard_All_v5", "sshPublicKey": specs.SSHKey,
				"osDisk": map[string]any{"osType": "Linux", "diskSizeGB": int64(30)}}},
		}}
	}
	p := &specs.MachinePool{Created: state(), Change: state(), Cluster: &specs.SelfManaged{Name: "example", Cluster: "blue", Zones: []string{"1", "2", "3"}, FaultDomains: 3,
		AzureCluster: map[string]any{
			"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "AzureCluster",
			"metadata": map[string]any{"name": "blue", "namespace": specs.Namespace, "labels": map[string]any{"cluster.x-k8s.io/cluster-name": "blue"}},
			"spec": map[string]any{"location": "westus", "resourceGroup": "blue", "subscriptionID": specs.Subscription,
				"identityRef": map[string]any{"kind": "AzureClusterIdentity", "name": "identity"}},
		}}}
	change(&p.Change)
	return p
}

// TestPoolPhases shows what each side is seen to send in each phase: nothing for a pool that stays as it is, and as much as its change needs.
func TestPoolPhases(t *testing.T) {
	c := machinePoolsFor(t, &bytes.Buffer{})
	cases := map[string]struct {
		change func(*specs.PoolState)
		want   []string
	}{
		"nothing":        {func(*specs.PoolState) {}, []string{"whole 2", "", "", ""}},
		"more instances": {func(s *specs.PoolState) { s.Replicas = 4 }, []string{"whole 2", "", "capacity 4", ""}},
		"more instances with other bootstrap data": {func(s *specs.PoolState) { s.Replicas, s.Bootstrap = 4, "#other" }, []string{"whole 2", "", "model 4", ""}},
		"fewer instances":                          {func(s *specs.PoolState) { s.Replicas = 1 }, []string{"whole 2", "", "", ""}},
		"another version":                          {func(s *specs.PoolState) { s.Version = "v1.34.0" }, []string{"whole 2", "", "model 3", ""}},
		"a disk":                                   {func(s *specs.PoolState) { s.Spec("template", "osDisk")["diskSizeGB"] = int64(60) }, []string{"whole 2", "", "", ""}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := poolWritten(tc.change)
			capz, refusal, err := c.capz.Pool(context.Background(), p)
			must(t, refusal)
			must(t, err)
			ours, refusal, err := c.ours.Pool(context.Background(), p)
			must(t, refusal)
			must(t, err)
			if diff := cmp.Diff(tc.want, sentInPhases(capz)) + cmp.Diff(tc.want, sentInPhases(ours)); diff != "" {
				t.Errorf("-want +got, CAPZ's and ours\n%s", diff)
			}
		})
	}
}

// sentInPhases says how much is sent for the scale set in each phase, and for how many instances.
func sentInPhases(a *sides.PoolAnswer) []string {
	var all []string
	for _, phase := range sides.PoolPhases {
		text := ""
		for _, body := range a.Phases[phase].Resources {
			properties, _ := body["properties"].(map[string]any)
			profile, _ := properties["virtualMachineProfile"].(map[string]any)
			switch text = "whole "; {
			case profile == nil:
				text = "capacity "
			case profile["networkProfile"] == nil:
				text = "model "
			}
			sku, _ := body["sku"].(map[string]any)
			text += fmt.Sprint(sku["capacity"])
		}
		all = append(all, text)
	}
	return all
}

// TestReportPools shows that a difference which is not documented is counted and printed.
func TestReportPools(t *testing.T) {
	out := &bytes.Buffer{}
	c := &machinePools{out: out, documented: map[string]int{}}
	c.report(poolWritten(func(*specs.PoolState) {}), "created", compare.Difference{Object: "a", Path: "b", CAPZ: 1, Ours: 2})
	if c.differences != 1 || !strings.Contains(out.String(), "example, pool created: a b: CAPZ 1, ours 2") {
		t.Errorf("%d differences\n%s", c.differences, out)
	}
}

// TestEveryFieldOfPoolsIsSet shows that random pools set every field of CAPZ's type.
func TestEveryFieldOfPoolsIsSet(t *testing.T) {
	c := machinePoolsFor(t, &bytes.Buffer{})
	cluster, pool := specOf(c.capz.Schemas["azureclusters"].OpenAPI), specOf(c.capz.Schemas["azuremachinepools"].OpenAPI)
	for seed := range uint64(enoughPools) {
		c.fields.Add("", specs.RandomMachinePool(seed, cluster, pool).Created.Spec())
	}
	if missing := c.fields.Missing(reflect.TypeFor[infrav1exp.AzureMachinePoolSpec]()); len(missing) > 0 {
		t.Errorf("never set: %v", missing)
	}
}
