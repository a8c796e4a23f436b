package managed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

func TestWhatTheCredentialWaitsFor(t *testing.T) {
	identity := func(spec string) *unstr {
		return object(t, "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, metadata: {name: id}, spec: {type: WorkloadIdentity, clientID: x, tenantID: t%s}}", spec)
	}
	without := remove("metadata", "annotations")
	cases := map[string]struct {
		xr       *unstr
		identity *unstr
		want     string
	}{
		"it is there":             {xr: controlPlane(t), want: ""},
		"no identity":             {xr: controlPlane(t, without), want: "AzureClusterIdentity ns/id exists, which spec.identityRef names"},
		"in another namespace":    {xr: controlPlane(t, without, set("other", "spec", "identityRef", "namespace")), identity: identity(""), want: "AzureClusterIdentity other/id exists, which spec.identityRef names"},
		"of another kind":         {xr: controlPlane(t, without, set("Secret", "spec", "identityRef", "kind")), want: `spec.identityRef.kind is "Secret", but must be AzureClusterIdentity`},
		"no reference":            {xr: controlPlane(t, without, remove("spec", "identityRef")), want: "spec.identityRef names an AzureClusterIdentity, whose credential is used in Azure"},
		"no subscription":         {xr: controlPlane(t, without, remove("spec", "subscriptionID")), want: "spec.subscriptionID is set, as it cannot be told from the credential"},
		"allowed nowhere":         {xr: controlPlane(t, without), identity: identity(""), want: `spec.allowedNamespaces of AzureClusterIdentity ns/id has namespace "ns"`},
		"allowed elsewhere":       {xr: controlPlane(t, without), identity: identity(", allowedNamespaces: {list: [other]}"), want: `spec.allowedNamespaces of AzureClusterIdentity ns/id has namespace "ns"`},
		"allowed everywhere":      {xr: controlPlane(t, without), identity: identity(", allowedNamespaces: {}"), want: "provider-capz has made Secret c1-aso-secret from AzureClusterIdentity ns/id"},
		"allowed here":            {xr: controlPlane(t, without), identity: identity(", allowedNamespaces: {list: [ns]}"), want: "provider-capz has made Secret c1-aso-secret from AzureClusterIdentity ns/id"},
		"a selector must tell":    {xr: controlPlane(t, without), identity: identity(", allowedNamespaces: {selector: {matchLabels: {a: b}}}"), want: "provider-capz has made Secret c1-aso-secret from AzureClusterIdentity ns/id"},
		"the identity is garbage": {xr: controlPlane(t, without), identity: edited(identity(""), set("x", "spec")), want: "AzureClusterIdentity id cannot be read: spec is \"x\", but must be an object"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := aksWorld(t)
			if c.identity != nil {
				w = w.With(c.identity)
			}
			p := newPlay(t, w, c.xr)
			p.rounds(1)
			if c.want == "" {
				if len(p.Live) == 0 {
					t.Error("nothing is composed")
				}
				return
			}
			if len(p.Live) > 0 {
				t.Errorf("composed without a credential: %v", sortedKeys(p.Live))
			}
			if got := condition(p.Response, "ResourceGroupReady"); !strings.HasPrefix(got, "False WaitingForResource: ResourceGroup rg: waits until "+c.want) {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}

// TestWhatExistsNeedsNoCredential shows that only what is new waits for it.
func TestWhatExistsNeedsNoCredential(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t))
	p.rounds(8)
	p.XR = edited(p.XR, remove("metadata", "annotations"))
	p.rounds(1)
	if got := condition(p.Response, "ResourcesReady"); len(p.Live) != 4 || got != "True AllReady:" {
		t.Errorf("%v, %s", sortedKeys(p.Live), got)
	}
}

// TestCredentialLost shows that a cluster whose credential is taken away is not ready, keeps what it has, and gets nothing new.
func TestCredentialLost(t *testing.T) {
	const lost = "False IdentityNotAllowed: it is not for this namespace"
	annotated := annotate(v1beta1.AnnotationCredentialFailed, "IdentityNotAllowed: it is not for this namespace")
	w := aksWorld(t)
	p := newPlay(t, w, controlPlane(t))
	p.rounds(8)
	if got := condition(p.Response, "CredentialReady"); got != "True Made: Secret c1-aso-secret has the credential for Azure" {
		t.Errorf("CredentialReady: %q", got)
	}
	before := sortedKeys(p.Live)
	p.XR = edited(p.XR, annotated, set("subnets", "spec", "virtualNetwork", "resourceGroup"))
	p.rounds(2)
	if diff := cmp.Diff(before, sortedKeys(p.Live)); diff != "" {
		t.Errorf("composed: -want, +got:\n%s", diff)
	}
	for conditionType, want := range map[string]string{"Ready": lost, "CredentialReady": lost} {
		if got := condition(p.Response, conditionType); got != want {
			t.Errorf("%s: %q", conditionType, got)
		}
	}
	w = w.With(p.XR)
	infra := edited(infrastructure(t), set(true, "status", "ready"))
	if got := condition(composers.Settle(t, w, request(t, infra)), "Ready"); got != lost {
		t.Errorf("Ready of the infrastructure: %q", got)
	}
	pool := poolXR(t, "p1", "User")
	rsp := composers.Settle(t, w, request(t, pool))
	if got := condition(rsp, "Ready"); got != lost || len(rsp.GetDesired().GetResources()) > 0 {
		t.Errorf("Ready of a pool: %q, it composes %v", got, rsp.GetDesired().GetResources())
	}
}

// TestCredentialRefused shows that the reason for which there never was a credential stands where people look, once.
func TestCredentialRefused(t *testing.T) {
	const root = "False IdentityNotAllowed: it is not for this namespace"
	refused := annotate(v1beta1.AnnotationCredentialFailed, "IdentityNotAllowed: it is not for this namespace")
	xr := controlPlane(t, remove("metadata", "annotations"), refused)
	w := aksWorld(t).With(xr)
	for conditionType, want := range map[string]string{"Ready": root, "Available": root, "CredentialReady": root} {
		if got := condition(composers.Settle(t, w, request(t, xr)), conditionType); got != want {
			t.Errorf("%s: %q", conditionType, got)
		}
	}
	const why = "waits until AzureManagedControlPlane cp has the credential for Azure: it is not for this namespace"
	if got := condition(composers.Settle(t, w, request(t, xr)), "ResourcesReady"); strings.Count(got, why) != 1 || !strings.Contains(got, "ResourceGroup rg, VirtualNetwork") {
		t.Errorf("ResourcesReady: %q", got)
	}
	for _, other := range []*unstr{infrastructure(t), poolXR(t, "p1", "User")} {
		if got := condition(composers.Settle(t, w, request(t, other)), "Ready"); got != root {
			t.Errorf("Ready of %s: %q", other.GetKind(), got)
		}
	}
}

func TestControlPlaneStatus(t *testing.T) {
	access := func(private, public any) map[string]any {
		return map[string]any{"apiServerAccessProfile": map[string]any{"enablePrivateCluster": private, "enablePrivateClusterPublicFQDN": public}}
	}
	channel := func(name string) edit { return set(name, "spec", "autoUpgradeProfile", "upgradeChannel") }
	cases := map[string]struct {
		xr    *unstr
		azure map[string]any
		want  map[string]any
	}{
		"public":                       {want: map[string]any{"controlPlaneEndpoint": "api.example.org", "version": "v1.33.6"}},
		"private":                      {azure: access(true, false), want: map[string]any{"controlPlaneEndpoint": "private.example.org", "version": "v1.33.6"}},
		"private with a public name":   {azure: access(true, true), want: map[string]any{"controlPlaneEndpoint": "api.example.org", "version": "v1.33.6"}},
		"the version is Azure's":       {azure: map[string]any{"currentKubernetesVersion": "1.32.9"}, want: map[string]any{"controlPlaneEndpoint": "api.example.org", "version": "v1.32.9"}},
		"an upgrade by itself":         {xr: controlPlane(t, channel("stable")), azure: map[string]any{"currentKubernetesVersion": "1.34.0"}, want: map[string]any{"controlPlaneEndpoint": "api.example.org", "version": "v1.34.0", "autoUpgradeVersion": "v1.34.0"}},
		"only the nodes by themselves": {xr: controlPlane(t, channel("node-image")), want: map[string]any{"controlPlaneEndpoint": "api.example.org", "version": "v1.33.6"}},
		"an issuer":                    {azure: map[string]any{"oidcIssuerProfile": map[string]any{"issuerURL": "https://issuer"}}, want: map[string]any{"controlPlaneEndpoint": "api.example.org", "version": "v1.33.6", "issuerURL": "https://issuer"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.xr == nil {
				c.xr = controlPlane(t)
			}
			p := newPlay(t, aksWorld(t), c.xr)
			p.rounds(8)
			for field, value := range c.azure {
				p.Live["ManagedCluster.containerservice.azure.com/cp"].Status[field] = value
			}
			p.Compose()
			got := status(p.Response)
			host, _, _ := unstructured.NestedString(got, "controlPlaneEndpoint", "host")
			summary := map[string]any{"controlPlaneEndpoint": host, "version": got["version"]}
			if v := got["autoUpgradeVersion"]; v != nil {
				summary["autoUpgradeVersion"] = v
			}
			if url, _, _ := unstructured.NestedString(got, "oidcIssuerProfile", "issuerURL"); url != "" {
				summary["issuerURL"] = url
			}
			if diff := cmp.Diff(c.want, summary); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if got["initialized"] != true || got["ready"] != true || got["externalManagedControlPlane"] != true {
				t.Errorf("want it initialized, ready and managed by Azure: %v", got)
			}
		})
	}
}

func TestFailuresAreShownWhereTheyAre(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t))
	p.rounds(8)
	p.Live["VirtualNetwork.network.azure.com/net"].Status["conditions"] = []any{map[string]any{
		"type": "Ready", "status": "False", "severity": "Error", "reason": "NetcfgInvalidSubnet", "message": "too small", "observedGeneration": int64(1)}}
	p.Compose()
	for conditionType, want := range map[string]string{
		"VNetReady":             "False NetcfgInvalidSubnet: VirtualNetwork net: too small",
		"ResourcesReady":        "False NetcfgInvalidSubnet: VirtualNetwork net: too small",
		"Ready":                 "False NetcfgInvalidSubnet: VirtualNetwork net: too small",
		"Available":             "True Provisioned: VirtualNetwork net: too small",
		"ResourceGroupReady":    "True AllReady:",
		"ManagedClusterRunning": "True AllReady:",
	} {
		if got := condition(p.Response, conditionType); got != want {
			t.Errorf("%s: want %q, got %q", conditionType, want, got)
		}
	}
}

