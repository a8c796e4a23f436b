package registry

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// manyPools is a Cluster that is up, with many MachinePools.
type manyPools struct {
	world                               composertest.World
	infrastructure, controlPlane, aPool *unstructured.Unstructured
	managedCluster                      *unstructured.Unstructured
	composers                           composertest.Composers
}

func parsed(t testing.TB, text string, args ...any) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(fmt.Appendf(nil, text, args...), &o.Object); err != nil {
		t.Fatal(err)
	}
	o.SetNamespace("ns")
	return o
}

func newManyPools(t testing.TB, pools int) *manyPools {
	t.Helper()
	const infra, owner = "infrastructure.cluster.x-k8s.io", "ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: %s, name: %s, uid: %s}], labels: {cluster.x-k8s.io/cluster-name: c1}"
	ofCluster := fmt.Sprintf(owner, "Cluster", "c1", "c1-uid")
	cluster := parsed(t, "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c1, uid: c1-uid}, spec: {"+
		"infrastructureRef: {apiGroup: %[1]s, kind: AzureManagedCluster, name: infra}, controlPlaneRef: {apiGroup: %[1]s, kind: AzureManagedControlPlane, name: cp}}}", infra)
	m := &manyPools{composers: composertest.Composers{}}
	m.infrastructure = parsed(t, "{apiVersion: %s/v1beta1, kind: AzureManagedCluster, metadata: {name: infra, uid: infra-uid, %s}, spec: {}}", infra, ofCluster)
	m.controlPlane = parsed(t, "{apiVersion: %s/v1beta1, kind: AzureManagedControlPlane, metadata: {name: cp, uid: cp-uid, annotations: {infrastructure.cluster.x-k8s.io/credential-secret: s}, %s}, "+
		"spec: {version: v1.33.6, location: westeurope, subscriptionID: sub, identityRef: {kind: AzureClusterIdentity, name: id}}, "+
		"status: {version: v1.33.6, resources: [{resource: {group: containerservice.azure.com, version: v1api20250801, kind: ManagedCluster, name: cp}, ready: true, ownership: owned}]}}", infra, ofCluster)
	m.managedCluster = parsed(t, "{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: cp}, spec: {owner: {name: c1}}, status: {agentPoolProfiles: [{name: p0}]}}")
	m.world.Objects = []*unstructured.Unstructured{cluster, m.infrastructure, m.controlPlane}
	for n := range pools {
		m.world.Objects = append(m.world.Objects,
			parsed(t, "{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: mp%[1]d, uid: mp%[1]d-uid, labels: {cluster.x-k8s.io/cluster-name: c1}}, spec: {clusterName: c1, replicas: 1, "+
				"template: {spec: {version: v1.33.6, infrastructureRef: {apiGroup: %[2]s, kind: AzureManagedMachinePool, name: p%[1]d}}}}}", n, infra),
			parsed(t, "{apiVersion: %s/v1beta1, kind: AzureManagedMachinePool, metadata: {name: p%d, uid: p%[2]d-uid, %s}, spec: {mode: System, sku: Standard_D2s_v5}}",
				infra, n, fmt.Sprintf(owner, "MachinePool", fmt.Sprintf("mp%d", n), fmt.Sprintf("mp%d-uid", n))))
	}
	m.aPool = m.world.Objects[4]
	m.world = m.world.WithFacts(cluster)
	for _, k := range composite.Select(composite.Of(composite.Managed)) {
		m.composers[k.Kind], _ = Composer(k.GroupKind())
	}
	return m
}

// settled returns the request about a composite with all that is read for it.
func (m *manyPools) settled(t testing.TB, xr *unstructured.Unstructured) *fnv1.RunFunctionRequest {
	t.Helper()
	req := composertest.Request(t, xr)
	if xr == m.controlPlane {
		req = composertest.Request(t, xr, m.managedCluster)
	}
	m.composers.SettleByObjects(t, m.world, req)
	return req
}

// TestMachinePoolsOfOthersAreNotRead shows that the number of MachinePools of a Cluster that is up changes nothing of what is read for its
// composites: to add or to change one has that one composed anew, and nothing else.
func TestMachinePoolsOfOthersAreNotRead(t *testing.T) {
	few, many := newManyPools(t, 2), newManyPools(t, 1000)
	for _, c := range []struct{ few, many *unstructured.Unstructured }{
		{few.infrastructure, many.infrastructure}, {few.controlPlane, many.controlPlane}, {few.aPool, many.aPool},
	} {
		a, b := few.settled(t, c.few), many.settled(t, c.many)
		if !proto.Equal(a, b) {
			t.Errorf("%s: with 1,000 MachinePools %d bytes are read, with two %d", c.few.GetKind(), proto.Size(b), proto.Size(a))
		}
		if rsp := many.composers.Run(b); composertest.Fatal(rsp) != "" || composertest.ContractCondition(rsp, "ResourcesReady")["reason"] == "WaitingForOwner" {
			t.Errorf("%s is not composed: %v", c.few.GetKind(), rsp)
		}
		for name, read := range b.GetRequiredResources() {
			for _, item := range read.GetItems() {
				o := composertest.Object(t, item.GetResource())
				if own := clusterfacts.NameOfMachinePool("c1", "AzureManagedMachinePool", c.many.GetName()); o.GetName() != own && o.GetName() != "c1" {
					t.Errorf("%s: %s reads %s %s", c.few.GetKind(), name, o.GetKind(), o.GetName())
				}
			}
		}
	}
}

// BenchmarkOneOfManyMachinePools composes one pool of a Cluster with many, and says how much is read for it.
func BenchmarkOneOfManyMachinePools(b *testing.B) {
	for _, pools := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(pools), func(b *testing.B) {
			m := newManyPools(b, pools)
			req := m.settled(b, m.aPool)
			for b.Loop() {
				Run(req)
			}
			b.ReportMetric(float64(proto.Size(req)), "bytes-read")
		})
	}
}
