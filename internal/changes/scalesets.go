package changes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/internal/rollout"
)

const (
	scaleSetTags     = "spec.tags"
	scaleSetCapacity = "spec.sku.capacity"
	scaleSetProfile  = "spec.virtualMachineProfile"
	scaleSetNetwork  = scaleSetProfile + ".networkProfile"
)

var (
	skuCapacity         = field.At[int64]("spec", "sku", "capacity")
	orchestrationMode   = field.At[string]("spec", "orchestrationMode")
	machineInstanceName = field.At[string]("spec", "infrastructureRef", "name")
)

func isScaleSet(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().GroupKind() == aso.VirtualMachineScaleSet.GroupKind()
}

// capacityOf says how many instances a scale set is made with; empty where that is not said.
func capacityOf(o *unstructured.Unstructured) string {
	n, set, err := skuCapacity.Get(o)
	switch {
	case !isScaleSet(o) || !set || err != nil:
		return ""
	case n == 1:
		return "with 1 instance"
	}
	return fmt.Sprintf("with %d instances", n)
}

// scaleSetItems returns what becomes of a scale set that there is, and of its instances. provider-capz writes it, and by its own rules: tags at
// once, another model as a whole, a greater number with all but the profile of the instances, and a lower one by deleting instances.
func (m *maker) scaleSetItems(s *preview.Step, item Item) []Item {
	all := differences("spec", s.Before.Object["spec"], s.After.Object["spec"])
	if len(all) == 0 {
		return nil
	}
	if aso.SkippedByPause(s.After) {
		item.Action, item.Fields, item.Reason = Leave, changesOf(all), paused
		return []Item{item}
	}
	model := slices.ContainsFunc(all, ofModel)
	grows := slices.ContainsFunc(all, func(d difference) bool { return d.path == scaleSetCapacity && number(d.new) > number(d.old) })
	var sent, later, never []difference
	for _, d := range all {
		switch {
		case d.path == scaleSetCapacity && !grows: // Instances are deleted, and Azure counts itself.
		case d.path == scaleSetTags || strings.HasPrefix(d.path, scaleSetTags+"."):
			sent = append(sent, d)
		case d.path == scaleSetNetwork || strings.HasPrefix(d.path, scaleSetNetwork+"."):
			never = append(never, d)
		case model || grows && !strings.HasPrefix(d.path, scaleSetProfile):
			sent = append(sent, d)
		default:
			later = append(later, d)
		}
	}
	var items []Item
	add := func(action Action, fields []difference, reason string) {
		if len(fields) > 0 {
			item.Action, item.Fields, item.Reason = action, changesOf(fields), reason
			items = append(items, item)
		}
	}
	add(Change, sent, "")
	add(Hold, later, "Azure is sent this together with the next change of "+strings.Join(rollout.ModelFields, ", ")+", as it is then that instances are made anew")
	add(Leave, never, "the network of a scale set is sent once: the cloud controller manager writes it afterwards")
	return append(items, m.instanceItems(s, item, model)...)
}

// ofModel reports whether instances are of an older model by a difference. Azure does not tell upper from lower case in it.
func ofModel(d difference) bool {
	old, wasText := d.old.(string)
	new, isText := d.new.(string)
	if wasText && isText && strings.EqualFold(old, new) {
		return false
	}
	return slices.ContainsFunc(rollout.ModelFields, func(name string) bool {
		return d.path == "spec."+name || strings.HasPrefix(d.path, "spec."+name+".") || strings.HasPrefix(d.path, "spec."+name+"[")
	})
}

func number(value any) int64 {
	switch n := value.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}

func changesOf(all []difference) []FieldChange {
	var changes []FieldChange
	for _, d := range all {
		changes = append(changes, d.change())
	}
	return changes
}

