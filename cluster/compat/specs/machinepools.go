package specs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A MachinePool is an AzureMachinePool of a self-managed Cluster, first as it is created and then as it is changed while it runs.
type MachinePool struct {
	// Cluster has no machines.
	Cluster         *SelfManaged
	Created, Change PoolState
}

// A PoolState is an AzureMachinePool, and what its MachinePool says, at a time.
type PoolState struct {
	Object         map[string]any
	Replicas       int32
	Version        string
	FailureDomains []string
	// ScaledByOthers says that the MachinePool is marked so.
	ScaledByOthers bool
	// Bootstrap are the bootstrap data.
	Bootstrap string
}

// LongPool is the name of a pool that is too long for machines with Windows.
const LongPool = "a-pool-with-a-long-name"

// SSHKey is a public key, in base64, that both sides take.
const SSHKey = sshKey

// RandomMachinePool returns the pool of a seed. The schemas are those of spec of AzureCluster and of AzureMachinePool. CAPZ may refuse it.
func RandomMachinePool(seed uint64, cluster, pool *extv1.JSONSchemaProps) *MachinePool {
	r := rand.New(rand.NewPCG(seed, 5)) //nolint:gosec // A seed must give the same spec again.
	s := &SelfManaged{Name: fmt.Sprintf("seed %d", seed), Cluster: pick(r, "blue", "green-1"), FaultDomains: 3,
		Zones: pick(r, []string{"1", "2", "3"}, []string{"1", "2", "3"}, []string{"1", "3"}, nil)}
	g := &generator{Rand: r, density: pick(r, 0.05, 0.2, 0.4), values: azureClusterValues}
	spec := g.object("", cluster)
	mendAzureCluster(r, spec)
	if network := inner(spec, "networkSpec"); network != nil && r.IntN(3) > 0 && network["nodeOutboundLB"] == nil {
		network["nodeOutboundLB"] = map[string]any{"type": "Public"}
	}
	s.AzureCluster = object("AzureCluster", s.Cluster, s.Cluster, spec)
	s.OwnNetwork = ownNetwork(r, spec)
	p := &MachinePool{Cluster: s}
	g = &generator{Rand: r, density: pick(r, 0.05, 0.2, 0.5, 0.9), values: azureMachinePoolValues}
	p.Created = p.state(g, pool)
	p.Change = p.changed(r, p.state(g, pool))
	return p
}

// state returns a random pool.
func (p *MachinePool) state(g *generator, schema *extv1.JSONSchemaProps) PoolState {
	s, r := p.Cluster, g.Rand
	spec := g.object("", schema)
	spec["location"] = s.Spec()["location"]
	if r.IntN(20) == 0 {
		spec["location"] = "northeurope"
	}
	delete(spec, "roleAssignmentName")
	template := inner(spec, "template")
	mendAzureMachine(r, s, template)
	mendMachineIdentity(r, spec)
	state := PoolState{
		Object:   object("AzureMachinePool", pick(r, s.Cluster, LongPool), s.Cluster, spec),
		Replicas: pick[int32](r, 0, 1, 2, 3, 3), Version: pick(r, "v1.31.9", "1.33.2", "v1.34.0-rc.1"), Bootstrap: pick(r, "#cloud-config", "#cloud-config\n# anew"),
		ScaledByOthers: r.IntN(8) == 0,
	}
	if len(s.Zones) > 0 {
		state.FailureDomains = pick(r, nil, nil, s.Zones, s.Zones[:1], s.Zones[len(s.Zones)-1:])
	}
	if inner(template, "osDisk")["osType"] == windows {
		inner(state.Object, "metadata")["annotations"] = pick(r, map[string]any{}, map[string]any{"runtime": "containerd", "windowsServerVersion": "windows-2022"})
	}
	return state
}

