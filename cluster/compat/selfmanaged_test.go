package main

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/sides"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

func selfManagedFor(t *testing.T, out *bytes.Buffer) *selfManaged {
	t.Helper()
	t.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription)
	sources, err := capzSources()
	must(t, err)
	c, err := newSelfManaged(sources, out)
	must(t, err)
	return c
}

// TestDefaultFlavor shows what the oracle says of CAPZ's default template: that it is asked for all that is compared.
func TestDefaultFlavor(t *testing.T) {
	c := selfManagedFor(t, &bytes.Buffer{})
	sources, err := capzSources()
	must(t, err)
	published, err := specs.PublishedSelfManaged(sources)
	must(t, err)
	i := slices.IndexFunc(published, func(s *specs.SelfManaged) bool { return s.Name == "cluster-template.yaml" })
	s := published[i]
	created, running, refusal, err := c.capz.Answer(context.Background(), s)
	must(t, refusal)
	must(t, err)
	var got []string
	for _, id := range slices.Sorted(maps.Keys(created.Resources)) {
		got = append(got, short(id))
	}
	slices.Sort(got)
	want := []string{
		"blue",
		"blue/loadbalancers/blue-public-lb",
		"blue/loadbalancers/blue-public-lb/inboundnatrules/blue-control-plane-x7k2p",
		"blue/natgateways/blue-node-natgw-1",
		"blue/networkinterfaces/blue-control-plane-x7k2p-nic",
		"blue/networkinterfaces/blue-md-0-x7k2p-nic",
		"blue/networksecuritygroups/blue-controlplane-nsg",
		"blue/networksecuritygroups/blue-controlplane-nsg/securityrules/allow_apiserver",
		"blue/networksecuritygroups/blue-controlplane-nsg/securityrules/allow_ssh",
		"blue/networksecuritygroups/blue-node-nsg",
		"blue/publicipaddresses/pip-blue-apiserver",
		"blue/publicipaddresses/pip-blue-node-natgw-1",
		"blue/routetables/blue-node-routetable",
		"blue/virtualmachines/blue-control-plane-x7k2p",
		"blue/virtualmachines/blue-md-0-x7k2p",
		"blue/virtualnetworks/blue-vnet",
		"blue/virtualnetworks/blue-vnet/subnets/control-plane-subnet",
		"blue/virtualnetworks/blue-vnet/subnets/node-subnet",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(created.Failures) > 0 {
		t.Errorf("-want +got\n%s\n%v", diff, created.Failures)
	}
	if differences := sentDifferently(created, running); len(differences) > 0 {
		t.Errorf("CAPZ changes what runs: %v", differences)
	}
}

// TestUndocumentedResourcesAreFound shows that the comparison sees what only one side has sent.
func TestUndocumentedResourcesAreFound(t *testing.T) {
	body := func(port float64) map[string]any {
		return map[string]any{"properties": map[string]any{"port": port}}
	}
	sent := func(resources map[string]map[string]any, failures ...string) *sides.Sent {
		s := &sides.Sent{Resources: resources, Failures: map[string]string{}}
		for _, f := range failures {
			s.Failures[f] = "why"
		}
		return s
	}
	cases := map[string]struct {
		capz, ours *sides.Sent
		want       []string
	}{
		"alike":            {sent(map[string]map[string]any{"/a": body(1)}), sent(map[string]map[string]any{"/a": body(1)}), nil},
		"a field":          {sent(map[string]map[string]any{"/a": body(1)}), sent(map[string]map[string]any{"/a": body(2)}), []string{"properties.port"}},
		"a resource":       {sent(map[string]map[string]any{"/a": body(1)}), sent(nil), []string{""}},
		"another resource": {sent(nil), sent(map[string]map[string]any{"/a": body(1)}), []string{""}},
		"a failure":        {sent(nil, "AzureMachine/a"), sent(nil), []string{""}},
		"after a failure":  {sent(map[string]map[string]any{"/a": body(1)}, "AzureMachine/a"), sent(nil, "AzureMachine/a"), nil},
		"a field after a failure": {sent(map[string]map[string]any{"/a": body(1)}, "AzureMachine/a"), sent(map[string]map[string]any{"/a": body(2)}, "AzureMachine/a"),
			[]string{"properties.port"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range sentDifferently(c.capz, c.ours) {
				got = append(got, d.Path)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestReportSent shows that a difference which is not documented is counted and printed.
func TestReportSent(t *testing.T) {
	out := &bytes.Buffer{}
	c := &selfManaged{out: out, documented: map[string]int{}}
	c.report(&specs.SelfManaged{Name: "seed 1"}, "created", compare.Difference{Object: "a", Path: "b", CAPZ: 1, Ours: 2})
	if c.differences != 1 || !strings.Contains(out.String(), "seed 1, created: a b: CAPZ 1, ours 2") {
		t.Errorf("%d differences\n%s", c.differences, out)
	}
}

// TestEveryFieldIsSet shows that random specs set every field of CAPZ's types.
func TestEveryFieldIsSet(t *testing.T) {
	c := selfManagedFor(t, &bytes.Buffer{})
	cluster, machine := specOf(c.capz.Schemas["azureclusters"].OpenAPI), specOf(c.capz.Schemas["azuremachines"].OpenAPI)
	for seed := range uint64(enough) {
		s := specs.RandomSelfManaged(seed, cluster, machine)
		c.clusters.Add("", s.AzureCluster["spec"])
		for _, m := range s.Machines {
			c.machines.Add("", m.Object["spec"])
		}
	}
	if missing := c.missing(); len(missing) > 0 {
		t.Errorf("never set: %v", missing)
	}
}
