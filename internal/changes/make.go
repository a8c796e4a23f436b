package changes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/internal/topology"
)

// An Input is what a plan is made from.
type Input struct {
	// Function composes, and Sources says which field of a composite resource asks for what it composes of a request.
	Function fnv1.FunctionRunnerServiceServer
	Sources  func(*fnv1.RunFunctionRequest) map[string]string
	// Cluster is the management cluster to compare with; nil for none.
	Cluster preview.Cluster
	// Live are the objects of the cluster that the plan may be about, as they are.
	Live []*unstructured.Unstructured
	// Instances are the AzureMachinePoolMachines of the cluster: the instances of the scale sets that the plan may be about.
	Instances []*unstructured.Unstructured
	// Manifests are the objects as the cluster has them once they are applied.
	Manifests []*unstructured.Unstructured
	// Read returns other objects of the cluster; nil for no cluster.
	Read topology.Reader
}

// Make plans what applying the manifests changes. An error means that there is nothing to plan.
func Make(ctx context.Context, in Input) (*Plan, error) {
	m := &maker{Input: in}
	made, wrong, err := m.first(ctx)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return Refused(wrong), nil
	}
	plan := &Plan{APIVersion: APIVersion, Kind: Kind, Against: Nothing, Changes: []Item{}, Notes: m.notes, Incomplete: len(m.unknown) > 0}
	plan.Notes = append(plan.Notes, m.unknown...)
	var before *preview.Preview
	if in.Cluster != nil {
		plan.Against = LiveCluster
		if err := m.readComposed(ctx); err != nil {
			return nil, err
		}
		if before, err = m.before(ctx); err != nil {
			return nil, err
		}
	}
	sources, past := m.sourcesOf(made), m.sourcesOf(before)
	composed, touched := m.itemsOf(made, sources, past)
	items := slices.Concat(m.own(), composed, heldAndLeft(made))
	if in.Cluster != nil {
		if items, wrong, err = m.invalid(ctx, made, items, sources); err != nil {
			return nil, err
		}
		if err := m.attribute(ctx, plan, items, before); err != nil {
			return nil, err
		}
		more, gone := m.machines(made)
		items, plan.Summary.Unchanged = append(items, more...), -gone
	}
	plan.Changes = append(plan.Changes, items...)
	for i, item := range plan.Changes {
		plan.Summary.count(item)
		if item.Count == 1 {
			plan.Changes[i].Count = 0
		}
	}
	plan.Summary.Unchanged += unchanged(made, touched)
	plan.Mistakes, plan.Notes = append(mistakes(made), wrong...), append(plan.Notes, troubles(made)...)
	return plan, nil
}

type maker struct {
	Input
	// notes and unknown are what is to be said of what other controllers make of the manifests.
	notes, unknown []string
	// composed is what the live composite resources consist of.
	composed map[types.UID]map[string]*unstructured.Unstructured
}

// first plays what applying the manifests makes, and notes what is to be said of it. The mistakes are those for which nothing can be played.
func (m *maker) first(ctx context.Context) (*preview.Preview, []Mistake, error) {
	all, err := m.expand(ctx, overlay(m.Live, m.Manifests))
	if err != nil {
		return nil, nil, err
	}
	m.notes, m.unknown = all.notes, all.unknown
	if len(all.mistakes) > 0 {
		return nil, all.mistakes, nil
	}
	if len(m.unknown) > 0 && !slices.ContainsFunc(all.objects, preview.IsComposite) {
		return nil, nil, errors.New(strings.Join(m.unknown, "; "))
	}
	made, err := m.compose(ctx, all.objects)
	return made, nil, err
}

func (m *maker) play(ctx context.Context, objects []*unstructured.Unstructured) (*preview.Preview, error) {
	all, err := m.expand(ctx, objects)
	if err != nil {
		return nil, err
	}
	return m.compose(ctx, all.objects)
}

func (m *maker) compose(ctx context.Context, objects []*unstructured.Unstructured) (*preview.Preview, error) {
	copies := make([]*unstructured.Unstructured, 0, len(objects))
	for _, o := range objects {
		copies = append(copies, o.DeepCopy())
	}
	if m.Cluster == nil {
		return preview.Make(ctx, m.Function, copies)
	}
	return preview.MakeUpon(ctx, m.Cluster, m.Function, copies)
}

