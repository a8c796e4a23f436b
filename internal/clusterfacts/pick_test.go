package clusterfacts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/test/hostile"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestPick(t *testing.T) {
	const metadata = "metadata: {name: a, namespace: ns, uid: u, labels: {cluster.x-k8s.io/cluster-name: c}, annotations: {a: b}}"
	cases := map[string]struct{ given, want string }{
		"Cluster": {
			`{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, ` + metadata + `, spec: {paused: true, controlPlaneEndpoint: {host: h}}, status: {phase: Provisioned}}`,
			`{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, ` + metadata + `, spec: {paused: true}}`,
		},
		"MachinePool": {
			`{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, ` + metadata + `, spec: {replicas: 2, providerIDList: [x]}, status: {replicas: 2}}`,
			`{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, ` + metadata + `, spec: {replicas: 2}}`,
		},
		"MachinePool of a topology": {
			`{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: a, namespace: ns, labels: {topology.cluster.x-k8s.io/pool-name: p0, topology.cluster.x-k8s.io/owned: ""}}}`,
			`{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: a, namespace: ns, labels: {topology.cluster.x-k8s.io/pool-name: p0}}}`,
		},
		"pool": {
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedMachinePool, ` + metadata + `, spec: {mode: System, crossplane: {resourceRefs: []}}, status: {ready: true}}`,
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedMachinePool, ` + metadata + `, spec: {mode: System}, status: {}}`,
		},
		"control plane": {
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, ` + metadata + `, spec: {location: x}, status: {ready: true, version: v1, autoUpgradeVersion: v2,
			  conditions: [{type: Ready}], resources: [{resource: {kind: ManagedCluster, name: a}, ready: true, ownership: owned, reason: Succeeded, message: ok}, {resource: {kind: FleetsMember, name: f}, ready: false, reason: Creating},
			  {resource: {kind: Extension, name: e}, ready: false, reason: AzureResourceNotFound, message: gone}]}}`,
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, ` + metadata + `, spec: {location: x}, status: {version: v1, autoUpgradeVersion: v2,
			  resources: [{resource: {kind: ManagedCluster, name: a}, ready: true, ownership: owned}, {resource: {kind: Extension, name: e}, ready: false, reason: AzureResourceNotFound}]}}`,
		},
		"infrastructure with failure domains": {
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedCluster, ` + metadata + `, spec: {controlPlaneEndpoint: {host: h}}, status: {ready: true, failureDomains: [{name: "1", controlPlane: true}]}}`,
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedCluster, ` + metadata + `, spec: {}, status: {failureDomains: [{name: "1", controlPlane: true}]}}`,
		},
		"a mistake, and what waits": {
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedCluster, ` + metadata + `, status: {
			  resources: [{resource: {kind: ResourceGroup, name: a}, ready: false, reason: InvalidField, message: why}, {resource: {kind: VirtualNetwork, name: b}, ready: false, reason: WaitingForResource, message: waits}]}}`,
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedCluster, ` + metadata + `, status: {
			  resources: [{resource: {kind: ResourceGroup, name: a}, ready: false, reason: InvalidField, message: why}]}}`,
		},
		"being deleted, as kubectl applied it": {
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedCluster, metadata: {name: a, namespace: ns, resourceVersion: "7", generation: 3, labels: {l: m}, finalizers: [f],
			  deletionTimestamp: "2026-01-02T03:04:05Z", managedFields: [{manager: m}], annotations: {kubectl.kubernetes.io/last-applied-configuration: all}}}`,
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedCluster, metadata: {name: a, namespace: ns, deletionTimestamp: "2026-01-02T03:04:05Z"}, status: {}}`,
		},
		"a spec that is none": {
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedMachinePool, metadata: {name: a, namespace: ns}, spec: text}`,
			`{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedMachinePool, metadata: {name: a, namespace: ns}, spec: text, status: {}}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			given := parse(t, c.given)
			before := given.DeepCopy()
			if diff := cmp.Diff(parse(t, c.want).Object, Pick(given).Object); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(before.Object, given.Object); diff != "" {
				t.Errorf("the object was changed:\n%s", diff)
			}
		})
	}
	for _, other := range []string{"{apiVersion: v1, kind: Secret, metadata: {name: a}}", "{apiVersion: resources.azure.com/v1, kind: ResourceGroup, metadata: {name: a}}"} {
		if picked := Pick(parse(t, other)); picked != nil {
			t.Errorf("%s is in facts: %v", other, picked)
		}
	}
}

// TestPickIsShallow has facts leave out what lies deeper than anything that is composed, but not that it is too deep.
func TestPickIsShallow(t *testing.T) {
	for name, levels := range map[string]int{"as deep as is composed": 90, "deeper than is composed": 110, "as deep as the API server takes": 9900} {
		t.Run(name, func(t *testing.T) {
			given := parse(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedCluster, metadata: {name: a, namespace: ns}}`)
			given.Object["spec"] = map[string]any{"resources": []any{map[string]any{"kind": "ResourceGroup", "spec": hostile.Nested(levels)}, "x"}}
			picked, _, err := unstructured.NestedSlice(Pick(given).Object, "spec", "resources")
			if err != nil || len(picked) != 2 || picked[1] != "x" {
				t.Fatalf("resources are %d, %v", len(picked), err)
			}
			if tooDeep := field.Deeper(picked[0], 100); tooDeep != (levels > 100) {
				t.Errorf("more than 100 levels: %v", tooDeep)
			}
			if field.Deeper(picked[0], mostLevels) {
				t.Errorf("more than %d levels", mostLevels)
			}
		})
	}
}
