package asomanaged

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A mutation says what becomes of a field that Cluster API decides.
type mutation struct {
	xr    *unstr
	world world
	// observed are objects that exist.
	observed []*unstr
	field    []string
	// want is the composed value, nil for none; problem is the message that says why it is not composed.
	want    any
	problem string
	reason  string
}

func (m mutation) test(t *testing.T, object string) {
	t.Helper()
	rsp := composers.Settle(t, m.world, request(t, m.xr, m.observed...))
	if f := fatal(rsp); f != "" {
		t.Fatal(f)
	}
	var composed *unstr
	for _, o := range desired(t, rsp) {
		if o.GetName() == object {
			composed = o
		}
	}
	isReady, reason, message := outcome(rsp, object)
	if m.problem != "" {
		if m.reason == "" {
			m.reason = "IncompatibleValue"
		}
		if composed != nil && len(m.observed) == 0 || isReady || reason != m.reason || message != m.problem {
			t.Errorf("want %s: %s\ngot %s: %s\n(ready %v, composed %v)", m.reason, m.problem, reason, message, isReady, composed != nil)
		}
		return
	}
	if composed == nil {
		t.Fatalf("%s is not composed: %s, %s", object, reason, message)
	}
	got, _, _ := unstructured.NestedFieldNoCopy(composed.Object, m.field...)
	if diff := cmp.Diff(m.want, got); diff != "" {
		t.Errorf("%v: -want, +got:\n%s", m.field, diff)
	}
}

