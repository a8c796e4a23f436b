package specs

import (
	"fmt"
	"math/rand/v2"
	"slices"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// cilium is a data plane and a network policy, which belong together.
const cilium = "cilium"

// A Spec is one Cluster of the typed AKS kinds, as a user writes it, and what Azure will say about it.
type Spec struct {
	// Name says where it comes from.
	Name string
	// Cluster is the name of the Cluster, all in namespace "default".
	Cluster                string
	ServiceCIDRs, PodCIDRs []string
	ControlPlane           map[string]any
	Pools                  []Pool
	// Version, Count and AutoUpgradeVersion are what a running cluster reports.
	Version            string
	Count              int
	AutoUpgradeVersion string
}

// A Pool is an agent pool and its MachinePool.
type Pool struct {
	Object   map[string]any
	Replicas *int32
	Version  string
}

// Namespace is that of all objects.
const Namespace = "default"

// Random returns the spec of a seed. The schemas are those of spec of AzureManagedControlPlane and of
// AzureManagedMachinePool. CAPZ may refuse it: most rules between fields are kept, not all.
func Random(seed uint64, controlPlane, pool *extv1.JSONSchemaProps) *Spec {
	r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // A seed must give the same spec again.
	density := pick(r, 0.05, 0.3, 0.6, 0.9)
	s := &Spec{Name: fmt.Sprintf("seed %d", seed), Cluster: pick(r, "blue", "green-1"),
		Version: pick(r, "1.31.9", "1.33.2", "1.34.0"), Count: r.IntN(9)}
	g := &generator{Rand: r, density: density, values: controlPlaneValues}
	spec := g.object("", controlPlane)
	mendControlPlane(r, s, spec)
	s.ControlPlane = object("AzureManagedControlPlane", pick(r, s.Cluster, "other.name"), s.Cluster, spec)
	g = &generator{Rand: r, density: density, values: poolValues}
	for i := range 1 + r.IntN(3) {
		spec := g.object("", pool)
		mendPool(r, i, spec, preview(s.ControlPlane))
		p := Pool{Object: object("AzureManagedMachinePool", fmt.Sprintf("pool%d", i), s.Cluster, spec), Version: pick(r, "", "v1.30.0", "v1.31.9")}
		if rarely(r) {
			p.Version = "v1.40.0"
		}
		if r.IntN(3) > 0 {
			p.Replicas = pick(r, pointer[int32](0), pointer[int32](1), pointer[int32](7))
		}
		s.Pools = append(s.Pools, p)
	}
	return s
}

func object(kind, name, cluster string, spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": kind,
		"metadata": map[string]any{"name": name, "namespace": Namespace, "labels": map[string]any{"cluster.x-k8s.io/cluster-name": cluster}},
		"spec":     spec,
	}
}

func preview(controlPlane map[string]any) bool {
	spec, _ := controlPlane["spec"].(map[string]any)
	return spec["enablePreviewFeatures"] == true
}

// rarely is for what keeps a cluster from being made.
func rarely(r *rand.Rand) bool { return r.IntN(60) == 0 }

func pointer[T any](v T) *T { return &v }

// mendControlPlane makes fields agree that depend on each other.
func mendControlPlane(r *rand.Rand, s *Spec, spec map[string]any) {
	if r.IntN(2) == 0 || spec["dnsServiceIP"] != nil {
		s.ServiceCIDRs = []string{pick(r, "10.100.0.0/16", "10.100.0.0/20")}
	} else if r.IntN(9) == 0 {
		s.ServiceCIDRs = []string{"fd00:1::/108"}
	}
	if r.IntN(2) == 0 {
		s.PodCIDRs = []string{"10.200.0.0/14"}
	}
	spec["subscriptionID"] = Subscription
	if rarely(r) {
		delete(spec, "subscriptionID")
	}
	mendNetwork(r, spec)
	mendIdentity(r, spec)
	mendAccess(spec)
	for i, e := range items(spec["extensions"]) {
		mendExtension(r, i, e)
	}
	for i, e := range items(inner(spec, "virtualNetwork", "subnet")["privateEndpoints"]) {
		mendEndpoint(r, i, e)
	}
	if upgrades := inner(spec, "autoUpgradeProfile"); upgrades["upgradeChannel"] == "patch" {
		s.AutoUpgradeVersion = "v" + s.Version
	}
	if _, set := spec["asoManagedClusterPatches"]; set {
		spec["asoManagedClusterPatches"] = patches(r, clusterPatches...)
		if spec["enablePreviewFeatures"] == true {
			spec["asoManagedClusterPatches"] = patches(r, append(clusterPreviewPatches, clusterPatches...)...)
		}
	}
}

func mendNetwork(r *rand.Rand, spec map[string]any) {
	if spec["networkDataplane"] == cilium {
		spec["networkPluginMode"], spec["networkPolicy"] = "overlay", cilium
	}
	if spec["networkPolicy"] == cilium && spec["networkDataplane"] != cilium {
		delete(spec, "networkDataplane")
	}
	if spec["networkPluginMode"] == "overlay" && spec["networkPlugin"] == "kubenet" {
		spec["networkPlugin"] = "azure"
	}
	balancer := inner(spec, "loadBalancerProfile")
	only := pick(r, "managedOutboundIPs", "outboundIPPrefixes", "outboundIPs")
	for _, field := range []string{"managedOutboundIPs", "outboundIPPrefixes", "outboundIPs"} {
		if field != only {
			delete(balancer, field)
		}
	}
}