func TestAFailedPatchIsNamed(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t, set([]any{`{"spec":{"dnsPrefix":"a"}}`, `{"spec":{"x":1}}`}, "spec", "asoManagedClusterPatches")))
	p.rounds(6)
	if got := condition(p.Response, "ManagedClusterRunning"); !strings.Contains(got, "spec.asoManagedClusterPatches[1] cannot be applied") {
		t.Errorf("want the patch named by its index, got %s", got)
	}
	if got := condition(p.Response, "SubnetsReady"); got != "True AllReady:" {
		t.Errorf("the others go on: %s", got)
	}
}

func TestCustomHeaders(t *testing.T) {
	const prefix = "infrastructure.cluster.x-k8s.io/custom-header-"
	p := newPlay(t, aksWorld(t), controlPlane(t, annotate(prefix+"EnableEncryptionAtHost", "true"), annotate(prefix+"Other", "x")))
	p.rounds(1)
	for header, want := range map[string]string{
		"EnableEncryptionAtHost": "In its place is spec.enableEncryptionAtHost of the AzureManagedMachinePool",
		"Other":                  "In its place is a field of the ManagedCluster or agent pool: set it in spec.asoManagedClusterPatches",
	} {
		got := condition(p.Response, "CustomHeader."+header)
		if !strings.HasPrefix(got, "False NotSent: annotation "+prefix+header+" has no effect") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", header, got)
		}
	}
	// Crossplane keeps in status.conditions what a function once said.
	var kept []any
	for _, c := range p.Response.GetConditions() {
		kept = append(kept, map[string]any{"type": c.GetType(), "status": "False"})
	}
	p.XR = edited(p.XR, remove("metadata", "annotations", prefix+"Other"), set(kept, "status", "conditions"))
	p.Response = composers.Settle(t, p.World, request(t, p.XR, p.Live.Objects()...))
	if got := condition(p.Response, "CustomHeader.Other"); got != "True NotAskedFor: the annotation is gone" {
		t.Errorf("after the annotation has gone: %s", got)
	}
	if got := condition(p.Response, "CustomHeader.EnableEncryptionAtHost"); !strings.HasPrefix(got, "False NotSent") {
		t.Errorf("the other annotation: %s", got)
	}
	many := p.XR
	for n := range 40 {
		many = edited(many, annotate(fmt.Sprintf("%sHeader%d", prefix, n), "x"))
	}
	rsp := composers.Settle(t, p.World, request(t, many, p.Live.Objects()...))
	if all, _, _ := unstructured.NestedSlice(status(rsp), "v1beta2", "conditions"); len(all) > 32 {
		t.Errorf("%d conditions, but Cluster API reads 32 at most", len(all))
	}
}