// instanceItems returns which instances of a scale set go: those that are too many, and, for a new model, all others for new ones.
func (m *maker) instanceItems(s *preview.Step, of Item, model bool) []Item {
	facts, err := v1alpha1.ReadMachineFacts(s.Composite.GetAnnotations())
	pool := &v1beta1.AzureMachinePool{}
	if err != nil || runtime.DefaultUnstructuredConverter.FromUnstructured(s.Composite.Object, pool) != nil {
		return nil // The composer says so.
	}
	defaulting.MachinePool(&pool.Spec)
	replicas := int(facts.Pool.Replicas)
	strategy, err := rollout.StrategyOf(pool.Spec.Strategy.RollingUpdate, replicas)
	if err != nil {
		return nil // The API server says so.
	}
	instances, named := m.instancesOf(s.Composite, model)
	item := Item{Of: of.Of, Source: of.Source, Count: 1}
	resource := func(name string) Resource {
		r := Resource{Type: aso.VirtualMachineScaleSet.ARM() + "/virtualMachines", Reference: Reference{
			APIVersion: v1beta1.GroupVersion.String(), Kind: v1beta1.AzureMachinePoolMachineKind, Namespace: s.Composite.GetNamespace(), Name: name}}
		if orchestrationMode.Value(s.After) == string(v1beta1.OrchestrationFlexible) {
			r.Type = aso.VirtualMachine.ARM()
		}
		r.AzureName = named[name]
		return r
	}
	var items []Item
	surplus := len(instances) - replicas
	going := strategy.Order(instances, max(surplus, 0))
	switch {
	case surplus > 0 && replicas > 0 && strategy.DeletePolicy == v1beta1.DeleteRandom:
		item.Action, item.Resource, item.Count = Delete, resource(""), int64(surplus)
		item.Reason = fmt.Sprintf("the pool is to have %d: which go of %s is decided by chance", replicas, strings.Join(namesOf(instances), ", "))
		items, going = append(items, item), nil
		item.Count = 1
	case surplus > 0:
		for _, name := range going {
			item.Action, item.Resource = Delete, resource(name)
			item.Reason = fmt.Sprintf("the pool is to have %d, and %s", replicas, firstWords(strategy.DeletePolicy))
			items = append(items, item)
		}
	}
	if !model {
		return items
	}
	rest := slices.DeleteFunc(slices.Clone(instances), func(i rollout.Instance) bool { return slices.Contains(going, i.Name) })
	for _, name := range strategy.Order(rest, min(len(rest), replicas)) {
		item.Action, item.Resource = Replace, resource(name)
		item.Reason = fmt.Sprintf("is of an older model then; at a time there are at most %d more, and %d fewer ready, than %d: %s",
			strategy.Surge, strategy.Unavailable, replicas, firstWords(strategy.DeletePolicy))
		items = append(items, item)
	}
	return items
}

// firstWords says which instance goes first.
func firstWords(policy v1beta1.AzureMachinePoolDeletePolicy) string {
	switch policy {
	case v1beta1.DeleteNewest:
		return "the newest goes first"
	case v1beta1.DeleteRandom:
		return "which goes first is decided by chance"
	}
	return "the oldest goes first"
}

func namesOf(instances []rollout.Instance) []string {
	var names []string
	for _, i := range instances {
		names = append(names, i.Name)
	}
	return names
}

// instancesOf returns the instances of a pool that are not on their way out, and their names in Azure. Model says that all are of an older one.
func (m *maker) instancesOf(pool *unstructured.Unstructured, model bool) (instances []rollout.Instance, named map[string]string) {
	named = map[string]string{}
	for _, o := range m.Instances {
		known := &v1beta1.AzureMachinePoolMachine{}
		if o.GetNamespace() != pool.GetNamespace() || o.GetLabels()[v1beta1.LabelMachinePool] != pool.GetName() ||
			runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, known) != nil {
			continue
		}
		machine := m.machineOf(o)
		_, chosen := o.GetAnnotations()[clusterv1.DeleteMachineAnnotation]
		if machine != nil && !chosen {
			_, chosen = machine.GetAnnotations()[clusterv1.DeleteMachineAnnotation]
		}
		i := rollout.Instance{
			Name: o.GetName(), Created: o.GetCreationTimestamp().Time, State: ptr.Deref(known.Status.ProvisioningState, v1beta1.Creating),
			Ready: known.Status.Ready, Latest: known.Status.LatestModelApplied && !model, Chosen: chosen,
		}
		if o.GetDeletionTimestamp() != nil || machine != nil && machine.GetDeletionTimestamp() != nil || i.State == v1beta1.Deleting {
			continue
		}
		instances = append(instances, i)
		named[i.Name] = cmp.Or(known.Status.InstanceName, known.Spec.InstanceID)
	}
	slices.SortFunc(instances, func(a, b rollout.Instance) int { return cmp.Compare(a.Name, b.Name) })
	return instances, named
}

// machineOf returns the Machine of an instance; nil when it has none.
func (m *maker) machineOf(instance *unstructured.Unstructured) *unstructured.Unstructured {
	for _, o := range m.Live {
		if o.GetKind() == "Machine" && o.GetNamespace() == instance.GetNamespace() && machineInstanceName.Value(o) == instance.GetName() {
			return o
		}
	}
	return nil
}
