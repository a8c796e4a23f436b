package preview

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Cluster is a management cluster that a preview begins from.
type Cluster interface {
	// Composed returns the objects that a composite resource consists of, by composition resource name.
	Composed(ctx context.Context, xr *unstructured.Unstructured) (map[string]*unstructured.Unstructured, error)
	// Select returns the objects that a function asks for.
	Select(ctx context.Context, selector *fnv1.ResourceSelector) ([]*unstructured.Unstructured, error)
	// Schema returns the OpenAPI schema of a kind; nil when the cluster does not serve it.
	Schema(ctx context.Context, kind schema.GroupVersionKind) (map[string]any, error)
}

// A Step is what becomes of one ASO object on the way from what there is to what the composite resources ask for.
type Step struct {
	// Composite is the composite resource that the object is of, Name the composition resource name.
	Composite *unstructured.Unstructured
	Name      string
	// Before is nil where Azure has been sent nothing, After where the object is deleted.
	Before, After *unstructured.Unstructured
}

// MakeUpon previews what a cluster would make of the composite resources among objects, with what it has of them already. The objects are
// those of the cluster, with their UIDs, changed as somebody is about to, and new ones.
func MakeUpon(ctx context.Context, cluster Cluster, function fnv1.FunctionRunnerServiceServer, objects []*unstructured.Unstructured) (*Preview, error) {
	p := &Preview{cluster: cluster, function: function, azure: func(o *unstructured.Unstructured) map[string]any {
		if status, _ := o.Object["status"].(map[string]any); status != nil && aso.StateOf(o).Ready {
			return status
		}
		return nil
	}}
	if err := p.play(ctx, objects); err != nil {
		return nil, err
	}
	return p, nil
}

// Steps returns what would be sent to Azure, in order. One of an object that ends up as it was is not among them.
func (p *Preview) Steps() []*Step {
	return slices.DeleteFunc(slices.Clone(p.steps), func(s *Step) bool { return s.Before == nil && s.After == nil })
}

// Objects returns the objects that the preview was made of, as they are in the end.
func (p *Preview) Objects() []*unstructured.Unstructured { return slices.Clone(p.objects) }

// Composites returns the composite resources as they are in the end.
func (p *Preview) Composites() []*unstructured.Unstructured { return p.composites() }

// Composed returns the objects of a composite resource as they are in the end, by composition resource name.
func (p *Preview) Composed(xr *unstructured.Unstructured) map[string]*unstructured.Unstructured {
	return p.composed[xr.GetUID()]
}

// Answer returns what the function was asked last about a composite resource, and its answer; nil when it has not been asked.
func (p *Preview) Answer(xr *unstructured.Unstructured) (*fnv1.RunFunctionRequest, *fnv1.RunFunctionResponse) {
	a := p.answered[xr.GetUID()]
	return a.req, a.rsp
}

// Count returns how many machines a composite resource stands for, each with resources like its own; 1 where it stands for itself.
func (p *Preview) Count(xr *unstructured.Unstructured) int64 {
	if count, ok := p.counts[xr.GetUID()]; ok {
		return count
	}
	return 1
}

// Exists reports whether a composite resource is an object of the cluster or of the manifests, and does not only stand for machines.
func (p *Preview) Exists(xr *unstructured.Unstructured) bool {
	_, stands := p.counts[xr.GetUID()]
	return !stands
}

// machinesToMake returns how many machines a control plane or MachineDeployment makes beside those that a cluster has; not ok when it makes
// none there.
func (p *Preview) machinesToMake(o *unstructured.Unstructured) (count int64, ok bool) {
	count = 1
	if replicas, set, err := specReplicas.Get(o); set && err == nil {
		count = replicas
	}
	if p.cluster == nil {
		return count, true
	}
	for _, machine := range p.objects {
		facts, err := v1alpha1.ReadMachineFacts(machine.GetAnnotations())
		if owner := facts.Machine.Owner; err == nil && owner.Kind == ownerKind(o) && owner.Name == o.GetName() && machine.GetNamespace() == o.GetNamespace() {
			count--
		}
	}
	return count, count > 0
}

var specReplicas = field.At[int64]("spec", "replicas")

