package preview

import (
	"cmp"
	"slices"

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

// tellPools has provider-capz say what is to be known of the AzureMachinePools in the manifests that do not say it themselves.
func (p *Preview) tellPools() error {
	for _, o := range p.composites() {
		if o.GroupVersionKind().GroupKind() != composite.AzureMachinePool.GroupKind() || o.GetAnnotations()[v1alpha1.AnnotationMachineFacts] != "" {
			continue
		}
		facts := v1alpha1.MachineFacts{Machine: v1alpha1.FactsOfMachine{Name: o.GetName()}}
		cluster := o.GetLabels()[clusterv1.ClusterNameLabel]
		for _, m := range p.objects {
			ref := poolInfrastructure.Value(m)
			if m.GetKind() != "MachinePool" || ref["kind"] != o.GetKind() || ref["name"] != o.GetName() || m.GetNamespace() != o.GetNamespace() {
				continue
			}
			facts.Machine.Name, facts.Machine.Version = m.GetName(), templateVersion.Value(m)
			facts.Pool.Replicas = 1
			if replicas, set, err := specReplicas.Get(m); set && err == nil {
				facts.Pool.Replicas = int32(min(max(replicas, 0), 1<<30)) //nolint:gosec // It is bounded.
			}
			facts.Pool.FailureDomains = slices.Sorted(slices.Values(poolFailureDomains.Value(m)))
			cluster = cmp.Or(specClusterName.Value(m), cluster)
		}
		facts.Size = mightySize(poolVMSize.Value(o), facts.Pool.FailureDomains)
		if err := settle(o, cluster, poolSSHKey, facts); err != nil {
			return err
		}
	}
	return nil
}