func mendIdentity(r *rand.Rand, spec map[string]any) {
	kms := inner(spec, "securityProfile", "azureKeyVaultKms")
	if kms != nil {
		spec["identity"] = map[string]any{"type": "UserAssigned"}
		delete(kms, "keyVaultResourceID")
		if kms["keyVaultNetworkAccess"] == "Private" {
			kms["keyVaultResourceID"] = resource("Microsoft.KeyVault/vaults")(r)
		}
	}
	if identity := inner(spec, "identity"); identity["type"] == "UserAssigned" {
		identity["userAssignedIdentityResourceID"] = resource("Microsoft.ManagedIdentity/userAssignedIdentities")(r)
	} else {
		delete(identity, "userAssignedIdentityResourceID")
	}
	if inner(spec, "securityProfile", "workloadIdentity") != nil {
		spec["oidcIssuerProfile"] = map[string]any{"enabled": true}
	}
}

func mendAccess(spec map[string]any) {
	if spec["aadProfile"] == nil {
		delete(spec, "disableLocalAccounts")
	}
	access := inner(spec, "apiServerAccessProfile")
	if zone, set := access["privateDNSZone"]; set && zone != "System" && zone != "none" {
		access["enablePrivateCluster"] = true
	}
}

func mendExtension(r *rand.Rand, i int, e map[string]any) {
	e["name"] = fmt.Sprintf("%s_%d", e["name"], i)
	if e["version"] != nil {
		e["autoUpgradeMinorVersion"] = false
	}
	if e["autoUpgradeMinorVersion"] == false && r.IntN(9) > 0 {
		delete(e, "releaseTrain")
	}
	switch scope := inner(e, "scope"); scope["scopeType"] {
	case "Cluster":
		e["scope"] = map[string]any{"scopeType": "Cluster", "releaseNamespace": "release"}
	case "Namespace":
		e["scope"] = map[string]any{"scopeType": "Namespace", "targetNamespace": "target"}
	}
}

func mendEndpoint(r *rand.Rand, i int, e map[string]any) {
	e["name"] = fmt.Sprintf("%s_%d", e["name"], i)
	connections := items(e["privateLinkServiceConnections"])
	if len(connections) == 0 {
		connections = []map[string]any{{}}
		e["privateLinkServiceConnections"] = []any{connections[0]}
	}
	for _, connection := range connections {
		connection["privateLinkServiceID"] = resource("Microsoft.Network/privateLinkServices")(r)
	}
}

func mendPool(r *rand.Rand, i int, spec map[string]any, preview bool) {
	if name, set := spec["name"]; set && name != "" {
		spec["name"] = fmt.Sprintf("%v%d", name, i)
	}
	if i == 0 && !rarely(r) {
		spec["mode"] = "System"
	}
	if spec["mode"] == "System" {
		delete(spec, "osType")
	}
	if spec["nodePublicIPPrefixID"] != nil {
		spec["enableNodePublicIP"] = true
	}
	kubelet := inner(spec, "kubeletConfig")
	if low, ok := kubelet["imageGcLowThreshold"].(int64); ok && kubelet["imageGcHighThreshold"] != nil {
		kubelet["imageGcHighThreshold"] = low
	}
	if linux := inner(spec, "linuxOSConfig"); linux["swapFileSizeMB"] != nil {
		if kubelet == nil {
			kubelet = map[string]any{}
			spec["kubeletConfig"] = kubelet
		}
		kubelet["failSwapOn"] = false
	}
	if _, set := spec["asoManagedClustersAgentPoolPatches"]; set {
		spec["asoManagedClustersAgentPoolPatches"] = patches(r, poolPatches...)
		if preview {
			spec["asoManagedClustersAgentPoolPatches"] = patches(r, append(poolPreviewPatches, poolPatches...)...)
		}
	}
}

// inner returns an object within an object, nil if there is none. A nil map can be read and deleted from.
func inner(object map[string]any, path ...string) map[string]any {
	for _, field := range path {
		object, _ = object[field].(map[string]any)
	}
	return object
}

func items(list any) []map[string]any {
	var all []map[string]any
	of, _ := list.([]any)
	for _, item := range of {
		if object, ok := item.(map[string]any); ok {
			all = append(all, object)
		}
	}
	return all
}

// Name returns the name of the object.
func (p Pool) Name() string {
	name, _ := inner(p.Object, "metadata")["name"].(string)
	return name
}

// Scales reports whether AKS scales the pool of a name.
func (s *Spec) Scales(pool string) bool {
	return slices.ContainsFunc(s.Pools, func(p Pool) bool { return p.Name() == pool && inner(p.Object, "spec")["scaling"] != nil })
}

// ControlPlaneName returns the name of the AzureManagedControlPlane.
func (s *Spec) ControlPlaneName() string {
	name, _ := inner(s.ControlPlane, "metadata")["name"].(string)
	return name
}

// Field returns a field of the control plane's spec as the user wrote it.
func (s *Spec) Field(name string) any { return inner(s.ControlPlane, "spec")[name] }