// begin has the objects that the cluster has composed already. What Azure is at work on has succeeded.
func (p *Preview) begin(ctx context.Context) error {
	if p.cluster == nil {
		return nil
	}
	for _, xr := range p.composites() {
		composed, err := p.cluster.Composed(ctx, xr)
		if err != nil {
			return err
		}
		for name, o := range composed {
			o = o.DeepCopy()
			if state := aso.StateOf(o); !state.Ready && !looking(o) && !aso.Held(o) && aso.Progressing(state.Reason) {
				finish(o)
			}
			p.composed[xr.GetUID()][name] = o
		}
	}
	return nil
}

// selected returns the objects that a function asks for: those of the preview, then those that only the cluster has. What ClusterFacts have of
// other objects is not as somebody is about to change it, so a function reads these themselves.
func (p *Preview) selected(ctx context.Context, selector *fnv1.ResourceSelector) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	own := slices.Concat(p.objects, p.all())
	for _, o := range own {
		if selects(selector, o) {
			found = append(found, o)
		}
	}
	if p.cluster == nil {
		return found, nil
	}
	live, err := p.cluster.Select(ctx, selector)
	for _, o := range live {
		known := slices.ContainsFunc(own, func(other *unstructured.Unstructured) bool { return SameObject(o, other) })
		if known || p.deleted(o) {
			continue
		}
		if o.GroupVersionKind() == clusterfacts.Kind {
			o = o.DeepCopy()
			unstructured.RemoveNestedField(o.Object, "spec", "objects")
			unstructured.RemoveNestedField(o.Object, "spec", "served")
		}
		found = append(found, o)
	}
	return found, err
}

// SameObject reports whether two are one object of a cluster, in whatever version.
func SameObject(a, b *unstructured.Unstructured) bool {
	return a.GroupVersionKind().GroupKind() == b.GroupVersionKind().GroupKind() && a.GetNamespace() == b.GetNamespace() && a.GetName() == b.GetName()
}

func (p *Preview) deleted(o *unstructured.Unstructured) bool {
	return slices.ContainsFunc(p.steps, func(s *Step) bool { return s.After == nil && s.Before != nil && SameObject(o, s.Before) })
}

// update has Crossplane apply a desired object to the one that is there, and Azure do what changes; it reports whether something did.
func (p *Preview) update(xr *unstructured.Unstructured, name string, o *unstructured.Unstructured) bool {
	existing := p.composed[xr.GetUID()]
	before := existing[name]
	after := applied(before, o)
	if equality.Semantic.DeepEqual(content(before), content(after)) {
		return false
	}
	if !equality.Semantic.DeepEqual(before.Object["spec"], after.Object["spec"]) {
		after.SetGeneration(before.GetGeneration() + 1)
	}
	if aso.Managed == aso.LifecycleOf(after) || aso.StateOf(before).Ready {
		finish(after)
	}
	existing[name] = after
	p.record(xr, name, before, after)
	return true
}

// drop has Crossplane delete what a function does not return any more.
func (p *Preview) drop(xr *unstructured.Unstructured, desired map[string]*fnv1.Resource) (changed bool) {
	if p.cluster == nil {
		return false
	}
	existing := p.composed[xr.GetUID()]
	for _, name := range slices.Sorted(maps.Keys(existing)) {
		if desired[name] != nil {
			continue
		}
		changed = true
		if !aso.Held(existing[name]) {
			p.record(xr, name, existing[name], nil)
		}
		delete(existing, name)
	}
	return changed
}

// record notes that an object is created, changed or deleted.
func (p *Preview) record(xr *unstructured.Unstructured, name string, before, after *unstructured.Unstructured) {
	copied := func(o *unstructured.Unstructured) *unstructured.Unstructured {
		if o == nil {
			return nil
		}
		return o.DeepCopy()
	}
	for _, s := range p.steps {
		if s.Composite.GetUID() == xr.GetUID() && s.Name == name {
			s.After = copied(after)
			return
		}
	}
	p.steps = append(p.steps, &Step{Composite: xr, Name: name, Before: copied(before), After: copied(after)})
}

// applied returns an object as a server-side apply of the desired one by Crossplane leaves it.
func applied(before, desired *unstructured.Unstructured) *unstructured.Unstructured {
	return Applied(before, desired, plan.ComposedManager)
}

