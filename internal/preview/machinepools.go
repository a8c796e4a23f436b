package preview

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// What a MachinePool says of its AzureMachinePool, and that of its instances.
var (
	poolFailureDomains = field.At[[]string]("spec", "failureDomains")
	poolInfrastructure = field.At[map[string]any]("spec", "template", "spec", "infrastructureRef")
	poolVMSize         = field.At[string]("spec", "template", "vmSize")
	poolSSHKey         = field.At[string]("spec", "template", "sshPublicKey")
)

// tellPools has provider-capz say what is to be known of the AzureMachinePools. Of those that say something already, what their MachinePools say
// may be about to change, and their sizes.
func (p *Preview) tellPools() error {
	for _, o := range p.composites() {
		if o.GroupVersionKind().GroupKind() != composite.AzureMachinePool.GroupKind() {
			continue
		}
		if o.GetAnnotations()[v1alpha1.AnnotationMachineFacts] != "" {
			if err := p.tellAgain(o); err != nil {
				return err
			}
			continue
		}
		facts := v1alpha1.MachineFacts{Machine: v1alpha1.FactsOfMachine{Name: o.GetName()}}
		cluster := o.GetLabels()[clusterv1.ClusterNameLabel]
		if m := p.machinePoolOf(o); m != nil {
			tellMachinePool(&facts, m)
			cluster = cmp.Or(specClusterName.Value(m), cluster)
		}
		facts.Size = mightySize(poolVMSize.Value(o), facts.Pool.FailureDomains)
		if err := settle(o, cluster, poolSSHKey, facts); err != nil {
			return err
		}
	}
	return nil
}

// tellAgain brings the facts of an AzureMachinePool up to date with its MachinePool. Others than that may say how many instances there are.
func (p *Preview) tellAgain(pool *unstructured.Unstructured) error {
	m := p.machinePoolOf(pool)
	facts, err := v1alpha1.ReadMachineFacts(pool.GetAnnotations())
	if err != nil || m == nil || facts.Machine.Name == "" {
		return err
	}
	replicas := facts.Pool.Replicas
	tellMachinePool(&facts, m)
	if by, marked := m.GetAnnotations()[clusterv1.ReplicasManagedByAnnotation]; marked && by != "false" {
		facts.Pool.Replicas = replicas
	}
	if size := poolVMSize.Value(pool); facts.Size.Name != size {
		facts.Size = mightySize(size, facts.Pool.FailureDomains)
	}
	return write(pool, facts)
}

// tellMachinePool notes what a MachinePool says of its instances.
func tellMachinePool(facts *v1alpha1.MachineFacts, m *unstructured.Unstructured) {
	facts.Machine.Name, facts.Machine.Version = m.GetName(), templateVersion.Value(m)
	facts.Pool.Replicas = 1
	if replicas, set, err := specReplicas.Get(m); set && err == nil {
		facts.Pool.Replicas = int32(min(max(replicas, 0), 1<<30))
	}
	facts.Pool.FailureDomains = slices.Sorted(slices.Values(poolFailureDomains.Value(m)))
}

// machinePoolOf returns the MachinePool of an AzureMachinePool; nil when there is none.
func (p *Preview) machinePoolOf(pool *unstructured.Unstructured) *unstructured.Unstructured {
	for _, m := range p.objects {
		ref := poolInfrastructure.Value(m)
		if m.GetKind() == "MachinePool" && ref["kind"] == pool.GetKind() && ref["name"] == pool.GetName() && m.GetNamespace() == pool.GetNamespace() {
			return m
		}
	}
	return nil
}