func TestCluster(t *testing.T) {
	withHost := set("api.example.org", "spec", "controlPlaneEndpoint", "host")
	cases := map[string]struct {
		xr    *unstr
		world world
		want  string
		done  bool
	}{
		"no endpoint":           {xr: infrastructure(t), world: aksWorld(t), want: "False WaitingForControlPlaneEndpoint: waits for spec.controlPlaneEndpoint, which comes from the control plane"},
		"endpoint":              {xr: edited(infrastructure(t), withHost), world: aksWorld(t), want: "True Provisioned:", done: true},
		"the endpoint goes":     {xr: edited(infrastructure(t), set(true, "status", "ready")), world: aksWorld(t), want: "True Provisioned:", done: true},
		"no Cluster":            {xr: edited(infrastructure(t), withHost), want: `False WaitingForOwner: waits for Cluster "c1", which owns it and does not exist in namespace "ns"`},
		"another control plane": {xr: edited(infrastructure(t), withHost), world: world{Objects: []*unstr{edited(cluster(t), set("KubeadmControlPlane", "spec", "controlPlaneRef", "kind"))}}, want: "False InvalidClusterReference: AzureManagedCluster cannot be used without AzureManagedControlPlane"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := composers.Settle(t, c.world, request(t, c.xr))
			if got := condition(rsp, "Ready"); !strings.HasPrefix(got, c.want) {
				t.Errorf("want %q, got %q", c.want, got)
			}
			provisioned, _, _ := unstructured.NestedBool(status(rsp), "initialization", "provisioned")
			if status(rsp)["ready"] != c.done || provisioned != c.done {
				t.Errorf("want ready %v, got %v", c.done, status(rsp))
			}
		})
	}
}

