package changes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// madeOf are the fields of control planes and MachineDeployments by which Cluster API makes new machines in place of those that there are.
var madeOf = []string{
	"spec.version", "spec.kubeadmConfigSpec", "spec.machineTemplate.infrastructureRef", "spec.machineTemplate.spec.infrastructureRef",
	"spec.template.spec.version", "spec.template.spec.infrastructureRef", "spec.template.spec.bootstrap", "spec.rollout.after", "spec.rolloutAfter",
}

var specReplicas = field.At[int64]("spec", "replicas")

// machines returns what Cluster API does with the machines that there are, as their number or what they are made of changes, and how many
// resources do not stay as they are then.
func (m *maker) machines(p *preview.Preview) (items []Item, touched int64) {
	for _, o := range p.Objects() {
		i := slices.IndexFunc(m.Live, func(live *unstructured.Unstructured) bool { return preview.SameObject(o, live) })
		if i < 0 || !m.changes(m.Live[i], o) {
			continue
		}
		existing := machinesOf(p, o)
		if len(existing) == 0 {
			continue
		}
		changed := differences("", asked(m.Live[i]), asked(o))
		var because []FieldChange
		reference := referenceTo(o)
		for _, d := range changed {
			if slices.ContainsFunc(madeOf, func(path string) bool { return d.path == path || strings.HasPrefix(d.path, path+".") }) {
				change := d.change()
				change.Object = &reference
				because = append(because, change)
			}
		}
		if len(because) > 0 { // Which of them are too many then, comes with it.
			replaced := rolledOut(p, existing, because, reference)
			items, touched = append(items, replaced...), touched+int64(len(replaced))
			continue
		}
		for _, item := range fewer(p, existing, o, changed) {
			items = append(items, item)
			touched += item.Count * int64(len(p.Composed(existing[0])))
		}
	}
	return items, touched
}

// changes reports whether an object is among the manifests, or is changed by what Cluster API makes of them.
func (m *maker) changes(live, o *unstructured.Unstructured) bool {
	manifest := slices.ContainsFunc(m.Manifests, func(other *unstructured.Unstructured) bool { return preview.SameObject(o, other) })
	return manifest || len(differences("", asked(live), asked(o))) > 0
}

// machinesOf returns the AzureMachines that a cluster has of a control plane or MachineDeployment, by name.
func machinesOf(p *preview.Preview, owner *unstructured.Unstructured) []*unstructured.Unstructured {
	kind := v1alpha1.OwnerControlPlane
	switch {
	case owner.GetKind() == "MachineDeployment":
		kind = v1alpha1.OwnerMachineDeployment
	case !strings.HasPrefix(owner.GroupVersionKind().Group, "controlplane."):
		return nil
	}
	var machines []*unstructured.Unstructured
	for _, xr := range p.Composites() {
		facts, err := v1alpha1.ReadMachineFacts(xr.GetAnnotations())
		of := facts.Machine.Owner
		if err == nil && p.Exists(xr) && xr.GetKind() == composite.AzureMachine.Kind && xr.GetNamespace() == owner.GetNamespace() && of.Kind == kind && of.Name == owner.GetName() {
			machines = append(machines, xr)
		}
	}
	slices.SortFunc(machines, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return machines
}

// rolledOut returns the resources of machines in whose places others are made.
func rolledOut(p *preview.Preview, machines []*unstructured.Unstructured, because []FieldChange, owner Reference) []Item {
	var items []Item
	for _, xr := range machines {
		composed := p.Composed(xr)
		for _, name := range slices.Sorted(maps.Keys(composed)) {
			items = append(items, Item{Action: Replace, Resource: resourceOf(composed[name]), Of: referenceTo(xr), Because: because, Count: 1,
				Reason: fmt.Sprintf("%s makes a new machine in place of %s", owner, xr.GetName())})
		}
	}
	return items
}

// fewer returns the virtual machines that are too many.
func fewer(p *preview.Preview, machines []*unstructured.Unstructured, owner *unstructured.Unstructured, changed []difference) []Item {
	replicas, set, err := specReplicas.Get(owner)
	surplus := int64(len(machines)) - replicas
	if !set || err != nil || surplus <= 0 {
		return nil
	}
	var names []string
	var resource Resource
	for _, xr := range machines {
		names = append(names, xr.GetName())
		for _, o := range p.Composed(xr) {
			if o.GroupVersionKind().GroupKind() == aso.VirtualMachine.GroupKind() {
				resource = resourceOf(o)
			}
		}
	}
	item := Item{Action: Delete, Resource: resource, Of: referenceTo(owner), Count: surplus, Reason: "with all that only the machine has"}
	if int64(len(machines)) > surplus {
		item.Resource.Name, item.Resource.AzureName = "", ""
		item.Reason = fmt.Sprintf("%s; Cluster API chooses which: %d of %s", item.Reason, surplus, strings.Join(names, ", "))
	}
	reference := referenceTo(owner)
	for _, d := range changed {
		if d.path == "spec.replicas" {
			change := d.change()
			change.Object = &reference
			item.Because = append(item.Because, change)
		}
	}
	return []Item{item}
}
