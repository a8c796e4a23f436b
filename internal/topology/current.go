package topology

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/exp/topology/scope"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	specVersion    = field.At[string]("spec", "version")
	statusVersion  = field.At[string]("status", "version")
	statusVersions = field.At[[]any]("status", "versions")
	// Where a control plane says of what template its machines are made, in either version of the contract.
	machineRefs = []field.Path[map[string]any]{
		field.At[map[string]any]("spec", "machineTemplate", "spec", "infrastructureRef"), field.At[map[string]any]("spec", "machineTemplate", "infrastructureRef"),
	}
)

// A readError is why an object could not be read.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

// current notes what there is of a Cluster already. What Cluster API waits for has come: a plan is about the end.
func (e *expander) current(ctx context.Context, s *scope.Scope) error {
	cluster, b := s.Current.Cluster, s.Blueprint
	r := &referrer{expander: e, ctx: ctx, cluster: cluster}
	s.Current.InfrastructureCluster = r.get(b.InfrastructureClusterTemplate, cluster.Spec.InfrastructureRef)
	s.Current.ControlPlane = &scope.ControlPlaneState{}
	if o := r.get(b.ControlPlane.Template, cluster.Spec.ControlPlaneRef); o != nil {
		s.Current.ControlPlane.Object = settled(o)
		if b.HasControlPlaneInfrastructureMachine() {
			s.Current.ControlPlane.InfrastructureMachineTemplate = r.get(b.ControlPlane.InfrastructureMachineTemplate, machineRefOf(o))
		}
	}
	s.Current.MachineDeployments, s.Current.MachinePools = scope.MachineDeploymentsStateMap{}, scope.MachinePoolsStateMap{}
	for _, o := range e.out.Objects {
		if !ofTopology(o, cluster) {
			continue
		}
		switch o.GroupVersionKind() {
		case machineDeploymentKind:
			md := &clusterv1.MachineDeployment{}
			r.read(o, md)
			name := md.Labels[clusterv1.ClusterTopologyMachineDeploymentNameLabel]
			state := &scope.MachineDeploymentState{Object: md}
			if of := b.MachineDeployments[classOfDeployment(cluster, name)]; of != nil {
				state.InfrastructureMachineTemplate = r.get(of.InfrastructureMachineTemplate, md.Spec.Template.Spec.InfrastructureRef)
				state.BootstrapTemplate = r.get(of.BootstrapTemplate, md.Spec.Template.Spec.Bootstrap.ConfigRef)
			}
			s.Current.MachineDeployments[name] = state
		case machinePoolKind:
			mp := &clusterv1.MachinePool{}
			r.read(o, mp)
			name := mp.Labels[clusterv1.ClusterTopologyMachinePoolNameLabel]
			mp.Status.NodeRefs = nil // No Node is being upgraded.
			state := &scope.MachinePoolState{Object: mp}
			if of := b.MachinePools[classOfPool(cluster, name)]; of != nil {
				state.InfrastructureMachinePoolObject = r.get(of.InfrastructureMachinePoolTemplate, mp.Spec.Template.Spec.InfrastructureRef)
				state.BootstrapObject = r.get(of.BootstrapTemplate, mp.Spec.Template.Spec.Bootstrap.ConfigRef)
			}
			s.Current.MachinePools[name] = state
		}
	}
	return r.err
}

// ofTopology reports whether an object is one that Cluster API has made of the topology of a Cluster.
func ofTopology(o *unstructured.Unstructured, cluster *clusterv1.Cluster) bool {
	_, owned := o.GetLabels()[clusterv1.ClusterTopologyOwnedLabel]
	return owned && o.GetNamespace() == cluster.Namespace && o.GetLabels()[clusterv1.ClusterNameLabel] == cluster.Name
}

func classOfDeployment(cluster *clusterv1.Cluster, name string) string {
	for _, md := range cluster.Spec.Topology.Workers.MachineDeployments {
		if md.Name == name {
			return md.Class
		}
	}
	return ""
}

func classOfPool(cluster *clusterv1.Cluster, name string) string {
	for _, mp := range cluster.Spec.Topology.Workers.MachinePools {
		if mp.Name == name {
			return mp.Class
		}
	}
	return ""
}

// A referrer reads what a Cluster consists of, until something is wrong.
type referrer struct {
	*expander
	ctx     context.Context
	cluster *clusterv1.Cluster
	err     error
}

// get returns an object that is referred to, in the version of the template that it was made of; nil for no reference.
func (r *referrer) get(template *unstructured.Unstructured, ref clusterv1.ContractVersionedObjectReference) *unstructured.Unstructured {
	if r.err != nil || !ref.IsDefined() || template == nil {
		return nil
	}
	kind := schema.GroupVersionKind{Group: ref.APIGroup, Kind: ref.Kind, Version: template.GroupVersionKind().Version}
	o, err := r.expander.get(r.ctx, kind, r.cluster.Namespace, ref.Name)
	switch {
	case err != nil:
		r.err = readError{err}
	case o == nil:
		r.err = fmt.Errorf("%s %s, which Cluster %s consists of, is not there", ref.Kind, ref.Name, r.cluster.Name)
	}
	return o
}

func (r *referrer) read(o *unstructured.Unstructured, into any) {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into); err != nil && r.err == nil {
		r.err = fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
}

// settled returns a control plane that has the version which it is to have.
func settled(o *unstructured.Unstructured) *unstructured.Unstructured {
	o = o.DeepCopy()
	if _, ok := o.Object["status"].(map[string]any); !ok {
		o.Object["status"] = map[string]any{}
	}
	statusVersions.Remove(o)
	_ = statusVersion.Set(o, specVersion.Value(o)) // Its status is a map.
	return o
}

// machineRefOf returns of what template a control plane makes its machines.
func machineRefOf(o *unstructured.Unstructured) clusterv1.ContractVersionedObjectReference {
	for _, path := range machineRefs {
		if ref := path.Value(o); ref != nil {
			group := cmp.Or(field.Text(ref["apiGroup"]), schema.FromAPIVersionAndKind(field.Text(ref["apiVersion"]), "").Group)
			return clusterv1.ContractVersionedObjectReference{APIGroup: group, Kind: field.Text(ref["kind"]), Name: field.Text(ref["name"])}
		}
	}
	return clusterv1.ContractVersionedObjectReference{}
}