func TestPool(t *testing.T) {
	p0 := newPlay(t, aksWorld(t), controlPlane(t))
	p0.rounds(8)
	ready := p0.XR
	scaling := set(map[string]any{"minSize": int64(1), "maxSize": int64(5)}, "spec", "scaling")
	managedBy := func(value string) *unstr {
		return edited(machinePool(t, "p0"), annotate("cluster.x-k8s.io/replicas-managed-by", value))
	}
	cases := map[string]struct {
		xr    *unstr
		world []*unstr
		want  string
	}{
		"the cluster is not there":    {world: []*unstr{controlPlane(t)}, want: "False WaitingForResource: ManagedClustersAgentPool p0: waits until the ManagedCluster of AzureManagedControlPlane cp is ready"},
		"no credential":               {world: []*unstr{edited(ready, remove("metadata", "annotations"))}, want: "False WaitingForResource: ManagedClustersAgentPool p0: waits until AzureManagedControlPlane cp has the credential for Azure"},
		"no control plane":            {want: `waits for AzureManagedControlPlane "cp", which spec.controlPlaneRef of Cluster "c1" names and which does not exist`},
		"made":                        {world: []*unstr{ready}, want: "True AllReady:"},
		"newer than the cluster":      {world: []*unstr{ready, edited(machinePool(t, "p0"), set("v1.34.0", "spec", "template", "spec", "version"))}, want: "False IncompatibleValue: the MachinePool of AzureManagedMachinePool p0: spec.template.spec.version"},
		"scaled by AKS":               {xr: edited(poolXR(t, "p0", "System"), scaling), world: []*unstr{ready, managedBy("aks")}, want: "True AllReady:"},
		"scaled by AKS, as CAPZ says": {xr: edited(poolXR(t, "p0", "System"), scaling), world: []*unstr{ready, managedBy("true")}, want: "True AllReady:"},
		"scaled by another, too":      {xr: edited(poolXR(t, "p0", "System"), scaling), world: []*unstr{ready, managedBy("keda")}, want: `False ReplicasManagedByOther: spec.scaling is set, but must be absent because annotation cluster.x-k8s.io/replicas-managed-by of MachinePool "mp-p0" says that "keda" manages the replicas`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.xr == nil {
				c.xr = poolXR(t, "p0", "System")
			}
			p := newPlay(t, aksWorld(t).With(c.world...), c.xr)
			p.rounds(2)
			got := condition(p.Response, "AgentPoolsReady")
			if got == "" {
				got = strings.TrimPrefix(condition(p.Response, "Ready"), "False WaitingForOwner: ")
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("want %q, got %q", c.want, got)
			}
			if made := len(p.Did) > 0; made != strings.HasPrefix(c.want, "True") {
				t.Errorf("what ASO did in Azure: %v", p.Did)
			}
		})
	}
}