// Applied returns an object as a server-side apply of the desired one leaves it, by somebody whose field managers begin with manager. Before is nil
// where there is none yet.
func Applied(before, desired *unstructured.Unstructured, manager string) *unstructured.Unstructured {
	desired = desired.DeepCopy()
	desired.Object = whole(desired.Object).(map[string]any)
	after := desired.DeepCopy()
	var others []metav1.ManagedFieldsEntry
	if before != nil {
		after = before.DeepCopy()
		owned := map[string]any{}
		if last, err := plan.AsAppliedBy(before, manager, manager); err == nil {
			owned = content(last).Object
		}
		merge(after.Object, owned, content(desired).Object)
		after.SetAPIVersion(desired.GetAPIVersion())
		others = slices.DeleteFunc(before.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return strings.HasPrefix(m.Manager, manager) })
	}
	fields, err := fieldsOf(content(desired))
	if err != nil {
		return after // It has no fields that could be owned.
	}
	after.SetManagedFields(append(others, metav1.ManagedFieldsEntry{
		Manager: manager + "/preview", Operation: metav1.ManagedFieldsOperationApply, APIVersion: desired.GetAPIVersion(),
		FieldsType: "FieldsV1", FieldsV1: fields,
	}))
	return after
}

// merge applies to a map what was applied last and is applied now. Lists in ASO's CRDs are atomic.
func merge(into, last, now map[string]any) {
	for name := range last {
		if _, still := now[name]; still {
			continue
		}
		inner, isMap := last[name].(map[string]any)
		if child, ok := into[name].(map[string]any); ok && isMap && len(inner) > 0 {
			if merge(child, inner, nil); len(child) > 0 {
				continue
			}
		}
		delete(into, name)
	}
	for name, value := range now {
		wanted, isMap := value.(map[string]any)
		if child, ok := into[name].(map[string]any); ok && isMap {
			inner, _ := last[name].(map[string]any)
			merge(child, inner, wanted)
			continue
		}
		into[name] = runtime.DeepCopyJSONValue(value)
	}
}

// whole returns a value with its whole numbers as the API server has them. In what a function answers, all numbers are floats.
func whole(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = whole(inner)
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case float64:
		if n := int64(v); float64(n) == v {
			return n
		}
	}
	return value
}

// content returns the part of an object that Crossplane applies.
func content(o *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	for name, value := range o.Object {
		if name != "status" && name != "metadata" {
			out.Object[name] = value
		}
	}
	out.SetLabels(o.GetLabels())
	out.SetAnnotations(o.GetAnnotations())
	if finalizers := o.GetFinalizers(); slices.Contains(finalizers, aso.RemovalFinalizer) {
		out.SetFinalizers([]string{aso.RemovalFinalizer})
	}
	return out
}

func fieldsOf(o *unstructured.Unstructured) (*metav1.FieldsV1, error) {
	value, err := typed.DeducedParseableType.FromUnstructured(o.Object)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	set, err := value.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	raw, err := set.ToJSON()
	return metav1.NewFieldsV1(string(raw)), err
}

// finish makes an object look as ASO leaves it when Azure has done all it was asked, and keeps what else Azure has said of it.
func finish(o *unstructured.Unstructured) {
	status, _ := o.Object["status"].(map[string]any)
	status = runtime.DeepCopyJSON(status)
	if status == nil {
		status = map[string]any{}
	}
	spec, _ := o.Object["spec"].(map[string]any)
	reflected(status, spec)
	for wanted, reported := range versions {
		if version, ok := spec[wanted]; ok {
			status[reported] = version
		}
	}
	status["conditions"] = []any{map[string]any{"type": "Ready", "status": "True", "reason": "Succeeded", "observedGeneration": o.GetGeneration()}}
	o.Object["status"] = status
	aso.Annotate(o, aso.AnnotationSent, strconv.FormatInt(o.GetGeneration(), 10))
}

// versions are the fields of AKS that say which version there is, by those that say which is asked for.
var versions = map[string]string{"kubernetesVersion": "currentKubernetesVersion", "orchestratorVersion": "currentOrchestratorVersion"}

// reflected has a status say what a spec asks for, where it has the fields.
func reflected(status, spec map[string]any) {
	for name, reported := range status {
		wanted, asked := spec[name]
		if !asked {
			continue
		}
		inner, isMap := wanted.(map[string]any)
		if child, ok := reported.(map[string]any); ok && isMap {
			reflected(child, inner)
		} else if sameType(wanted, reported) {
			status[name] = runtime.DeepCopyJSONValue(wanted)
		}
	}
}

func sameType(a, b any) bool {
	return fmt.Sprintf("%T", a) == fmt.Sprintf("%T", b)
}
