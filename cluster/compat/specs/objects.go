package specs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// RandomObject returns the object of a seed, of a kind whose schema is given. Fields that the schema requires may be missing: a
// webhook may fill them in.
func RandomObject(seed uint64, kind schema.GroupVersionKind, s *extv1.JSONSchemaProps) map[string]any {
	r := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // A seed must give the same object again.
	g := &generator{Rand: r, density: pick(r, 0.05, 0.3, 0.6, 0.9), free: true}
	spec := s.Properties["spec"]
	var written map[string]any
	switch kind.Kind {
	case "AzureManagedControlPlane":
		written = g.controlPlane(&spec)
	case "AzureManagedControlPlaneTemplate":
		within := templateSpec(&spec)
		written = map[string]any{"template": map[string]any{"spec": g.controlPlane(&within)}}
	case "AzureManagedMachinePool":
		written = g.pool(&spec)
	case "AzureManagedMachinePoolTemplate":
		within := templateSpec(&spec)
		written = map[string]any{"template": map[string]any{"spec": g.pool(&within)}}
	case "AzureCluster":
		written = g.azureCluster(&spec)
	case "AzureClusterTemplate":
		within := templateSpec(&spec)
		written = map[string]any{"template": map[string]any{"spec": g.azureCluster(&within)}}
	case "AzureMachine":
		written = g.azureMachine(&spec)
	case "AzureMachineTemplate":
		within := templateSpec(&spec)
		written = map[string]any{"template": map[string]any{"spec": g.azureMachine(&within)}}
	case "AzureMachinePool":
		written = g.azureMachinePool(&spec)
	default:
		written = g.object("", &spec)
	}
	metadata := map[string]any{"name": "blue", "namespace": Namespace}
	if r.IntN(3) > 0 || kind.Kind == "AzureMachine" { // CAPZ does without the label elsewhere only.
		metadata["labels"] = map[string]any{"cluster.x-k8s.io/cluster-name": pick(r, "blue", "green-1")}
	}
	return map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": metadata, "spec": written}
}

func templateSpec(spec *extv1.JSONSchemaProps) extv1.JSONSchemaProps {
	return spec.Properties["template"].Properties["spec"]
}

func (g *generator) controlPlane(s *extv1.JSONSchemaProps) map[string]any {
	g.values = controlPlaneValues
	spec := g.object("", s)
	if _, known := s.Properties["sshPublicKey"]; known && g.IntN(9) == 0 {
		spec["sshPublicKey"] = ""
	}
	g.forget(spec)
	g.forget(inner(spec, "virtualNetwork"))
	g.forget(inner(spec, "virtualNetwork", "subnet"))
	return spec
}

func (g *generator) pool(s *extv1.JSONSchemaProps) map[string]any {
	g.values = poolValues
	spec := g.object("", s)
	if spec["spotMaxPrice"] != nil {
		spec["spotMaxPrice"] = "500m" // Go types write quantities so.
	}
	g.forget(spec)
	return spec
}

func (g *generator) azureCluster(s *extv1.JSONSchemaProps) map[string]any {
	g.values = azureClusterValues
	spec := g.object("", s)
	delete(spec, "extendedLocation")
	network := inner(spec, "networkSpec")
	for i, subnet := range items(network["subnets"]) {
		subnet["name"] = fmt.Sprintf("%v-%d", subnet["name"], i)
		for _, list := range []string{"serviceEndpoints", "privateEndpoints"} {
			delete(subnet, list)
		}
		g.forget(inner(subnet, "natGateway"))
	}
	g.forget(spec)
	g.forget(network)
	for _, field := range []string{"vnet", "apiServerLB", "nodeOutboundLB", "controlPlaneOutboundLB"} {
		g.forget(inner(network, field))
	}
	return spec
}

func (g *generator) azureMachine(s *extv1.JSONSchemaProps) map[string]any {
	g.values = azureMachineValues
	spec := g.object("", s)
	if inner(spec, "spotVMOptions")["maxPrice"] != nil {
		inner(spec, "spotVMOptions")["maxPrice"] = "500m" // Go types write quantities so.
	}
	g.forget(spec)
	if spec["sshPublicKey"] == nil && g.IntN(9) > 0 {
		spec["sshPublicKey"] = sshKey // To generate one takes long.
	}
	if spec["osDisk"] == nil { // What is required, Go types write down empty.
		spec["osDisk"] = map[string]any{"osType": "Linux"}
	}
	for _, disk := range items(spec["dataDisks"]) {
		g.forget(disk)
		disk["diskSizeGB"] = int64(4)
	}
	for _, nic := range items(spec["networkInterfaces"]) {
		g.forget(nic)
	}
	return spec
}

func (g *generator) azureMachinePool(s *extv1.JSONSchemaProps) map[string]any {
	within := s.Properties["template"]
	template := g.azureMachine(&within)
	g.values = azureMachineValues
	spec := g.object("", s)
	g.forget(spec)
	spec["template"] = template
	return spec
}

// forget takes some of the fields away.
func (g *generator) forget(object map[string]any) {
	for _, field := range slices.Sorted(maps.Keys(object)) {
		if g.IntN(4) == 0 {
			delete(object, field)
		}
	}
}

// text returns any text.
func (g *generator) text() string { return fmt.Sprintf("text-%d", g.IntN(100)) }