func TestPoolIsReadyWithItsNodes(t *testing.T) {
	made := newPlay(t, aksWorld(t), controlPlane(t)).rounds(8)
	p := newPlay(t, aksWorld(t, made.XR), poolXR(t, "p0", "System"))
	p.rounds(2)
	if got := condition(p.Response, "Ready"); got != "False WaitingForNodes: waits for spec.providerIDList, which comes from the nodes of the pool" {
		t.Errorf("without nodes: %s", got)
	}
	if got := status(p.Response)["replicas"]; got != 3.0 {
		t.Errorf("replicas: want 3, got %v", got)
	}
	p.XR = edited(p.XR, set([]any{"azure:///x"}, "spec", "providerIDList"))
	p.rounds(1)
	if got := condition(p.Response, "Ready"); got != "True Provisioned:" || status(p.Response)["ready"] != true {
		t.Errorf("with nodes: %s", got)
	}
}

// TestWaitsOnceForWhatAllPoolsReferTo shows that a subnet is not named again for each of the pools that are in it.
func TestWaitsOnceForWhatAllPoolsReferTo(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t))
	const want = "waits until VirtualNetworksSubnet net-nodes (spec.agentPoolProfiles[0].vnetSubnetReference.armId) is ready"
	for range 8 {
		p.rounds(1)
		got := condition(p.Response, "ManagedClusterRunning")
		if strings.Count(got, "agentPoolProfiles[") > 1 {
			t.Fatalf("want the subnet named once, got %q", got)
		}
		if strings.HasSuffix(got, want) {
			return
		}
	}
	t.Errorf("it never %s", want)
}

// TestVersionOfTopology shows that Cluster API sees a version, and makes the pools that are missing, until the topology has them all.
func TestVersionOfTopology(t *testing.T) {
	ofTopology := func(pool string) *unstr {
		return edited(machinePool(t, pool), set(pool, "metadata", "labels", "topology.cluster.x-k8s.io/pool-name"))
	}
	pools := []any{map[string]any{"name": "p0"}, map[string]any{"name": "p1"}}
	p := newPlay(t, world{Objects: []*unstr{edited(cluster(t), set(pools, "spec", "topology", "workers", "machinePools")), ofTopology("p1"), poolXR(t, "p1", "User")}}, controlPlane(t))
	p.rounds(4)
	want := []any{map[string]any{"version": "v1.33.6", "replicas": 0.0}}
	if diff := cmp.Diff(want, status(p.Response)["versions"]); diff != "" {
		t.Errorf("p0 is missing: -want, +got:\n%s", diff)
	}
	p.World = p.World.With(ofTopology("p0"))
	p.rounds(1)
	if versions := status(p.Response)["versions"]; versions != nil {
		t.Errorf("both are there: %v", versions)
	}
}

