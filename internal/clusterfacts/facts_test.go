package clusterfacts

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

func TestOfCluster(t *testing.T) {
	const objects = "[{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c, uid: u}}, " +
		"{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, metadata: {name: p, uid: v}}]"
	cases := map[string]struct {
		facts string
		about types.UID
		want  int
	}{
		"of the Cluster":              {"spec: {format: 2, clusterUID: u, objects: " + objects + "}", "u", 2},
		"of its control plane":        {"spec: {format: 2, clusterUID: u, objects: " + objects + "}", "v", 2},
		"of another of the same name": {"spec: {format: 2, clusterUID: u, objects: " + objects + "}", "other", 0},
		"its field was pruned":        {"spec: {format: 2, objects: " + objects + "}", "u", 0},
		"of nobody":                   {"spec: {format: 2, objects: " + objects + "}", "", 0},
		"in an earlier format":        {"spec: {format: 1, clusterUID: u, objects: " + objects + "}", "u", 0},
		"in a later format":           {"spec: {format: 3, clusterUID: u, objects: " + objects + "}", "u", 0},
		"in no format":                {"spec: {clusterUID: u, objects: " + objects + "}", "u", 0},
		"being deleted":               {"{metadata: {deletionTimestamp: \"2026-01-02T03:04:05Z\"}, spec: {format: 2, clusterUID: u, objects: " + objects + "}}", "u", 0},
		"with a kind of no facts":     {"spec: {format: 2, clusterUID: u, objects: [{apiVersion: v1, kind: Secret, metadata: {uid: u}}]}", "u", 0},
		"with a MachinePool":          {"spec: {format: 2, clusterUID: u, objects: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {uid: u}}]}", "u", 0},
		"of another namespace":        {"spec: {format: 2, clusterUID: u, objects: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c, uid: u, namespace: other}}]}", "u", 0},
		"without objects":             {"spec: {format: 2, clusterUID: u}", "u", 0},
		"with no object":              {"spec: {format: 2, clusterUID: u, objects: [text]}", "u", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, ok := OfCluster(parse(t, c.facts), c.about); ok != (c.want > 0) || ok && len(got) != c.want {
				t.Errorf("want %d objects, got %v, %v", c.want, got, ok)
			}
		})
	}
	if _, ok := OfCluster(nil, "u"); ok {
		t.Error("no facts are taken for some")
	}
}

func TestMachinePoolOf(t *testing.T) {
	const objects = "[{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: c, uid: u}}, " +
		"{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedMachinePool, metadata: {name: p, uid: v}}]"
	facts := parse(t, "spec: {format: 2, clusterUID: c, objects: "+objects+"}")
	if objects, ok := MachinePoolOf(facts, "c"); !ok || len(objects) != 2 {
		t.Errorf("got %v, %v", objects, ok)
	}
	if _, ok := MachinePoolOf(facts, "other"); ok {
		t.Error("those of another Cluster are used")
	}
	if !HasMachinePool(facts, "u") || !HasMachinePool(facts, "v") || HasMachinePool(facts, "w") || HasMachinePool(facts, "") {
		t.Error("it does not know what it has")
	}
}

func TestFailureDomains(t *testing.T) {
	cases := map[string]struct {
		facts string
		zones []string
		known bool
	}{
		"known":                {"spec: {format: 2, failureDomains: ['1', '3'], failureDomainsKnown: true}", []string{"1", "3"}, true},
		"a location of none":   {"spec: {format: 2, failureDomainsKnown: true}", nil, true},
		"not known":            {"spec: {format: 2}", nil, false},
		"not known to be all":  {"spec: {format: 2, failureDomains: ['1']}", nil, false},
		"in an earlier format": {"spec: {format: 1, failureDomains: ['1'], failureDomainsKnown: true}", nil, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if zones, known := FailureDomains(parse(t, c.facts)); known != c.known || !slices.Equal(zones, c.zones) {
				t.Errorf("got %v, %v", zones, known)
			}
		})
	}
	if _, known := FailureDomains(nil); known {
		t.Error("without facts they are known")
	}
}

func TestAvailabilitySets(t *testing.T) {
	facts := parse(t, "spec: {format: 2, availabilitySets: [{name: c_control-plane-as, faultDomains: 2}, {name: c_md-0-as}, {faultDomains: 3}]}")
	want := []v1alpha1.AvailabilitySetFacts{{Name: "c_control-plane-as", FaultDomains: 2}, {Name: "c_md-0-as"}}
	if sets, known := AvailabilitySets(facts); !known || !slices.Equal(sets, want) {
		t.Errorf("got %v, %v", sets, known)
	}
	if _, known := AvailabilitySets(nil); known {
		t.Error("without facts they are known")
	}
	if _, known := AvailabilitySets(parse(t, "spec: {format: 1}")); known {
		t.Error("in an earlier format they are known")
	}
}

func TestResourceHealth(t *testing.T) {
	const said = "resourceHealth: {state: Unavailable, reason: Unplanned, message: m}}"
	cases := map[string]struct {
		facts string
		known bool
	}{
		"told":                 {"spec: {format: 2, clusterUID: u, " + said, true},
		"not told":             {"spec: {format: 2, clusterUID: u}", false},
		"empty":                {"spec: {format: 2, clusterUID: u, resourceHealth: {}}", false},
		"of another Cluster":   {"spec: {format: 2, clusterUID: v, " + said, false},
		"of nobody":            {"spec: {format: 2, " + said, false},
		"in an earlier format": {"spec: {format: 1, clusterUID: u, " + said, false},
		"no object":            {"spec: {format: 2, clusterUID: u, resourceHealth: Unavailable}", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			health, known := ResourceHealth(parse(t, c.facts), "u")
			if want := (v1alpha1.ResourceHealthFacts{State: "Unavailable", Reason: "Unplanned", Message: "m"}); known != c.known || known && health != want {
				t.Errorf("got %+v, %v", health, known)
			}
		})
	}
	if _, known := ResourceHealth(nil, "u"); known {
		t.Error("without facts it is known")
	}
}

func TestNameOfMachinePool(t *testing.T) {
	if got := NameOfMachinePool("c1", "AzureManagedMachinePool", "p0"); got != "c1.azuremanagedmachinepool.p0" {
		t.Errorf("got %q", got)
	}
	if got := NameOfMachinePool("c1", "AzureManagedMachinePool", strings.Repeat("p", 240)); got != "" {
		t.Errorf("a name that Kubernetes does not take: %q", got)
	}
}
