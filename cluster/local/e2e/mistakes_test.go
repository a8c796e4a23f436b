package e2e

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A mistake is a change of an object that cannot be carried out, and what the object answers.
type mistake struct {
	name   string
	kind   schema.GroupVersionKind
	object string
	make   func(u *unstructured.Unstructured) error
	says   []string
}

// inEntry changes the first entry of spec.resources.
func inEntry(field string, value any) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		list, err := entries(u)
		if err != nil {
			return err
		}
		if err := setField(list[0].(map[string]any), field, value); err != nil {
			return err
		}
		return unstructured.SetNestedSlice(u.Object, list, "spec", "resources")
	}
}

// moreEntry adds an entry as it is.
func moreEntry(text string) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error {
		added, err := parse(text)
		if err != nil {
			return err
		}
		list, err := entries(u)
		if err != nil {
			return err
		}
		return unstructured.SetNestedSlice(u.Object, append(list, added[0].Object), "spec", "resources")
	}
}

func noEntries(u *unstructured.Unstructured) error {
	return unstructured.SetNestedSlice(u.Object, nil, "spec", "resources")
}

var madeMistakes = []mistake{
	{
		name: "service addresses", kind: controlPlaneKind, object: clusterName,
		make: inEntry("spec.networkProfile.serviceCidr", "10.200.0.0/16"),
		says: []string{"spec.resources[0].spec.networkProfile.serviceCidr", `"10.200.0.0/16"`, `"10.0.0.0/16"`, "my-cluster"},
	},
	{
		name: "pod addresses", kind: controlPlaneKind, object: clusterName,
		make: inEntry("spec.networkProfile.podCidr", "10.200.0.0/16"),
		says: []string{"spec.resources[0].spec.networkProfile.podCidr", `"10.200.0.0/16"`, `"10.244.0.0/16"`},
	},
	{
		name: "pools in the ManagedCluster", kind: controlPlaneKind, object: clusterName,
		make: inEntry("spec.agentPoolProfiles", []any{}),
		says: []string{"spec.resources[0].spec.agentPoolProfiles", "must be absent", "AzureASOManagedMachinePool"},
	},
	{
		name: "no ManagedCluster", kind: controlPlaneKind, object: clusterName,
		make: noEntries, says: []string{"spec.resources has no ManagedCluster"},
	},
	{
		name: "version of a pool", kind: asoPoolKind, object: userPool,
		make: inEntry("spec.orchestratorVersion", "1.32.0"),
		says: []string{"spec.resources[0].spec.orchestratorVersion", `"1.32.0"`, `"1.33.6"`, userPool},
	},
	{
		name: "count of a pool", kind: asoPoolKind, object: userPool,
		make: inEntry("spec.count", int64(7)),
		says: []string{"spec.resources[0].spec.count", "7", "2", userPool},
	},
	{
		name: "no agent pool", kind: asoPoolKind, object: userPool,
		make: noEntries, says: []string{"spec.resources has no ManagedClustersAgentPool"},
	},
	{
		name: "two of a name", kind: asoClusterKind, object: clusterName,
		make: moreEntry("apiVersion: resources.azure.com/v1api20200601\nkind: ResourceGroup\nmetadata: {name: my-cluster}\nspec: {location: northeurope}"),
		says: []string{"spec.resources[1]", `"my-cluster"`, "spec.resources[0]"},
	},
	{
		name: "another namespace", kind: asoClusterKind, object: clusterName,
		make: moreEntry("apiVersion: resources.azure.com/v1api20200601\nkind: ResourceGroup\nmetadata: {name: other, namespace: elsewhere}\nspec: {location: northeurope}"),
		says: []string{"spec.resources[1].metadata.namespace", `"elsewhere"`},
	},
	{
		name: "a kind that is not installed", kind: asoClusterKind, object: clusterName,
		make: moreEntry("apiVersion: network.azure.com/v20250301\nkind: VirtualNetworkGateway\nmetadata: {name: other}\nspec: {owner: {name: my-cluster}}"),
		says: []string{"spec.resources[1]", "VirtualNetworkGateway", "network.azure.com/v20250301", "CRD"},
	},
	{
		name: "a field that there is not", kind: asoClusterKind, object: clusterName,
		make: moreEntry("apiVersion: resources.azure.com/v1api20200601\nkind: ResourceGroup\nmetadata: {name: other}\nspec: {location: northeurope, locaton: x}"),
		says: []string{"spec.resources[1].spec.locaton must be absent", "did you mean location"},
	},
	{
		name: "a field that there is not, of what exists", kind: controlPlaneKind, object: clusterName,
		make: inEntry("spec.dnsPrefx", "x"),
		says: []string{"spec.resources[0].spec.dnsPrefx must be absent", "did you mean dnsPrefix"},
	},
	{
		name: "a value that is not one of those", kind: controlPlaneKind, object: clusterName,
		make: inEntry("spec.networkProfile.networkPlugin", "azzure"),
		says: []string{"spec.resources[0].spec.networkProfile.networkPlugin", `"azzure"`, "must be one of"},
	},
	{
		name: "a kind of somebody else", kind: asoClusterKind, object: clusterName,
		make: moreEntry("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}"),
		says: []string{"spec.resources[1].apiVersion", `"v1"`},
	},
}

