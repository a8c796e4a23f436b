package topology

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/exp/topology/scope"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// manager is the name under which Cluster API applies what it makes of topologies.
const manager = "capi-topology"

// wanted is what Cluster API wants there to be of a topology.
type wanted struct {
	infrastructure, controlPlane, machineTemplate *unstructured.Unstructured
	deployments, pools                            map[string]workers
}

// workers are a MachineDeployment or a MachinePool with what they refer to: templates in the first case.
type workers struct{ object, infrastructure, bootstrap *unstructured.Unstructured }

// wantedBy returns what Cluster API wants, with names that do not depend on chance.
func wantedBy(s *scope.Scope, desired *scope.ClusterState) (*wanted, error) {
	w := &wanted{
		infrastructure: desired.InfrastructureCluster, controlPlane: desired.ControlPlane.Object, machineTemplate: desired.ControlPlane.InfrastructureMachineTemplate,
		deployments: map[string]workers{}, pools: map[string]workers{},
	}
	for name, md := range desired.MachineDeployments {
		o, err := plainOf(md.Object, machineDeploymentKind)
		if err != nil {
			return nil, err
		}
		w.deployments[name] = workers{o, md.InfrastructureMachineTemplate, md.BootstrapTemplate}
	}
	for name, mp := range desired.MachinePools {
		o, err := plainOf(mp.Object, machinePoolKind)
		if err != nil {
			return nil, err
		}
		w.pools[name] = workers{o, mp.InfrastructureMachinePoolObject, mp.BootstrapObject}
	}
	return w, w.rename(namesOf(s, w))
}

// plainOf returns a typed object as the API server is sent it.
func plainOf(typed any, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind.Kind, err)
	}
	o := &unstructured.Unstructured{Object: content}
	o.SetGroupVersionKind(kind)
	unstructured.RemoveNestedField(o.Object, "status")
	return o, nil
}

// objects are all that is wanted.
func (w *wanted) objects() []*unstructured.Unstructured {
	all := []*unstructured.Unstructured{w.infrastructure, w.controlPlane, w.machineTemplate}
	for _, of := range []map[string]workers{w.deployments, w.pools} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			all = append(all, of[name].object, of[name].infrastructure, of[name].bootstrap)
		}
	}
	return slices.DeleteFunc(all, func(o *unstructured.Unstructured) bool { return o == nil })
}

// rename writes other names wherever there are names, as patches may have put them anywhere.
func (w *wanted) rename(names map[string]string) error {
	var pairs []string
	for _, old := range slices.Sorted(maps.Keys(names)) {
		pairs = append(pairs, old, names[old])
	}
	replacer := strings.NewReplacer(pairs...)
	for _, o := range w.objects() {
		raw, err := json.Marshal(o.Object)
		if err != nil {
			return err
		}
		if err := o.UnmarshalJSON([]byte(replacer.Replace(string(raw)))); err != nil {
			return err
		}
	}
	return nil
}

// apply does what Cluster API does to have what it wants, and reports whether that is anything.
func (e *expander) apply(s *scope.Scope, w *wanted) bool {
	changed := e.put(w.infrastructure)
	if w.machineTemplate != nil {
		name, more := e.rotate(s.Current.ControlPlane.InfrastructureMachineTemplate, w.machineTemplate, s.Current.Cluster.Name+"-")
		refer(w.controlPlane, name, machineRefs...)
		changed = more || changed
	}
	changed = e.put(w.controlPlane) || changed
	changed = e.putCluster(s, w) || changed
	for _, name := range slices.Sorted(maps.Keys(w.deployments)) {
		changed = e.applyDeployment(s, name, w.deployments[name]) || changed
	}
	for _, name := range slices.Sorted(maps.Keys(w.pools)) {
		of := w.pools[name]
		if s.UpgradeTracker.MachinePools.IsPendingUpgrade(of.object.GetName()) || s.UpgradeTracker.MachinePools.IsPendingCreate(name) {
			continue
		}
		for _, o := range []*unstructured.Unstructured{of.infrastructure, of.bootstrap, of.object} {
			changed = e.put(o) || changed
		}
	}
	for name, state := range s.Current.MachineDeployments {
		if _, still := w.deployments[name]; !still {
			e.remove(machineDeploymentKind.GroupKind(), state.Object.Namespace, state.Object.Name)
			e.removeMachines(state.Object)
			changed = true
		}
	}
	for name, state := range s.Current.MachinePools {
		if _, still := w.pools[name]; !still {
			ref := state.Object.Spec.Template.Spec.InfrastructureRef
			e.remove(machinePoolKind.GroupKind(), state.Object.Namespace, state.Object.Name)
			e.remove(schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind}, state.Object.Namespace, ref.Name)
			changed = true
		}
	}
	return changed
}