// TestPoolsAtCreation shows that a ManagedCluster is made with all pools at once, and keeps those that were sent.
func TestPoolsAtCreation(t *testing.T) {
	cases := map[string]struct {
		world world
		want  string
	}{
		"no pools":              {world{Objects: []*unstr{cluster(t)}}, "an AzureManagedMachinePool of Cluster c1 has spec.mode System"},
		"no System pool":        {world{Objects: []*unstr{cluster(t), machinePool(t, "p1"), poolXR(t, "p1", "User")}}, "an AzureManagedMachinePool of Cluster c1 has spec.mode System"},
		"a pool is missing":     {aksWorld(t).Without(poolXR(t, "p1", "User")), "AzureManagedMachinePool p1 exists and has label cluster.x-k8s.io/cluster-name, which MachinePool mp-p1 refers to"},
		"a MachinePool misses":  {aksWorld(t).Without(machinePool(t, "p1")), "a MachinePool refers to AzureManagedMachinePool p1"},
		"a pool is wrong":       {aksWorld(t).With(edited(poolXR(t, "p1", "User"), set([]any{"{"}, "spec", "asoManagedClustersAgentPoolPatches"))), "AzureManagedMachinePool p1 is fixed: spec.asoManagedClustersAgentPoolPatches[0]"},
		"a pool cannot be read": {aksWorld(t).With(edited(poolXR(t, "p1", "User"), set("x", "spec"))), "AzureManagedMachinePool p1 cannot be read"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, c.world, controlPlane(t))
			p.rounds(8)
			if got := condition(p.Response, "ManagedClusterRunning"); !strings.Contains(got, "waits until ") || !strings.Contains(got, c.want) {
				t.Errorf("want it to wait until %q, got %q", c.want, got)
			}
			if _, made := p.Azure["ManagedCluster cp"]; made {
				t.Error("made without its pools")
			}
			if versions := status(p.Response)["versions"]; versions != nil {
				t.Errorf("versions: %v", versions)
			}
		})
	}
	p := newPlay(t, aksWorld(t), controlPlane(t))
	p.rounds(4)
	managed := p.Live["ManagedCluster.containerservice.azure.com/cp"]
	managed.Status = nil // Azure works.
	p.World = p.World.Without(poolXR(t, "p1", "User"))
	p.Compose()
	sent, _, _ := unstructured.NestedSlice(p.Live.Object("ManagedCluster.containerservice.azure.com/cp").Object, "spec", "agentPoolProfiles")
	if len(sent) != 2 {
		t.Errorf("want both pools kept while Azure works, got %v", sent)
	}
}

