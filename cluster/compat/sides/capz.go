// Package sides runs one spec through CAPZ and through this project.
package sides

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/oracle"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// Objects are ASO objects by kind and name.
type Objects map[string]map[string]any

// An Answer is what one side makes of a spec at one time.
type Answer struct {
	Objects Objects
	// Failures say, by kind and name, why an object is not made.
	Failures map[string]string
}

// CAPZ is the side of CAPZ.
type CAPZ struct {
	ControlPlane, Pool *schema.Schema
	Admission          *oracle.Admission
}

// NewCAPZ reads the schemas from the sources of CAPZ.
func NewCAPZ(sources string) (*CAPZ, error) {
	c := &CAPZ{}
	var err error
	if c.ControlPlane, err = schema.Read(crd(sources, "azuremanagedcontrolplanes"), "v1beta1"); err != nil {
		return nil, err
	}
	if c.Pool, err = schema.Read(crd(sources, "azuremanagedmachinepools"), "v1beta1"); err != nil {
		return nil, err
	}
	c.Admission, err = oracle.NewAdmission()
	return c, err
}

// Admit applies the spec as a user would: schema, defaults, rules. An error is CAPZ's refusal. Before is what there is of it.
func (c *CAPZ) Admit(ctx context.Context, s *specs.Spec, before *oracle.Manifests) (*oracle.Manifests, error) {
	m := &oracle.Manifests{Cluster: &clusterv1.Cluster{}, ControlPlane: &infrav1.AzureManagedControlPlane{}}
	m.Cluster.Name, m.Cluster.Namespace = s.Cluster, specs.Namespace
	m.Cluster.Spec.ClusterNetwork.Services.CIDRBlocks, m.Cluster.Spec.ClusterNetwork.Pods.CIDRBlocks = s.ServiceCIDRs, s.PodCIDRs
	if err := defaulted(c.ControlPlane, s.ControlPlane, m.ControlPlane); err != nil {
		return nil, err
	}
	for _, p := range s.Pools {
		pool := oracle.Pool{XR: &infrav1.AzureManagedMachinePool{}, MachinePool: &clusterv1.MachinePool{}}
		pool.MachinePool.Name, pool.MachinePool.Namespace = p.Name(), specs.Namespace
		pool.MachinePool.Spec.Replicas, pool.MachinePool.Spec.Template.Spec.Version = p.Replicas, p.Version
		if err := defaulted(c.Pool, p.Object, pool.XR); err != nil {
			return nil, err
		}
		m.Pools = append(m.Pools, pool)
	}
	if err := c.Admission.Default(ctx, m); err != nil {
		return nil, err
	}
	if err := c.again(ctx, m); err != nil {
		return nil, err
	}
	return m, c.Admission.Validate(ctx, m, before)
}

// again applies the schemas to what the webhooks have made of the objects, as the API server does.
func (c *CAPZ) again(ctx context.Context, m *oracle.Manifests) error {
	if err := checked(ctx, c.ControlPlane, m.ControlPlane); err != nil {
		return err
	}
	for _, p := range m.Pools {
		if err := checked(ctx, c.Pool, p.XR); err != nil {
			return err
		}
	}
	return nil
}

// defaulted reads an object with the defaults of its schema.
func defaulted(s *schema.Schema, object map[string]any, into any) error {
	object = runtime.DeepCopyJSON(object)
	s.Default(object)
	return runtime.DefaultUnstructuredConverter.FromUnstructured(object, into)
}

func checked(ctx context.Context, s *schema.Schema, typed any) error {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return err
	}
	delete(object, "status")
	s.Default(object)
	if err := s.Validate(ctx, object, nil); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(object, typed)
}

// Answers returns what CAPZ makes of the manifests: for a cluster that does not exist, and for one that runs.
func (c *CAPZ) Answers(ctx context.Context, s *specs.Spec, m *oracle.Manifests) (created, running *Answer, err error) {
	world := oracle.NewWorld(m)
	if err := world.Reconcile(ctx); err != nil {
		return nil, nil, err
	}
	if created, err = answerOf(world); err != nil {
		return nil, nil, err
	}
	m.ControlPlane.Status.AutoUpgradeVersion = s.AutoUpgradeVersion
	world.Provision(oracle.Live{Version: s.Version, Count: s.Count})
	if err := world.Reconcile(ctx); err != nil {
		return nil, nil, err
	}
	running, err = answerOf(world)
	return created, running, err
}

func answerOf(world *oracle.World) (*Answer, error) {
	objects, err := world.Objects()
	if err != nil {
		return nil, err
	}
	a := &Answer{Objects: objects, Failures: map[string]string{}}
	for name, failure := range world.Failures() {
		a.Failures[name] = failure.Error()
		delete(a.Objects, name)
	}
	return a, nil
}