func TestManagedClusterMutators(t *testing.T) {
	version := []string{"spec", "kubernetesVersion"}
	services := []string{"spec", "networkProfile", "serviceCidr"}
	pods := []string{"spec", "networkProfile", "podCidr"}
	profiles := []string{"spec", "agentPoolProfiles"}
	secrets := []string{"spec", "operatorSpec", "secrets"}
	w := aksWorld("p0")
	network := func(edits ...edit) world { return w.With(cluster(edits...)) }
	runs := func(version string) []*unstr {
		return []*unstr{exists(t, controlPlaneXR(), settledCluster(), inAzure, set(version, "status", "currentKubernetesVersion"))}
	}
	cases := map[string]mutation{
		"version, absent":          {xr: controlPlaneXR(aksCluster()), field: version, want: "1.33.6"},
		"version, same":            {xr: controlPlaneXR(aksCluster(set("1.33.6", version...))), field: version, want: "1.33.6"},
		"version, null":            {xr: controlPlaneXR(aksCluster(set(nil, version...))), field: version, want: "1.33.6"},
		"version without v":        {xr: edited(controlPlaneXR(aksCluster()), set("1.33.6", "spec", "version")), field: version, want: "1.33.6"},
		"version, none in the XR":  {xr: edited(controlPlaneXR(aksCluster(set("1.30.1", version...))), remove("spec", "version")), field: version, want: "1.30.1"},
		"version, none at all":     {xr: edited(controlPlaneXR(aksCluster()), remove("spec", "version")), field: version},
		"version, empty in the XR": {xr: edited(controlPlaneXR(aksCluster(set("1.30.1", version...))), set("", "spec", "version")), field: version, want: "1.30.1"},
		"version, different": {xr: controlPlaneXR(aksCluster(set("1.30.1", version...))),
			problem: `spec.resources[0].spec.kubernetesVersion is "1.30.1", but must be "1.33.6" or absent because spec.version is "v1.33.6"`},
		"version, with a v": {xr: controlPlaneXR(aksCluster(set("v1.33.6", version...))),
			problem: `spec.resources[0].spec.kubernetesVersion is "v1.33.6", but must be "1.33.6" or absent because spec.version is "v1.33.6"`},

		"version, upgraded by AKS":           {xr: controlPlaneXR(aksCluster()), observed: runs("1.34.2"), field: version, want: "1.34.2"},
		"version, upgraded by AKS, the same": {xr: controlPlaneXR(aksCluster(set("1.33.6", version...))), observed: runs("1.34.2"), field: version, want: "1.34.2"},
		"version, upgraded by AKS, no Cluster API": {xr: edited(controlPlaneXR(aksCluster(set("1.33.6", version...))), remove("spec", "version")),
			observed: runs("1.34.2"), field: version, want: "1.34.2"},
		"version, upgraded by AKS, a minor version": {xr: edited(controlPlaneXR(aksCluster()), set("v1.34", "spec", "version")), observed: runs("1.34.2"), field: version, want: "1.34"},
		"version, upgraded by AKS, none at all":     {xr: edited(controlPlaneXR(aksCluster()), remove("spec", "version")), observed: runs("1.34.2"), field: version},
		"version, an upgrade":                       {xr: controlPlaneXR(aksCluster()), observed: runs("1.33.5"), field: version, want: "1.33.6"},
		"version, one that AKS refused is taken back": {xr: controlPlaneXR(aksCluster()), field: version, want: "1.33.6", observed: []*unstr{exists(t, controlPlaneXR(),
			edited(settledCluster(), set("1.35.1", version...)), inAzure, condition("False", "Error", "OperationNotAllowed", "cannot skip a minor version"))}},
		"version, upgraded by AKS, and different": {xr: controlPlaneXR(aksCluster(set("1.30.1", version...))), observed: runs("1.34.2"),
			problem: `spec.resources[0].spec.kubernetesVersion is "1.30.1", but must be "1.33.6" or absent because spec.version is "v1.33.6"`},

		"services, absent": {xr: controlPlaneXR(aksCluster()), field: services, want: "10.0.0.0/16"},
		"services, same":   {xr: controlPlaneXR(aksCluster(set("10.0.0.0/16", services...))), field: services, want: "10.0.0.0/16"},
		"services, not in Cluster": {xr: controlPlaneXR(aksCluster(set("10.9.0.0/16", services...))), field: services, want: "10.9.0.0/16",
			world: network(remove("spec", "clusterNetwork", "services"))},
		"services, none in Cluster": {xr: controlPlaneXR(aksCluster()), field: services,
			world: network(set(list(), "spec", "clusterNetwork", "services", "cidrBlocks"))},
		"services, different": {xr: controlPlaneXR(aksCluster(set("10.9.0.0/16", services...))),
			problem: `spec.resources[0].spec.networkProfile.serviceCidr is "10.9.0.0/16", but must be "10.0.0.0/16" or absent because spec.clusterNetwork.services.cidrBlocks[0] of Cluster ns/c1 is "10.0.0.0/16"`},
		"services, of no map": {xr: controlPlaneXR(aksCluster(set("overlay", "spec", "networkProfile"))), reason: "InvalidField",
			problem: `spec.resources[0].spec.networkProfile is "overlay", but must be an object`},
		"pods, absent": {xr: controlPlaneXR(aksCluster()), field: pods, want: "10.244.0.0/16"},
		"pods, same":   {xr: controlPlaneXR(aksCluster(set("10.244.0.0/16", pods...))), field: pods, want: "10.244.0.0/16"},
		"pods, not in Cluster": {xr: controlPlaneXR(aksCluster(set("10.9.0.0/16", pods...))), field: pods, want: "10.9.0.0/16",
			world: network(remove("spec", "clusterNetwork"))},
		"pods, different": {xr: controlPlaneXR(aksCluster(set("10.9.0.0/16", pods...))),
			problem: `spec.resources[0].spec.networkProfile.podCidr is "10.9.0.0/16", but must be "10.244.0.0/16" or absent because spec.clusterNetwork.pods.cidrBlocks[0] of Cluster ns/c1 is "10.244.0.0/16"`},
		"the first mistake is named": {xr: controlPlaneXR(aksCluster(set("10.9.0.0/16", pods...), set("1.30.1", version...))),
			problem: `spec.resources[0].spec.kubernetesVersion is "1.30.1", but must be "1.33.6" or absent because spec.version is "v1.33.6"`},

		"profiles, absent": {xr: controlPlaneXR(aksCluster()), field: profiles, want: list(profileAsRead("p0"))},
		"profiles, an empty list": {xr: controlPlaneXR(aksCluster(set(list(), profiles...))),
			problem: "spec.resources[0].spec.agentPoolProfiles is [], but must be absent because agent pools are defined by AzureASOManagedMachinePools"},
		"profiles, some": {xr: controlPlaneXR(aksCluster(set(list(dict("name", "x")), profiles...))),
			problem: `spec.resources[0].spec.agentPoolProfiles is [{"name":"x"}], but must be absent because agent pools are defined by AzureASOManagedMachinePools`},
		"profiles, some, with the cluster in Azure": {xr: controlPlaneXR(aksCluster(set(list(dict("name", "x")), profiles...))),
			observed: []*unstr{exists(t, controlPlaneXR(), settledCluster(), inAzure)},
			problem:  `spec.resources[0].spec.agentPoolProfiles is [{"name":"x"}], but must be absent because agent pools are defined by AzureASOManagedMachinePools`},
		"profiles, cut in the message": {xr: controlPlaneXR(aksCluster(set(list(dict("name", "x"+manyOf("é", 100))), profiles...))),
			problem: `spec.resources[0].spec.agentPoolProfiles is [{"name":"x` + manyOf("é", 54) + "…, but must be absent because agent pools are defined by AzureASOManagedMachinePools"},

		"credentials, absent": {xr: controlPlaneXR(aksCluster()), field: secrets,
			want: dict("adminCredentials", dict("name", "c1-aso-kubeconfig", "key", "value"))},
		"credentials, local accounts disabled": {xr: controlPlaneXR(aksCluster(set(true, "spec", "disableLocalAccounts"))), field: secrets,
			want: dict("userCredentials", dict("name", "c1-aso-kubeconfig", "key", "value"))},
		"credentials, other secrets are kept": {
			xr:    controlPlaneXR(aksCluster(set(dict("name", "oidc", "key", "url"), append(secrets, "other")...), set("cm", "spec", "operatorSpec", "configMaps", "x", "name"))),
			field: []string{"spec", "operatorSpec"},
			want: dict("configMaps", dict("x", dict("name", "cm")), "secrets",
				dict("other", dict("name", "oidc", "key", "url"), "adminCredentials", dict("name", "c1-aso-kubeconfig", "key", "value")))},
		"credentials, the user's admin": {xr: controlPlaneXR(aksCluster(set(dict("name", "mine", "key", "k"), append(secrets, "adminCredentials")...))), field: secrets,
			want: dict("adminCredentials", dict("name", "mine", "key", "k"))},
		"credentials, the user's user": {xr: controlPlaneXR(aksCluster(set(dict("name", "mine", "key", "k"), append(secrets, "userCredentials")...))), field: secrets,
			want: dict("userCredentials", dict("name", "mine", "key", "k"))},
		"credentials, under the contract's name": {
			xr: controlPlaneXR(aksCluster(set(dict("name", "c1-kubeconfig", "key", "value"), append(secrets, "adminCredentials")...))), field: secrets,
			want: dict("adminCredentials", dict("name", "c1-kubeconfig", "key", "value", "labels", dict("cluster.x-k8s.io/cluster-name", "c1")))},
		"credentials, under the contract's name with labels": {
			xr:    controlPlaneXR(aksCluster(set(dict("name", "c1-kubeconfig", "key", "value", "labels", dict("a", "b")), append(secrets, "adminCredentials")...))),
			field: secrets, want: dict("adminCredentials", dict("name", "c1-kubeconfig", "key", "value", "labels", dict("a", "b", "cluster.x-k8s.io/cluster-name", "c1")))},
		"credentials, not a map": {xr: controlPlaneXR(aksCluster(set("x", append(secrets, "adminCredentials")...))),
			problem: `spec.resources[0].spec.operatorSpec.secrets.adminCredentials is "x", but must be {"key":"value","name":"c1-aso-kubeconfig"} or absent because the kubeconfig of the cluster is read from it`},

		"label of the cluster": {xr: controlPlaneXR(aksCluster()), field: []string{"metadata", "labels"}, want: dict("cluster.x-k8s.io/cluster-name", "c1")},
		"labels of the user": {xr: controlPlaneXR(aksCluster(set("b", "metadata", "labels", "a"))), field: []string{"metadata", "labels"},
			want: dict("a", "b", "cluster.x-k8s.io/cluster-name", "c1")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.world.Objects == nil {
				c.world = w
			}
			c.test(t, "mc")
		})
	}
}

