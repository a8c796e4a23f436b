package platform

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

var composers = composertest.Composers{"AKSCluster": Cluster{}, "XAKSCluster": Cluster{}}

// The short names of what plays Crossplane.
type world = composertest.World

var fatal, status = composertest.Fatal, composertest.Status

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// request asks for the composite xr with the policy as input; observed is its Cluster, nil when there is none.
func request(t testing.TB, xr, policy, observed map[string]any) *fnv1.RunFunctionRequest {
	t.Helper()
	req := composertest.Request(t, unstructuredOf(xr))
	if policy != nil {
		req.Input = composertest.Struct(t, unstructuredOf(policy))
	}
	if observed != nil {
		req.Observed.Resources[clusterResource] = &fnv1.Resource{Resource: composertest.Struct(t, unstructuredOf(observed))}
	}
	return req
}

func unstructuredOf(o map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: o}
}

// holding returns a world of the objects.
func holding(objects ...map[string]any) world {
	w := world{}
	for _, o := range objects {
		w.Objects = append(w.Objects, unstructuredOf(o))
	}
	return w
}

// composed returns the desired Cluster; nil when there is none.
func composed(rsp *fnv1.RunFunctionResponse) map[string]any {
	r := rsp.GetDesired().GetResources()[clusterResource]
	if r == nil {
		return nil
	}
	return r.GetResource().AsMap()
}

// shownAs returns a condition of the response.
func shownAs(rsp *fnv1.RunFunctionResponse, conditionType string) *fnv1.Condition {
	for _, c := range rsp.GetConditions() {
		if c.GetType() == conditionType {
			return c
		}
	}
	return nil
}

const policyText = `
apiVersion: platform.capz.crossplane.io/v1alpha1
kind: AKSClusterPolicy
clusterClass: {name: aks, namespace: capz-platform}
`

const classText = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: aks, namespace: capz-platform}
spec:
  workers: {machinePools: [{class: nodepool}]}
  variables: [{name: location}, {name: network}, {name: identity}, {name: maintenance}, {name: dnsServiceIP}, {name: nodePool}]
`

const xrText = `
apiVersion: platform.capz.crossplane.io/v1alpha1
kind: AKSCluster
metadata: {name: shop, namespace: team-a, uid: shop-uid}
spec:
  location: westeurope
  version: 1.33.6
  nodePools:
  - {name: system, mode: system, count: 3}
  - {name: work, min: 1, max: 5, size: Standard_D4s_v5, spot: true, zones: ["1"], labels: {a: b}, taints: [{key: k, effect: NoSchedule}]}
  network: {serviceCIDR: 10.10.0.0/16, podCIDR: 10.244.0.0/16}
  maintenance: {day: Saturday, startTime: "22:00"}
  writeConnectionSecretToRef: {name: shop-connection}
  crossplane: {compositionRef: {name: aksclusters}}
`

const claimedText = `
apiVersion: platform.capz.crossplane.io/v1alpha1
kind: XAKSCluster
metadata: {name: blog-x7k2p, uid: blog-uid}
spec:
  claimRef: {apiVersion: platform.capz.crossplane.io/v1alpha1, kind: AKSClusterClaim, name: blog, namespace: team-b}
  location: westeurope
  version: v1.33.6
`

// clusterText is the Cluster of xrText as it exists, half way through an upgrade.
const clusterText = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: shop
  namespace: team-a
  ownerReferences: [{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: AKSCluster, name: shop, uid: shop-uid, controller: true}]
  managedFields:
  - manager: apiextensions.crossplane.io/composed/abc
    operation: Apply
    apiVersion: cluster.x-k8s.io/v1beta2
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:topology": {"f:classRef": {"f:name": {}, "f:namespace": {}}, "f:version": {}, "f:variables": {}, "f:workers": {"f:machinePools": {}}}}}
spec:
  controlPlaneEndpoint: {host: shop.example.org, port: 443}
  controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedControlPlane, name: shop}
  topology:
    classRef: {name: aks, namespace: capz-platform}
    version: v1.33.6
    variables:
    - {name: location, value: westeurope}
    - {name: network, value: {serviceCIDR: 10.10.0.0/16, podCIDR: 10.244.0.0/16}}
    workers:
      machinePools:
      - {class: nodepool, name: system, replicas: 3, variables: {overrides: [{name: nodePool, value: {mode: system, size: Standard_D2s_v5, spot: false}}]}}
      - class: nodepool
        name: work
        variables: {overrides: [{name: nodePool, value: {mode: user, size: Standard_D4s_v5, spot: true, zones: ["1"], min: 1, max: 5}}]}
status:
  conditions:
  - {type: Available, status: "True", reason: Available, message: ""}
  - {type: InfrastructureReady, status: "True", reason: Ready, message: ""}
  - {type: ControlPlaneAvailable, status: "True", reason: Available, message: ""}
  - {type: TopologyReconciled, status: "False", reason: ClusterUpgrading, message: upgrading}
`

const controlPlaneText = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedControlPlane
metadata: {name: shop, namespace: team-a}
status: {version: v1.33.6}
`

func machinePoolText(name string, desired, ready string) string {
	return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata:
  name: shop-` + name + `-abcde
  namespace: team-a
  labels: {cluster.x-k8s.io/cluster-name: shop, topology.cluster.x-k8s.io/pool-name: ` + name + `}
spec:
  replicas: ` + desired + `
  template: {spec: {version: v1.33.6, infrastructureRef: {name: shop-` + name + `-abcde}}}
status: {readyReplicas: ` + ready + `}
`
}

func asoPoolText(name, ready, message string) string {
	return `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedMachinePool
metadata:
  name: shop-` + name + `-abcde
  namespace: team-a
  labels: {cluster.x-k8s.io/cluster-name: shop}
status: {v1beta2: {conditions: [{type: Ready, status: "` + ready + `", reason: X, message: "` + message + `"}]}}
`
}

func fullWorld(t testing.TB) world {
	t.Helper()
	return holding(
		object(t, classText), object(t, controlPlaneText),
		object(t, machinePoolText("system", "3", "3")), object(t, asoPoolText("system", "True", "")),
		object(t, machinePoolText("work", "2", "1")), object(t, asoPoolText("work", "False", "no cores left")),
	)
}

// cluster is a Cluster with a topology.
func cluster(topology map[string]any) *unstructured.Unstructured {
	return unstructuredOf(map[string]any{"spec": map[string]any{"topology": topology}})
}