var (
	infrastructureOfMachines = field.At[map[string]any]("spec", "template", "spec", "infrastructureRef")
	bootstrapOfMachines      = field.At[map[string]any]("spec", "template", "spec", "bootstrap", "configRef")
)

// applyDeployment brings a MachineDeployment and its templates up to date. One that waits for its turn to be upgraded stays as it is.
func (e *expander) applyDeployment(s *scope.Scope, name string, of workers) bool {
	if s.UpgradeTracker.MachineDeployments.IsPendingUpgrade(of.object.GetName()) || s.UpgradeTracker.MachineDeployments.IsPendingCreate(name) {
		return false
	}
	var infrastructure, bootstrap *unstructured.Unstructured
	if current := s.Current.MachineDeployments[name]; current != nil {
		infrastructure, bootstrap = current.InfrastructureMachineTemplate, current.BootstrapTemplate
	}
	prefix := s.Current.Cluster.Name + "-" + name + "-"
	infrastructureName, changed := e.rotate(infrastructure, of.infrastructure, prefix)
	bootstrapName, more := e.rotate(bootstrap, of.bootstrap, prefix)
	refer(of.object, infrastructureName, infrastructureOfMachines)
	refer(of.object, bootstrapName, bootstrapOfMachines)
	return e.put(of.object) || changed || more
}

// refer has the references at the paths name another object.
func refer(o *unstructured.Unstructured, name string, paths ...field.Path[map[string]any]) {
	for _, path := range paths {
		if ref := path.Value(o); ref != nil {
			ref = runtime.DeepCopyJSON(ref)
			ref["name"] = name
			_ = path.Set(o, ref) // It was there.
		}
	}
}

// put applies an object as Cluster API does, and reports whether that changes it.
func (e *expander) put(o *unstructured.Unstructured) bool {
	i := e.index(o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName())
	if i < 0 {
		e.chance = e.chance || strings.HasSuffix(o.GetName(), chance)
		e.out.Objects = append(e.out.Objects, preview.Applied(nil, o, manager))
		return true
	}
	before := e.out.Objects[i]
	after := preview.Applied(before, o, manager)
	e.out.Objects[i] = after
	return !equality.Semantic.DeepEqual(before.Object["spec"], after.Object["spec"]) || !equality.Semantic.DeepEqual(before.GetLabels(), after.GetLabels()) ||
		!equality.Semantic.DeepEqual(before.GetAnnotations(), after.GetAnnotations())
}

// putCluster has the Cluster refer to what it consists of.
func (e *expander) putCluster(s *scope.Scope, w *wanted) bool {
	cluster := s.Current.Cluster
	i := e.index(clusterKind.GroupKind(), cluster.Namespace, cluster.Name)
	o := e.out.Objects[i].DeepCopy()
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[clusterv1.ClusterNameLabel], labels[clusterv1.ClusterTopologyOwnedLabel] = cluster.Name, ""
	o.SetLabels(labels)
	for name, to := range map[string]*unstructured.Unstructured{"infrastructureRef": w.infrastructure, "controlPlaneRef": w.controlPlane} {
		gvk := to.GroupVersionKind()
		_ = unstructured.SetNestedMap(o.Object, map[string]any{"apiGroup": gvk.Group, "kind": gvk.Kind, "name": to.GetName()}, "spec", name) // Its spec is a map.
	}
	changed := !equality.Semantic.DeepEqual(o.Object, e.out.Objects[i].Object)
	e.out.Objects[i] = o
	return changed
}

// rotate applies a template, under another name when it would change: what it says of machines never does. It returns the name.
func (e *expander) rotate(current, desired *unstructured.Unstructured, prefix string) (name string, changed bool) {
	if current == nil {
		return desired.GetName(), e.put(desired)
	}
	after := preview.Applied(current, desired, manager)
	if equality.Semantic.DeepEqual(current.Object["spec"], after.Object["spec"]) {
		return current.GetName(), false
	}
	desired.SetName(simpleName(prefix))
	return desired.GetName(), e.put(desired)
}

func (e *expander) remove(kind schema.GroupKind, namespace, name string) {
	if i := e.index(kind, namespace, name); i >= 0 {
		e.out.Objects = slices.Delete(e.out.Objects, i, i+1)
	}
}

// removeMachines deletes the AzureMachines of a MachineDeployment that is deleted.
func (e *expander) removeMachines(md *clusterv1.MachineDeployment) {
	e.out.Objects = slices.DeleteFunc(e.out.Objects, func(o *unstructured.Unstructured) bool {
		if o.GroupVersionKind().GroupKind() != composite.AzureMachine.GroupKind() || o.GetNamespace() != md.Namespace {
			return false
		}
		facts, err := v1alpha1.ReadMachineFacts(o.GetAnnotations())
		return err == nil && facts.Machine.Owner == v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerMachineDeployment, Name: md.Name}
	})
}