// steps make the mistake and take it back.
func (m mistake) steps() []step {
	key := "before " + m.name
	var answers, silence []expectation
	for _, text := range m.says {
		answers = append(answers, says(m.kind, m.object, text))
	}
	silence = append(silence, silent(m.kind, m.object, m.says[0]))
	return []step{
		{
			name: "mistake: " + m.name,
			act: func(w *world) error {
				return w.edit(m.kind, m.object, func(u *unstructured.Unstructured) error {
					if w.noted[key] == nil {
						list, err := entries(u)
						if err != nil {
							return err
						}
						w.noted[key] = list
					}
					return m.make(u)
				})
			},
			expect: answers,
		},
		{
			name: "taken back: " + m.name,
			act: func(w *world) error {
				return w.edit(m.kind, m.object, func(u *unstructured.Unstructured) error {
					return unstructured.SetNestedSlice(u.Object, w.noted[key].([]any), "spec", "resources")
				})
			},
			expect: silence,
		},
	}
}

// refused expects that the API server itself refuses an entry, naming what is wrong.
func refused(text string, entry string) func(*world) error {
	return func(w *world) error {
		err := w.edit(asoClusterKind, clusterName, moreEntry(entry))
		if err == nil {
			return fmt.Errorf("the API server takes %s", entry)
		}
		if !strings.Contains(err.Error(), text) {
			return fmt.Errorf("the answer lacks %q: %w", text, err)
		}
		return nil
	}
}

// otherManager has something else than AKS manage the replicas of an autoscaled pool.
var otherManager = []step{
	{
		name:   "mistake: two scale a pool",
		act:    all(func(w *world) error { return w.annotate(poolKind, userPool, replicasManagedBy, pointer("other")) }, autoscaling(true)),
		expect: []expectation{says(asoPoolKind, userPool, `"other"`), says(asoPoolKind, userPool, "enableAutoScaling"), warned(asoPoolKind, userPool, `"other"`)},
	},
	{
		name:   "taken back: two scale a pool",
		act:    all(autoscaling(false), func(w *world) error { return w.annotate(poolKind, userPool, replicasManagedBy, nil) }),
		expect: []expectation{silent(asoPoolKind, userPool, `"other"`), replicas(userPool, 2)},
	},
}

// strangers are composite resources that no Cluster, or a Cluster of another kind, refers to.
const strangers = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: strange
spec:
  infrastructureRef:
    apiGroup: infrastructure.cluster.x-k8s.io
    kind: AzureASOManagedCluster
    name: strange
  controlPlaneRef:
    apiGroup: infrastructure.cluster.x-k8s.io
    kind: AzureASOManagedCluster
    name: strange
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedCluster
metadata:
  name: strange
spec:
  resources: []
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedCluster
metadata:
  name: lonely
spec:
  resources: []
`

var strangerSteps = []step{
	{
		name: "mistake: references to the wrong kind, or none",
		act: func(w *world) error {
			objects, err := parse(strangers)
			if err != nil {
				return err
			}
			return w.apply(objects...)
		},
		expect: []expectation{
			says(asoClusterKind, "strange", "AzureASOManagedCluster cannot be used without AzureASOManagedControlPlane"),
			says(asoClusterKind, "lonely", "waits for a Cluster to own it"),
		},
	},
	{
		name:   "taken back: references to the wrong kind, or none",
		act:    all(func(w *world) error { return w.remove(clusterKind, "strange") }, func(w *world) error { return w.remove(asoClusterKind, "lonely") }),
		expect: []expectation{gone(clusterKind, "strange"), gone(asoClusterKind, "strange"), gone(asoClusterKind, "lonely")},
	},
}

// mistakes are made and taken back on a cluster that is up; nothing may happen to it.
var mistakes = func() *scenario {
	s := &scenario{name: "mistakes", calmOnly: true, rights: []string{"provider-capz: list events"}, steps: []step{up("aks-aso")}}
	for _, m := range madeMistakes {
		s.steps = append(s.steps, m.steps()...)
	}
	s.steps = append(s.steps, deniedByPolicy...)
	s.steps = append(s.steps, otherManager...)
	s.steps = append(s.steps, strangerSteps...)
	s.steps = append(s.steps, step{
		name: "mistakes that the API server refuses",
		act: all(
			refused("kind", "apiVersion: network.azure.com/v20250301\nmetadata: {name: other}"),
			refused("apiVersion", "kind: VirtualNetwork\nmetadata: {name: other}"),
			refused("metadata.name", "apiVersion: network.azure.com/v20250301\nkind: VirtualNetwork"),
		),
		expect: []expectation{available, contractKept, kubeconfigWorks},
	})
	s.steps = append(s.steps, lastSystemPool...)
	return s
}()
