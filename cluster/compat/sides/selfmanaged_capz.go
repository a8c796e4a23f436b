package sides

import (
	"context"
	"errors"
	"fmt"
	"strings"

	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/selfmanaged"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// Sent is what one side has sent to Azure for a self-managed cluster.
type Sent struct {
	Resources arm.Resources
	// Failures say, by kind and name of the object, why not all is sent for it.
	Failures map[string]string
}

// SelfManagedCAPZ is the side of CAPZ for self-managed clusters.
type SelfManagedCAPZ struct {
	// Schemas are by the plurals of the kinds.
	Schemas   map[string]*schema.Schema
	Admission *selfmanaged.Admission
}

// selfManagedPlurals are those of the self-managed kinds.
var selfManagedPlurals = []string{clusters, machines, "azureclustertemplates", "azuremachinetemplates"}

const clusters, machines = "azureclusters", "azuremachines"

// NewSelfManagedCAPZ reads the schemas from the sources of CAPZ.
func NewSelfManagedCAPZ(sources string) (*SelfManagedCAPZ, error) {
	c := &SelfManagedCAPZ{}
	var err error
	if c.Schemas, err = schemas(func(plural string) string { return crd(sources, plural) }); err != nil {
		return nil, err
	}
	c.Admission, err = newSelfManagedAdmission()
	return c, err
}

// newSelfManagedAdmission returns CAPZ's webhooks, with the Clusters of all names that specs have.
func newSelfManagedAdmission() (*selfmanaged.Admission, error) {
	a, err := selfmanaged.NewAdmission()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"blue", "green-1"} {
		azureCluster := &infrav1.AzureCluster{}
		azureCluster.Name, azureCluster.Namespace, azureCluster.Spec.SubscriptionID = name, specs.Namespace, specs.Subscription
		a.With(clusterOf(name), azureCluster)
	}
	return a, nil
}

// schemas reads the schema of each self-managed kind from the file of its definition.
func schemas(file func(plural string) string) (map[string]*schema.Schema, error) {
	all := map[string]*schema.Schema{}
	for _, plural := range selfManagedPlurals {
		s, err := schema.Read(file(plural), "v1beta1")
		if err != nil {
			return nil, err
		}
		all[plural] = s
	}
	return all, nil
}

func clusterOf(name string) *clusterv1.Cluster {
	cluster := &clusterv1.Cluster{}
	cluster.Name, cluster.Namespace = name, specs.Namespace
	cluster.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "AzureCluster", Name: name}
	return cluster
}

func crd(sources, plural string) string {
	return fmt.Sprintf("%s/config/crd/bases/infrastructure.cluster.x-k8s.io_%s.yaml", sources, plural)
}

// Admit applies the spec as a user would: schema, defaults, rules. An error is CAPZ's refusal.
func (c *SelfManagedCAPZ) Admit(ctx context.Context, s *specs.SelfManaged) (*selfmanaged.Manifests, error) {
	if err := selfmanaged.Gates(s.EdgeZone(), s.Internal()); err != nil {
		return nil, err
	}
	m := &selfmanaged.Manifests{Cluster: clusterOf(s.Cluster), AzureCluster: &infrav1.AzureCluster{}}
	m.Cluster.Spec.ClusterNetwork.APIServerPort = s.APIServerPort
	if err := c.admit(ctx, clusters, s.AzureCluster, m.AzureCluster, nil); err != nil {
		return nil, err
	}
	for _, machine := range s.Machines {
		xr := &infrav1.AzureMachine{}
		if err := c.admit(ctx, machines, machine.Object, xr, nil); err != nil {
			return nil, err
		}
		m.Machines = append(m.Machines, selfmanaged.Machine{Machine: machineOf(s, machine), XR: xr, SSHPort: machine.SSHPort})
	}
	return m, nil
}

// admit reads an object as the API server keeps it.
func (c *SelfManagedCAPZ) admit(ctx context.Context, plural string, object map[string]any, into, before client.Object) error {
	s := c.Schemas[plural]
	if err := defaulted(s, object, into); err != nil {
		return err
	}
	// CAPZ's controllers put a finalizer on an object before they do anything else, so that its webhooks fill it in twice.
	if err := errors.Join(c.Admission.Default(ctx, into), c.Admission.Default(ctx, into)); err != nil {
		return err
	}
	if err := checked(ctx, s, into); err != nil {
		return err
	}
	return c.Admission.Validate(ctx, into, before)
}

// machineOf returns the Machine of Cluster API that an AzureMachine is of.
func machineOf(s *specs.SelfManaged, m specs.Machine) *clusterv1.Machine {
	machine := &clusterv1.Machine{}
	machine.Name, machine.Namespace, machine.Labels = m.Name(), specs.Namespace, map[string]string{clusterv1.ClusterNameLabel: s.Cluster}
	machine.Spec.Version, machine.Spec.FailureDomain = m.Version, m.FailureDomain
	for label, value := range map[string]string{clusterv1.MachineDeploymentNameLabel: m.Deployment, clusterv1.MachineSetNameLabel: m.Set} {
		if value != "" {
			machine.Labels[label] = value
		}
	}
	if m.ControlPlane {
		machine.Labels[clusterv1.MachineControlPlaneLabel] = ""
	}
	return machine
}

// Sent returns what CAPZ sends for the manifests: for a cluster that does not exist, and for one that runs.
func (c *SelfManagedCAPZ) Sent(ctx context.Context, s *specs.SelfManaged, m *selfmanaged.Manifests) (created, running *Sent, err error) {
	azure := selfmanaged.Azure{Zones: s.Zones, FaultDomains: s.FaultDomains}
	for _, size := range specs.Sizes() {
		azure.Sizes = append(azure.Sizes, selfmanaged.Size(size))
	}
	world := selfmanaged.NewWorld(m, azure)
	world.Reconcile(ctx)
	if created, err = sentBy(world); err != nil {
		return nil, nil, err
	}
	world.Reconcile(ctx)
	running, err = sentBy(world)
	return created, running, err
}

func sentBy(world *selfmanaged.World) (*Sent, error) {
	sent := &Sent{Resources: arm.Resources{}, Failures: map[string]string{}}
	for name, failure := range world.Failures() {
		sent.Failures[name] = strings.TrimSpace(failure.Error())
	}
	bodies, err := world.Sent()
	if err != nil {
		return nil, err
	}
	for id, body := range bodies {
		if err := sent.Resources.AddBody(id, body); err != nil {
			return nil, err
		}
	}
	objects, err := world.Objects()
	if err != nil {
		return nil, err
	}
	return sent, arm.Objects{Subscription: specs.Subscription, All: objects}.Add(sent.Resources)
}
