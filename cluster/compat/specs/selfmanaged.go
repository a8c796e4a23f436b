package specs

import (
	"fmt"
	"math/rand/v2"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A SelfManaged is one self-managed Cluster, as a user writes it, and the Azure that it comes to.
type SelfManaged struct {
	// Name says where it comes from.
	Name string
	// Cluster is the name of the Cluster, all in namespace "default". The AzureCluster has it too.
	Cluster string
	// APIServerPort is spec.clusterNetwork.apiServerPort of the Cluster; zero when it has none.
	APIServerPort int32
	AzureCluster  map[string]any
	Machines      []Machine
	// OfTemplates says that the objects are made of AzureClusterTemplate and AzureMachineTemplates.
	OfTemplates bool
	// Zones are those of the location, FaultDomains how many an availability set may have.
	Zones        []string
	FaultDomains int
	// OwnNetwork says that the virtual network, what is in it and its resource group are the user's, and there before.
	OwnNetwork bool
}

// A Machine is an AzureMachine, and what its Machine says.
type Machine struct {
	Object       map[string]any
	ControlPlane bool
	// FailureDomain is spec.failureDomain of the Machine.
	FailureDomain, Version string
	// Deployment and Set are the names of its MachineDeployment and MachineSet, if it is of any.
	Deployment, Set string
	// SSHPort is the port of the load balancer that is free for it.
	SSHPort int32
}

// A Size is what Azure says of a size of virtual machines.
type Size struct {
	Name                                                     string
	VCPUs                                                    int
	MemoryGiB                                                float64
	AcceleratedNetworking, EphemeralOSDisk, EncryptionAtHost bool
	TrustedLaunchDisabled                                    bool
	ConfidentialComputingType, Architecture                  string
	UltraSSDZones                                            []string
}

// Sizes are those that Azure has: one that can do everything, and one that lacks each thing that is asked for.
func Sizes() []Size {
	able := Size{Name: "Standard_All_v5", VCPUs: 8, MemoryGiB: 32, AcceleratedNetworking: true, EphemeralOSDisk: true, EncryptionAtHost: true,
		ConfidentialComputingType: "SNP", Architecture: "x64", UltraSSDZones: []string{"1", "2", "3"}}
	with := func(name string, change func(*Size)) Size {
		size := able
		size.Name = name
		change(&size)
		return size
	}
	return []Size{
		able,
		with("Standard_Arm_v5", func(s *Size) { s.Architecture = "Arm64" }),
		with("Standard_Slow_v5", func(s *Size) { s.AcceleratedNetworking = false }),
		with("Standard_Persistent_v5", func(s *Size) { s.EphemeralOSDisk = false }),
		with("Standard_Open_v5", func(s *Size) { s.EncryptionAtHost, s.ConfidentialComputingType = false, "" }),
		with("Standard_Untrusted_v5", func(s *Size) { s.TrustedLaunchDisabled = true }),
		with("Standard_Plain_v5", func(s *Size) { s.UltraSSDZones = nil }),
		with("Standard_Half_v5", func(s *Size) { s.MemoryGiB = 1.5 }),
		with("Standard_Small_v5", func(s *Size) { s.VCPUs = 1 }),
		with("Standard_Tiny_v5", func(s *Size) { s.MemoryGiB = 0.75 }),
	}
}

// RandomSelfManaged returns the spec of a seed. The schemas are those of spec of AzureCluster and of AzureMachine. CAPZ may refuse it: most
// rules between fields are kept, not all.
func RandomSelfManaged(seed uint64, cluster, machine *extv1.JSONSchemaProps) *SelfManaged {
	r := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // A seed must give the same spec again.
	density := pick(r, 0.05, 0.2, 0.5, 0.9)
	s := &SelfManaged{Name: fmt.Sprintf("seed %d", seed), Cluster: pick(r, "blue", "green-1"), FaultDomains: pick(r, 2, 3),
		APIServerPort: pick[int32](r, 0, 0, 443, 6443), Zones: pick(r, []string{"1", "2", "3"}, []string{"1", "3"}, nil)}
	g := &generator{Rand: r, density: density, values: azureClusterValues}
	spec := g.object("", cluster)
	mendAzureCluster(r, spec)
	s.AzureCluster = object("AzureCluster", s.Cluster, s.Cluster, spec)
	s.OwnNetwork = ownNetwork(r, spec)
	s.OfTemplates = r.IntN(6) == 0
	g = &generator{Rand: r, density: density, values: azureMachineValues}
	for i := range 1 + r.IntN(3) {
		s.Machines = append(s.Machines, s.machine(g, i, machine))
	}
	return s
}

func (s *SelfManaged) machine(g *generator, i int, schema *extv1.JSONSchemaProps) Machine {
	m := Machine{ControlPlane: g.IntN(2) == 0, FailureDomain: pick(g.Rand, "", "", "1", "3"), Version: pick(g.Rand, "v1.31.9", "1.33.2", "v1.34.0-rc.1"),
		SSHPort: []int32{22, 2201, 2202}[i]}
	if !m.ControlPlane {
		m.Deployment = pick(g.Rand, "", "md-0")
		m.Set = pick(g.Rand, "", m.Deployment+"set-x7k2p")
	}
	spec := g.object("", schema)
	mendAzureMachine(g.Rand, s, spec)
	if len(s.Zones) == 0 && !rarely(g.Rand) {
		m.FailureDomain = ""
		delete(spec, "failureDomain")
	}
	if s.OfTemplates && spec["identity"] == "SystemAssigned" {
		delete(spec, "identity") // The names of role assignments would be random.
		delete(spec, "systemAssignedIdentityRole")
	}
	m.Object = object("AzureMachine", fmt.Sprintf("%s-%d", pick(g.Rand, s.Cluster, "a-machine-with-a-long-name"), i), s.Cluster, spec)
	if inner(spec, "osDisk")["osType"] == windows {
		inner(m.Object, "metadata")["annotations"] = pick(g.Rand, map[string]any{}, map[string]any{"runtime": "containerd", "windowsServerVersion": "windows-2022"})
	}
	return m
}

// Spec returns what the user wrote of the AzureCluster.
func (s *SelfManaged) Spec(path ...string) map[string]any {
	return inner(s.AzureCluster, append([]string{"spec"}, path...)...)
}

// EdgeZone reports whether an AzureCluster, or its template, is in an edge zone, for which CAPZ has a feature gate.
func EdgeZone(object map[string]any) bool { return TemplateOrSpec(object)["extendedLocation"] != nil }

// Internal reports whether it has a private frontend of a public load balancer, for which CAPZ has one, too.
func Internal(object map[string]any) bool {
	balancer := inner(TemplateOrSpec(object), "networkSpec", "apiServerLB")
	for _, frontend := range items(balancer["frontendIPs"]) {
		if balancer["type"] != "Internal" && frontend["privateIP"] != nil {
			return true
		}
	}
	return false
}

// DualStackCluster reports whether a subnet for all machines has IPv6.
func (s *SelfManaged) DualStackCluster() bool {
	for _, subnet := range items(s.Spec("networkSpec")["subnets"]) {
		if subnet["role"] == clusterRole && strings.Contains(fmt.Sprint(subnet["cidrBlocks"]), "::") {
			return true
		}
	}
	return false
}

// Name returns the name of the object.
func (m Machine) Name() string {
	name, _ := inner(m.Object, "metadata")["name"].(string)
	return name
}

// Spec returns what the user wrote of the AzureMachine.
func (m Machine) Spec(path ...string) map[string]any {
	return inner(m.Object, append([]string{"spec"}, path...)...)
}

// An Extension is one of a virtual machine.
type Extension struct {
	Name              string
	ProtectedSettings map[string]string
}

// Extensions returns those that the user wrote.
func (m Machine) Extensions() []Extension { return extensionsOf(m.Spec()) }

// extensionsOf returns those in the spec of a machine, or in the template of a pool.
func extensionsOf(spec map[string]any) []Extension {
	var all []Extension
	for _, e := range items(spec["vmExtensions"]) {
		extension := Extension{Name: fmt.Sprint(e["name"]), ProtectedSettings: map[string]string{}}
		for key, value := range inner(e, "protectedSettings") {
			extension.ProtectedSettings[key] = fmt.Sprint(value)
		}
		all = append(all, extension)
	}
	return all
}

// TemplateOrSpec returns the spec of an object or, of a template, that of what is made of it; nil when it has none.
func TemplateOrSpec(object map[string]any) map[string]any {
	if spec := inner(object, "spec", "template", "spec"); spec != nil {
		return spec
	}
	return inner(object, "spec")
}

// TemplateOf returns a template for an object.
func TemplateOf(object map[string]any) map[string]any {
	kind, _ := object["kind"].(string)
	name, _ := inner(object, "metadata")["name"].(string)
	template := runtime.DeepCopyJSON(inner(object, "spec"))
	return map[string]any{"apiVersion": object["apiVersion"], "kind": kind + "Template", "metadata": map[string]any{"name": name, "namespace": Namespace},
		"spec": map[string]any{"template": map[string]any{"spec": template}}}
}

// MadeOf returns an object with the spec that its template has.
func MadeOf(template, object map[string]any) map[string]any {
	made := runtime.DeepCopyJSON(object)
	made["spec"] = runtime.DeepCopyJSON(TemplateOrSpec(template))
	return made
}