func TestOnlyTheFirstManagedClusterIsChanged(t *testing.T) {
	second := edited(aksCluster(set("1.30.1", "spec", "kubernetesVersion")), func(o *unstr) { o.SetName("mc2") })
	xr := controlPlaneXR(aksCluster(), second)
	got := desired(t, composers.Settle(t, aksWorld("p0"), request(t, xr)))["ManagedCluster.containerservice.azure.com/mc2"]
	want := edited(second, set("c1", "metadata", "labels", "cluster.x-k8s.io/cluster-name"), set(ns, "metadata", "namespace"), held)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("second ManagedCluster: -want, +got:\n%s", diff)
	}
}

func TestAgentPoolMutators(t *testing.T) {
	version, counted := []string{"spec", "orchestratorVersion"}, []string{"spec", "count"}
	by := func(manager string) edit { return annotate("cluster.x-k8s.io/replicas-managed-by", manager) }
	autoscaled := set(true, "spec", "enableAutoScaling")
	pool := func(edits ...edit) *unstr { return poolXR("p0", aksPool("p0", edits...)) }
	there := func(edits ...edit) []*unstr { return []*unstr{exists(t, pool(), settledPool("p0"), edits...)} }
	owner := func(edits ...edit) world { return aksWorld("p0").With(machinePool("p0", edits...)) }
	runs := func(version string) edit { return set(version, "status", "currentOrchestratorVersion") }
	cases := map[string]mutation{
		"version, absent":             {xr: pool(), field: version, want: "1.33.6"},
		"version, same":               {xr: pool(set("1.33.6", version...)), field: version, want: "1.33.6"},
		"version, not in MachinePool": {xr: pool(set("1.30.1", version...)), world: owner(remove("spec", "template", "spec", "version")), field: version, want: "1.30.1"},
		"version, different": {xr: pool(set("1.30.1", version...)),
			problem: `spec.resources[0].spec.orchestratorVersion is "1.30.1", but must be "1.33.6" or absent because spec.template.spec.version of MachinePool "mp-p0" is "v1.33.6"`},

		"version, upgraded by AKS":                  {xr: pool(), observed: there(runs("1.34.2")), field: version, want: "1.34.2"},
		"version, upgraded by AKS, the same":        {xr: pool(set("1.33.6", version...)), observed: there(runs("1.34.2")), field: version, want: "1.34.2"},
		"version, upgraded by AKS, no Cluster API":  {xr: pool(set("1.33.6", version...)), world: owner(remove("spec", "template", "spec", "version")), observed: there(runs("1.34.2")), field: version, want: "1.34.2"},
		"version, an upgrade":                       {xr: pool(), observed: there(runs("1.33.5")), field: version, want: "1.33.6"},
		"version, raised by hand, and not in Azure": {xr: pool(), observed: there(runs("1.33.6"), set("1.34.2", version...)), field: version, want: "1.33.6"},
		"version, raised by hand, and in Azure":     {xr: pool(), observed: there(runs("1.34.2"), set("1.34.2", version...)), field: version, want: "1.34.2"},
		"version, one that AKS refused is taken back": {xr: pool(), field: version, want: "1.33.6", observed: there(runs("1.33.6"), set("1.35.1", version...),
			condition("False", "Error", "NodePoolMcVersionIncompatible", "incompatible"))},

		"count, absent":             {xr: pool(), field: counted, want: 3.0},
		"count, same":               {xr: pool(set(int64(3), counted...)), field: counted, want: 3.0},
		"count, zero":               {xr: pool(), world: owner(set(int64(0), "spec", "replicas")), field: counted, want: 0.0},
		"count, not in MachinePool": {xr: pool(set(int64(7), counted...)), world: owner(remove("spec", "replicas")), field: counted, want: 7.0},
		"count, different": {xr: pool(set(int64(7), counted...)),
			problem: `spec.resources[0].spec.count is 7, but must be 3 or absent because spec.replicas of MachinePool "mp-p0" is 3`},
		"count, follows replicas": {xr: pool(), observed: there(count(9)), field: counted, want: 3.0},

		"autoscaled, seeds the creation":           {xr: pool(autoscaled), field: counted, want: 3.0},
		"autoscaled, without status yet":           {xr: pool(autoscaled), observed: there(), field: counted, want: 3.0},
		"autoscaled, created":                      {xr: pool(autoscaled), observed: there(count(9)), field: counted},
		"autoscaled, created, annotated":           {xr: pool(autoscaled), world: owner(by("aks")), observed: there(count(9)), field: counted},
		"autoscaled, created, the user's count":    {xr: pool(autoscaled, set(int64(7), counted...)), observed: there(count(9)), field: counted},
		"autoscaling off, still annotated":         {xr: pool(), world: owner(by("aks")), observed: there(count(9)), field: counted, want: 3.0},
		"explicitly off, still annotated":          {xr: pool(set(false, "spec", "enableAutoScaling")), world: owner(by("aks")), observed: there(count(9)), field: counted, want: 3.0},
		"managed by other, seeds the creation":     {xr: pool(), world: owner(by("keda")), field: counted, want: 3.0},
		"managed by other, created":                {xr: pool(), world: owner(by("keda")), observed: there(count(9)), field: counted},
		"managed by other, with an empty name too": {xr: pool(), world: owner(by("")), observed: there(count(9)), field: counted},
		"autoscaled and managed by other": {xr: pool(autoscaled), world: owner(by("keda")), reason: "ReplicasManagedByOther",
			problem: `spec.resources[0].spec.enableAutoScaling is true, but must be false or absent because annotation cluster.x-k8s.io/replicas-managed-by of MachinePool "mp-p0" says that "keda" manages the replicas`},
		"version comes before autoscaling": {xr: pool(autoscaled, set("1.30.1", version...)), world: owner(by("keda")),
			problem: `spec.resources[0].spec.orchestratorVersion is "1.30.1", but must be "1.33.6" or absent because spec.template.spec.version of MachinePool "mp-p0" is "v1.33.6"`},
		"autoscaling comes before count": {xr: pool(autoscaled, set(int64(7), counted...)), world: owner(by("keda")), reason: "ReplicasManagedByOther",
			problem: `spec.resources[0].spec.enableAutoScaling is true, but must be false or absent because annotation cluster.x-k8s.io/replicas-managed-by of MachinePool "mp-p0" says that "keda" manages the replicas`},
		"owner by armId": {xr: pool(remove("spec", "owner"), set("/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/mc", "spec", "owner", "armId")),
			field: version, want: "1.33.6"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.world.Objects == nil {
				c.world = aksWorld("p0")
			}
			c.test(t, "p0")
		})
	}
}

// profileAsRead is the profile of a pool as it comes out of the response, where numbers are floats.
func profileAsRead(pool string, fields ...any) map[string]any {
	p := profile(pool, fields...)
	p["count"] = 3.0
	return p
}

func manyOf(s string, n int) string {
	out := ""
	for range n {
		out += s
	}
	return out
}