// before plays what happens without the manifests; nil when there is nothing that could.
func (m *maker) before(ctx context.Context) (*preview.Preview, error) {
	if !slices.ContainsFunc(m.Live, preview.IsComposite) {
		return nil, nil
	}
	return m.play(ctx, m.Live)
}

// overlay returns the live objects with those of the manifests in their places, and the new ones.
func overlay(live, manifests []*unstructured.Unstructured) []*unstructured.Unstructured {
	all := slices.Clone(live)
	for _, o := range manifests {
		if i := slices.IndexFunc(all, func(other *unstructured.Unstructured) bool { return preview.SameObject(o, other) }); i >= 0 {
			all[i] = o
		} else {
			all = append(all, o)
		}
	}
	return all
}

// sourcesOf returns which fields ask for composed objects, by composite resource and composition resource name.
func (m *maker) sourcesOf(p *preview.Preview) map[string]string {
	sources := map[string]string{}
	if p == nil || m.Sources == nil {
		return sources
	}
	for _, xr := range p.Composites() {
		req, _ := p.Answer(xr)
		if req == nil {
			continue
		}
		for name, source := range m.Sources(req) {
			sources[keyOf(xr, name)] = source
		}
	}
	return sources
}

func keyOf(xr *unstructured.Unstructured, name string) string {
	return string(xr.GetUID()) + "/" + name
}

// itemsOf returns what is sent to Azure, in order, and the composed objects that do not stay as they are, by keyOf.
func (m *maker) itemsOf(p *preview.Preview, sources, past map[string]string) (items []Item, touched map[string]bool) {
	touched = map[string]bool{}
	for _, s := range p.Steps() {
		of := Item{Of: referenceTo(s.Composite), Source: sources[keyOf(s.Composite, s.Name)], Count: p.Count(s.Composite)}
		external := s.After != nil && s.After.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipExternal
		if of.Count == 0 || external {
			continue // There are to be no such machines, or what the composite resource says of it is told.
		}
		if s.After == nil {
			of.Source = past[keyOf(s.Composite, s.Name)]
		}
		for _, item := range m.stepItems(s, of) {
			items = append(items, item)
			touched[keyOf(s.Composite, s.Name)] = touched[keyOf(s.Composite, s.Name)] || item.Resource.Kind == kindOf(s)
		}
	}
	return replacements(append(items, m.gone(p)...)), touched
}

func kindOf(s *preview.Step) string {
	if s.After == nil {
		return s.Before.GetKind()
	}
	return s.After.GetKind()
}

// stepItems returns what is sent to Azure by a step, with what is to be said of all that is composed with it.
func (m *maker) stepItems(s *preview.Step, item Item) []Item {
	switch {
	case s.Before == nil:
		item.Action, item.Resource, item.Reason = Create, resourceOf(s.After), capacityOf(s.After)
		item.Spec, _ = s.After.Object["spec"].(map[string]any)
	case s.After == nil:
		item.Action, item.Resource = Delete, resourceOf(s.Before)
		if reason := staysInAzure(s.Before); reason != "" {
			item.Action, item.Reason = Leave, reason
		}
		return []Item{item}
	case isScaleSet(s.After) && aso.SkippedByLifecycle(s.After):
		item.Resource = resourceOf(s.After)
		return m.scaleSetItems(s, item)
	default:
		item.Action, item.Resource = Change, resourceOf(s.After)
		if item.Fields = fieldChanges(s.Before, s.After); len(item.Fields) == 0 {
			return nil
		}
		item.Reason = refusedByAzure(s.After, item.Fields)
	}
	if reason := skipped(s.After); reason != "" {
		item.Action, item.Reason = Leave, reason
	}
	return []Item{item}
}

// own returns what becomes of the ASO objects among the manifests, which nobody composes.
func (m *maker) own() []Item {
	var items []Item
	for _, o := range m.Manifests {
		if !aso.IsASO(o.GroupVersionKind().Group) {
			continue
		}
		item := Item{Action: Create, Resource: resourceOf(o), Of: referenceTo(o), Count: 1}
		if i := slices.IndexFunc(m.Live, func(live *unstructured.Unstructured) bool { return preview.SameObject(o, live) }); i >= 0 {
			if item.Action, item.Fields = Change, fieldChanges(m.Live[i], o); len(item.Fields) == 0 {
				continue
			}
		} else {
			item.Spec, _ = o.Object["spec"].(map[string]any)
		}
		if reason := skipped(o); reason != "" {
			item.Action, item.Reason = Leave, reason
		}
		items = append(items, item)
	}
	return items
}

