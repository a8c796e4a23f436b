package sides

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/oracle/patch"
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
var selfManagedPlurals = []string{clusters, machines, templates[clusters], templates[machines], pools}

const clusters, machines, pools = "azureclusters", "azuremachines", "azuremachinepools"

// templates are the plurals of the kinds of templates.
var templates = map[string]string{clusters: "azureclustertemplates", machines: "azuremachinetemplates"}

// PluralOf returns the plural of a self-managed kind.
func PluralOf(kind string) string { return strings.ToLower(kind) + "s" }

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
		a.With(clusterOf(name), azureCluster, poolOf(name))
		a.With(clusterOf(name), azureCluster, poolOf(specs.LongPool))
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

// poolOf returns the MachinePool of an AzureMachinePool of the same name.
func poolOf(name string) *clusterv1.MachinePool {
	pool := &clusterv1.MachinePool{}
	pool.Name, pool.Namespace, pool.Spec.ClusterName = name, specs.Namespace, name
	pool.Spec.Template.Spec.Version = "v1.34.0"
	pool.Spec.Template.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{
		APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "AzureMachinePool", Name: name}
	return pool
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

// Answer returns what CAPZ sends for a spec, as a user would apply it: for a cluster that does not exist, and for one that runs. A refusal
// is CAPZ's.
func (c *SelfManagedCAPZ) Answer(ctx context.Context, s *specs.SelfManaged) (created, running *Sent, refusal, err error) {
	gates := gatesOf(s.AzureCluster)
	gates.Internal = gates.Internal && !s.OfTemplates // A template has no frontendIPs, so the cluster asks for no address beside the public one.
	err = gates.While(func() error {
		var manifests *selfmanaged.Manifests
		if manifests, refusal = c.Admit(ctx, s); refusal != nil {
			return nil
		}
		created, running, err = c.Sent(ctx, s, manifests)
		return err
	})
	return created, running, refusal, err
}

// gatesOf returns the gates that an AzureCluster needs, or its template.
func gatesOf(object map[string]any) selfmanaged.Gates {
	return selfmanaged.Gates{EdgeZone: specs.EdgeZone(object), Internal: specs.Internal(object)}
}

// Admit applies the spec as a user would: schema, defaults, rules. An error is CAPZ's refusal.
func (c *SelfManagedCAPZ) Admit(ctx context.Context, s *specs.SelfManaged) (*selfmanaged.Manifests, error) {
	m := &selfmanaged.Manifests{Cluster: clusterOf(s.Cluster), AzureCluster: &infrav1.AzureCluster{}}
	m.Cluster.Spec.ClusterNetwork.APIServerPort = s.APIServerPort
	if err := c.make(ctx, s, clusters, s.AzureCluster, m.AzureCluster); err != nil {
		return nil, err
	}
	for _, machine := range s.Machines {
		xr := &infrav1.AzureMachine{}
		if err := c.make(ctx, s, machines, machine.Object, xr); err != nil {
			return nil, err
		}
		m.Machines = append(m.Machines, selfmanaged.Machine{Machine: machineOf(s, machine), XR: xr, SSHPort: machine.SSHPort})
	}
	return m, nil
}

// make creates an object, of its template where the spec has such.
func (c *SelfManagedCAPZ) make(ctx context.Context, s *specs.SelfManaged, plural string, object map[string]any, into client.Object) error {
	if s.OfTemplates {
		template, err := c.admit(ctx, templates[plural], specs.TemplateOf(object), selfmanaged.New(templates[plural]), nil)
		if err != nil {
			return fmt.Errorf("template: %w", err)
		}
		object = specs.MadeOf(template.Stored, object)
	}
	_, err := c.admit(ctx, plural, object, into, nil)
	return err
}

// An Object is one that CAPZ has accepted: by its Go type, and as the API server stores it.
type Object struct {
	Typed  client.Object
	Stored map[string]any
}

// Request creates an object of a kind, by its plural, or with the object before changes it. An error is CAPZ's refusal. CAPZ's gates are open
// for what the object needs.
func (c *SelfManagedCAPZ) Request(ctx context.Context, plural string, object map[string]any, before *Object) (admitted *Object, err error) {
	err = gatesOf(object).While(func() error {
		admitted, err = c.admit(ctx, plural, object, selfmanaged.New(plural), before)
		return err
	})
	return admitted, err
}

// admit reads an object as the API server keeps it.
func (c *SelfManagedCAPZ) admit(ctx context.Context, plural string, object map[string]any, into client.Object, before *Object) (*Object, error) {
	s := c.Schemas[plural]
	object = runtime.DeepCopyJSON(object)
	s.Prune(object)
	s.Default(object)
	filled, err := patch.Fill(object, into, func() error { return c.Admission.Fill(ctx, into) })
	if err != nil {
		return nil, err
	}
	delete(filled, "status")
	s.Default(filled)
	var oldTyped client.Object
	var old map[string]any
	if before != nil {
		oldTyped, old = before.Typed.DeepCopyObject().(client.Object), before.Stored
	}
	if err := s.Validate(ctx, filled, old); err != nil {
		return nil, err
	}
	reflect.ValueOf(into).Elem().SetZero()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(filled, into); err != nil {
		return nil, err
	}
	return &Object{into, filled}, c.Admission.Validate(ctx, into, oldTyped)
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
	world := selfmanaged.NewWorld(m, azureOf(s))
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
	objects, read, err := world.Objects()
	if err != nil {
		return nil, err
	}
	return sent, arm.Objects{Subscription: specs.Subscription, All: objects, Read: read}.Add(sent.Resources)
}