// TestPoolsBecomeObjectsOfTheirOwn shows that pools come as soon as Azure has the cluster, which keeps them until their objects
// are ready: to take them out of it earlier would have them wait for that.
func TestPoolsBecomeObjectsOfTheirOwn(t *testing.T) {
	const managed = "ManagedCluster.containerservice.azure.com/cp"
	p := newPlay(t, aksWorld(t), controlPlane(t))
	profiles := func() int {
		sent, _, _ := unstructured.NestedSlice(p.Live.Object(managed).Object, "spec", "agentPoolProfiles")
		return len(sent)
	}
	p.rounds(6)
	for _, conditionType := range []string{"Available", "ManagedClusterRunning"} {
		if got := condition(p.Response, conditionType); !strings.HasPrefix(got, "True") {
			t.Errorf("%s: %s", conditionType, got)
		}
	}
	if got := profiles(); got != 2 {
		t.Errorf("want both pools kept until their objects are ready, got %d", got)
	}
	pool := newPlay(t, aksWorld(t, p.XR), poolXR(t, "p0", "System"))
	if pool.rounds(2); len(pool.Did) != 1 {
		t.Error("the pool is not sent")
	}
	up := func(name string) *unstr {
		return edited(poolXR(t, name, "System"), set([]any{map[string]any{
			"resource": map[string]any{"group": "containerservice.azure.com", "version": "v1", "kind": "ManagedClustersAgentPool", "name": name}, "ready": true,
		}}, "status", "resources"))
	}
	p.World = p.World.With(up("p0"))
	if p.Compose(); profiles() != 2 {
		t.Errorf("want both pools kept until both objects are ready, got %d", profiles())
	}
	p.World = p.World.With(edited(up("p1"), set("User", "spec", "mode")))
	p.Compose()
	if got := condition(p.Response, "ManagedClusterRunning"); profiles() != 0 || got != "False WaitingForResource: ManagedCluster cp: is updated: its agent pools are objects of their own from now on" {
		t.Errorf("ManagedClusterRunning: %s, with %d profiles", got, profiles())
	}
	p.rounds(2)
	if got := condition(p.Response, "ManagedClusterRunning"); got != "True AllReady:" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestChangedPoolsAreTheirOwn shows that the cluster lets go of its pools at once when one is to be another than it was made.
func TestChangedPoolsAreTheirOwn(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t))
	p.rounds(6)
	p.World = p.World.With(edited(machinePool(t, "p1"), set(int64(7), "spec", "replicas")))
	p.Compose()
	if sent, _, _ := unstructured.NestedSlice(p.Live.Object("ManagedCluster.containerservice.azure.com/cp").Object, "spec", "agentPoolProfiles"); len(sent) > 0 {
		t.Errorf("sent: %v", sent)
	}
}

// TestPoolsAreUpgradedAfterTheControlPlane shows that AKS is never asked for nodes that are newer than the control plane.
func TestPoolsAreUpgradedAfterTheControlPlane(t *testing.T) {
	made := newPlay(t, aksWorld(t), controlPlane(t)).rounds(8)
	p := newPlay(t, aksWorld(t, made.XR), poolXR(t, "p0", "System"))
	p.rounds(2)
	version := func() any {
		return p.Live.Objects()[0].Object["spec"].(map[string]any)["orchestratorVersion"]
	}
	p.World = p.World.With(edited(made.XR, set("v1.34.1", "spec", "version")), edited(machinePool(t, "p0"), set("v1.34.1", "spec", "template", "spec", "version")))
	p.rounds(2)
	if got := version(); got != "1.33.6" {
		t.Errorf("while the control plane is upgraded: %v", got)
	}
	want := "False WaitingForResource: ManagedClustersAgentPool p0: is upgraded when AzureManagedControlPlane cp runs Kubernetes v1.34.1 (it runs v1.33.6)"
	if got := condition(p.Response, "AgentPoolsReady"); got != want {
		t.Errorf("want %q, got %q", want, got)
	}
	p.World = p.World.With(edited(made.XR, set("v1.34.1", "spec", "version"), set("v1.34.1", "status", "version")))
	p.rounds(2)
	if got := version(); got != "1.34.1" {
		t.Errorf("afterwards: %v", got)
	}
	if got := condition(p.Response, "AgentPoolsReady"); got != "True AllReady:" {
		t.Errorf("afterwards: %s", got)
	}
}

func TestTheFoundationIsNotExchanged(t *testing.T) {
	p := newPlay(t, aksWorld(t), controlPlane(t))
	p.rounds(8)
	did := len(p.Did)
	p.XR = edited(p.XR, set("another", "spec", "virtualNetwork", "name"))
	p.rounds(4)
	if len(p.Did) != did {
		t.Errorf("what ASO did in Azure: %v", p.Did[did:])
	}
	want := `False ImmutableField: spec.virtualNetwork gives VirtualNetwork "another", but must stay with "net", which the cluster stands on`
	if got := condition(p.Response, "VNetReady"); got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}