var policy = "metadata.annotations." + aso.AnnotationReconcilePolicy

// fieldChanges returns what is sent to Azure in another way than before. Of what others write, that is at most the tags, by provider-capz.
func fieldChanges(before, after *unstructured.Unstructured) []FieldChange {
	all := differences("spec", before.Object["spec"], after.Object["spec"])
	if aso.SkippedByLifecycle(after) {
		kind := after.GroupVersionKind().GroupKind()
		machines := kind == aso.VirtualMachine.GroupKind() || kind == aso.NetworkInterface.GroupKind()
		all = slices.DeleteFunc(all, func(d difference) bool { return !machines || !strings.HasPrefix(d.path, "spec.tags") })
	} else {
		all = append(all, differences(policy, policyOf(before), policyOf(after))...)
	}
	return changesOf(all)
}

// refusedByAzure says that Azure does not make a change, as far as its documentation tells; empty when it does.
func refusedByAzure(o *unstructured.Unstructured, fields []FieldChange) string {
	var fixed []string
	for _, f := range fields {
		if f.Old != nil && aso.Fixed(o.GroupVersionKind().GroupKind(), f.Path) {
			fixed = append(fixed, f.Path)
		}
	}
	if len(fixed) == 0 {
		return ""
	}
	return fmt.Sprintf("Azure never changes %s of a resource that exists, by its documentation, and will refuse this: give it another metadata.name and spec.azureName to have another made in its place",
		strings.Join(fixed, ", "))
}

func policyOf(o *unstructured.Unstructured) any {
	if p, set := o.GetAnnotations()[aso.AnnotationReconcilePolicy]; set {
		return p
	}
	return absent{}
}

const paused = "is paused: nothing is sent to Azure before the pause ends"

// skipped returns why Azure Service Operator sends nothing for an object; empty when it does.
func skipped(o *unstructured.Unstructured) string {
	annotations := o.GetAnnotations()
	if annotations[aso.AnnotationReconcilePolicy] != aso.PolicySkip || aso.LifecycleOf(o) != aso.Managed {
		return ""
	}
	if aso.SkippedByPause(o) {
		return paused
	}
	return "has the annotation " + aso.AnnotationReconcilePolicy + "=" + aso.PolicySkip + ": Azure Service Operator only reads it"
}

// staysInAzure returns why a resource stays in Azure when its object is deleted; empty when it does not.
func staysInAzure(o *unstructured.Unstructured) string {
	annotations := o.GetAnnotations()
	switch p := annotations[aso.AnnotationReconcilePolicy]; {
	case annotations[v1beta1.AnnotationOwnership] == v1beta1.OwnershipExternal:
		return "was in Azure before: its object goes, and the resource stays"
	case aso.LifecycleOf(o) != aso.Managed:
		return ""
	case p == aso.PolicySkip || p == aso.PolicyDetachOnDelete:
		return "has the annotation " + aso.AnnotationReconcilePolicy + "=" + p + ": its object goes, and the resource stays in Azure"
	}
	return ""
}

// replacements joins a resource that goes and one of the kind that the same field asks for under another name.
func replacements(items []Item) []Item {
	var out []Item
	gone := map[int]bool{}
	for _, item := range items {
		if item.Action == Create && item.Source != "" {
			i := slices.IndexFunc(items, func(other Item) bool {
				return other.Action == Delete && other.Of == item.Of && other.Source == item.Source && other.Resource.Kind == item.Resource.Kind
			})
			if i >= 0 && !gone[i] {
				gone[i] = true
				old := items[i].Resource
				item.Action, item.Replaces = Replace, &old
				item.Reason = fmt.Sprintf("%s asks for another name: %s is deleted, and %s is made", item.Source, old.Reference, item.Resource.Reference)
			}
		}
		out = append(out, item)
	}
	var left []Item
	for i, item := range out {
		if !gone[i] {
			left = append(left, item)
		}
	}
	return left
}

// unchanged counts the resources that stay as they are.
func unchanged(p *preview.Preview, touched map[string]bool) int64 {
	var n int64
	for _, xr := range p.Composites() {
		for name, o := range p.Composed(xr) {
			ownership := o.GetAnnotations()[v1beta1.AnnotationOwnership]
			if !touched[keyOf(xr, name)] && !aso.Held(o) && ownership != v1beta1.OwnershipExternal && ownership != v1beta1.OwnershipUndecided {
				n += p.Count(xr)
			}
		}
	}
	return n
}