// changing are fields that change together, as they depend on each other: those of the pool, and those of its template.
var (
	changing = [][]string{{"identity", "systemAssignedIdentityRole", "userAssignedIdentities", "roleAssignmentName"}, {"strategy"}, {"additionalTags"}, {"zoneBalance", "platformFaultDomainCount"}}

	changingInTemplate = [][]string{{"vmSize"}, {"image"}, {"networkInterfaces", "subnetName", "acceleratedNetworking"}, {"osDisk", "securityProfile"}, {"dataDisks"},
		{"diagnostics"}, {"spotVMOptions"}, {"vmExtensions", "disableVMBootstrapExtension"}, {"terminateNotificationTimeout"}, {"additionalCapabilities"}}
)

// changed returns the pool as it was created, with some of it as another has it. Its operating system and its orchestration mode stay.
func (p *MachinePool) changed(r *rand.Rand, other PoolState) PoolState {
	c := p.Created
	c.Object = runtime.DeepCopyJSON(c.Object)
	spec, from := inner(c.Object, "spec"), inner(other.Object, "spec")
	template, fromTemplate := inner(spec, "template"), inner(from, "template")
	system := inner(template, "osDisk")["osType"]
	if r.IntN(2) == 0 {
		take(pick(r, changing...), from, spec)
	}
	for range r.IntN(3) {
		take(pick(r, changingInTemplate...), fromTemplate, template)
	}
	inner(template, "osDisk")["osType"] = system
	if r.IntN(3) == 0 {
		c.Replicas = other.Replicas
	}
	if r.IntN(4) == 0 {
		c.Version = other.Version
	}
	if r.IntN(6) == 0 {
		c.FailureDomains = other.FailureDomains
	}
	if r.IntN(3) == 0 {
		c.Bootstrap = other.Bootstrap
	}
	return c
}

// take takes fields over from another object, also that it has them not.
func take(fields []string, from, into map[string]any) {
	for _, field := range fields {
		if value, set := from[field]; set {
			into[field] = runtime.DeepCopyJSONValue(value)
		} else {
			delete(into, field)
		}
	}
}

// Name returns the name of the AzureMachinePool, and of its MachinePool.
func (p *MachinePool) Name() string {
	name, _ := inner(p.Created.Object, "metadata")["name"].(string)
	return name
}

// Spec returns what the user wrote of the AzureMachinePool at a time.
func (s PoolState) Spec(path ...string) map[string]any {
	return inner(s.Object, append([]string{"spec"}, path...)...)
}

// Extensions returns those that the user wrote.
func (s PoolState) Extensions() []Extension { return extensionsOf(s.Spec("template")) }

// DataDisks returns those that the user wrote.
func (s PoolState) DataDisks() []map[string]any { return items(s.Spec("template")["dataDisks"]) }

// Has reports whether a field of the template is written.
func (s PoolState) Has(path ...string) bool {
	last := len(path) - 1
	return s.Spec(append([]string{"template"}, path[:last]...)...)[path[last]] != nil
}

// azureMachinePoolValues says what texts of AzureMachinePool.spec look like: in its template those of machines.
var azureMachinePoolValues = valuesOfPools()

func valuesOfPools() map[string]func(*rand.Rand) any {
	all := map[string]func(*rand.Rand) any{}
	for _, path := range slices.Sorted(maps.Keys(azureMachineValues)) {
		all["template."+path] = azureMachineValues[path]
	}
	numbers := oneOf(int64(0), int64(1), int64(2), "20%", "50%", "0%")
	maps.Copy(all, map[string]func(*rand.Rand) any{
		"location":                              oneOf("westus"),
		"nodeDrainTimeout":                      oneOf("10s"),
		"nodeVolumeDetachTimeout":               oneOf("10s"),
		"nodeDeletionTimeout":                   oneOf("10s"),
		"platformFaultDomainCount":              oneOf(int64(1), int64(5)),
		"strategy.rollingUpdate.maxSurge":       numbers,
		"strategy.rollingUpdate.maxUnavailable": numbers,
		"roleAssignmentName":                    oneOf(""),
		"systemAssignedIdentityRole":            oneOf(map[string]any{}),
		"userAssignedIdentities":                oneOf([]any{}),
		"template.terminateNotificationTimeout": oneOf(int64(5), int64(7), int64(15)),
	})
	return all
}
