package topology

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/exp/topology/scope"
)

// blueprint returns a ClusterClass with the templates that it refers to, or in words which of them is missing.
func (e *expander) blueprint(ctx context.Context, cluster *clusterv1.Cluster, class *clusterv1.ClusterClass) (b *scope.ClusterBlueprint, missing string, err error) {
	get := func(of string, ref clusterv1.ClusterClassTemplateReference) *unstructured.Unstructured {
		if err != nil || missing != "" {
			return nil
		}
		var o *unstructured.Unstructured
		if o, err = e.get(ctx, ref.GroupVersionKind(), class.Namespace, ref.Name); err == nil && o == nil {
			missing = fmt.Sprintf("%s %s/%s, which spec.%s of ClusterClass %s refers to, is not there", ref.Kind, class.Namespace, ref.Name, of, class.Name)
		}
		return o
	}
	b = &scope.ClusterBlueprint{
		Topology: cluster.Spec.Topology, ClusterClass: class,
		MachineDeployments: map[string]*scope.MachineDeploymentBlueprint{}, MachinePools: map[string]*scope.MachinePoolBlueprint{},
	}
	b.InfrastructureClusterTemplate = get("infrastructure.templateRef", class.Spec.Infrastructure.TemplateRef)
	b.ControlPlane = &scope.ControlPlaneBlueprint{Template: get("controlPlane.templateRef", class.Spec.ControlPlane.TemplateRef)}
	if b.HasControlPlaneInfrastructureMachine() {
		b.ControlPlane.InfrastructureMachineTemplate = get("controlPlane.machineInfrastructure.templateRef", class.Spec.ControlPlane.MachineInfrastructure.TemplateRef)
	}
	if b.HasControlPlaneMachineHealthCheck() {
		b.ControlPlane.HealthCheck = class.Spec.ControlPlane.HealthCheck
	}
	for _, c := range class.Spec.Workers.MachineDeployments {
		of := "workers.machineDeployments[" + c.Class + "]."
		b.MachineDeployments[c.Class] = &scope.MachineDeploymentBlueprint{
			Metadata: *c.Metadata.DeepCopy(), HealthCheck: c.HealthCheck,
			InfrastructureMachineTemplate: get(of+"infrastructure.templateRef", c.Infrastructure.TemplateRef),
			BootstrapTemplate:             get(of+"bootstrap.templateRef", c.Bootstrap.TemplateRef),
		}
	}
	for _, c := range class.Spec.Workers.MachinePools {
		of := "workers.machinePools[" + c.Class + "]."
		b.MachinePools[c.Class] = &scope.MachinePoolBlueprint{
			Metadata:                          *c.Metadata.DeepCopy(),
			InfrastructureMachinePoolTemplate: get(of+"infrastructure.templateRef", c.Infrastructure.TemplateRef),
			BootstrapTemplate:                 get(of+"bootstrap.templateRef", c.Bootstrap.TemplateRef),
		}
	}
	return b, missing, err
}
