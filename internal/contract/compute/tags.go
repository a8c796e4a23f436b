package compute

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/lru"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

var (
	specTags   = field.At[map[string]string]("spec", "tags")
	statusTags = field.At[map[string]string]("status", "tags")
)

// applyTags has the virtual machine, which is there, and its network interfaces have the tags of the spec: ASO, which only reads them, would
// have to write all else of them, too.
func (w *work) applyTags(ctx context.Context) error {
	if w.facts.Created.State != v1alpha1.Created {
		return nil
	}
	seen, err := composedMetadata(ctx, w.API, w.XR, machines.VirtualMachineKind.GroupKind())
	if err != nil || seen == nil || w.compared.known(w.XR, seen) {
		return err
	}
	vm, err := w.virtualMachine(ctx)
	if err != nil || vm == nil {
		return err
	}
	if tagged(w.XR, vm) {
		w.compared.note(w.XR, vm)
		return nil
	}
	interfaces, err := onlyRead(ctx, w.API, w.XR, aso.NetworkInterface)
	if err != nil {
		return err
	}
	w.applied, err = w.Azure.applyTags(ctx, w.XR, append([]*unstructured.Unstructured{vm}, interfaces...))
	return err
}

// noteSentTags notes the tags that the virtual machine was sent with, if its network interfaces have the same.
func (w *work) noteSentTags(ctx context.Context, sent *unstructured.Unstructured) error {
	interfaces, err := onlyRead(ctx, w.API, w.XR, aso.NetworkInterface)
	if err != nil {
		return err
	}
	for _, obj := range interfaces {
		if !alike(statusTags.Value(obj), specTags.Value(sent)) {
			return nil // It is looked for what differs once the machine is there.
		}
	}
	w.applied = &appliedTags{Resource: resourceName(sent), Tags: specTags.Value(sent)}
	return nil
}

// appliedTags are what is to be noted; nil for nothing new.
type appliedTags v1alpha1.AppliedTags

// note writes them into annotations.
func (t *appliedTags) note(annotations map[string]string) {
	if t == nil {
		return
	}
	if text, err := v1alpha1.AppliedTags(*t).Encode(); err == nil {
		annotations[v1alpha1.AnnotationAppliedTags] = text
	}
}

// tagged reports whether a composite resource notes that the resource of an object has the tags of the spec, and then all that have them
// alike.
func tagged(xr, obj *unstructured.Unstructured) bool {
	applied, known := v1alpha1.ReadAppliedTags(xr.GetAnnotations())
	return known && applied.Resource == resourceName(obj) && maps.Equal(applied.Tags, specTags.Value(obj))
}

// comparedTags are the objects whose tags have been found to be those that are noted as applied, so that they are not read for that again.
type comparedTags struct{ objects *lru.Cache }

// longestCompared is of how many objects that is remembered.
const longestCompared = 1 << 14

// A comparison is all that its result depends on.
type comparison struct {
	generation int64
	applied    string
}

func comparisonOf(xr *unstructured.Unstructured, obj metav1.Object) comparison {
	return comparison{obj.GetGeneration(), xr.GetAnnotations()[v1alpha1.AnnotationAppliedTags]}
}

// known reports whether the object has been compared as it is.
func (t comparedTags) known(xr *unstructured.Unstructured, obj metav1.Object) bool {
	last, has := t.objects.Get(obj.GetUID())
	return has && last == comparisonOf(xr, obj)
}

func (t comparedTags) note(xr *unstructured.Unstructured, obj metav1.Object) {
	t.objects.Add(obj.GetUID(), comparisonOf(xr, obj))
}

// resourceName returns kind and name of an object.
func resourceName(obj *unstructured.Unstructured) string { return obj.GetKind() + " " + obj.GetName() }

// onlyRead returns the objects of a kind that a composite resource has composed, and that ASO may only read.
func onlyRead(ctx context.Context, api access.API, xr *unstructured.Unstructured, kind aso.Kind) ([]*unstructured.Unstructured, error) {
	refs, err := access.ComposedRefs(xr)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, ref := range refs {
		if ref.GroupKind() != kind.GroupKind() {
			continue
		}
		obj, err := api.Live.Object(ctx, xr.GetNamespace(), ref)
		if err != nil {
			return nil, err
		}
		if obj != nil && access.BelongsTo(xr, obj) && aso.AwaitsRemoval(obj) && obj.GetDeletionTimestamp() == nil {
			objects = append(objects, obj)
		}
	}
	return objects, nil
}

// applyTags has the resources of objects, which have the same tags but for those that tell one from the other, have in Azure what the specs say,
// and returns what to note of that on their composite resource. One object may be composed later than another: its change leads here again.
func (a *Azure) applyTags(ctx context.Context, xr *unstructured.Unstructured, objects []*unstructured.Unstructured) (*appliedTags, error) {
	if slices.ContainsFunc(objects, undecided) {
		return nil, nil
	}
	first := objects[0]
	if tagged(xr, first) {
		return nil, nil
	}
	wanted, former := specTags.Value(first), formerTags(xr)
	for _, obj := range objects[1:] {
		if !alike(specTags.Value(obj), wanted) {
			return nil, nil
		}
	}
	for _, obj := range objects {
		if err := a.applyTag(ctx, obj, former); err != nil {
			return nil, err
		}
	}
	return &appliedTags{Resource: resourceName(first), Tags: wanted}, nil
}

func (a *Azure) applyTag(ctx context.Context, obj *unstructured.Unstructured, former map[string]string) error {
	id := obj.GetAnnotations()[aso.AnnotationResourceID]
	if id == "" {
		return nil // ASO has not been there, so that nobody has made it.
	}
	account, err := a.Credentials.Account(ctx, obj)
	if err != nil {
		return fmt.Errorf("cannot use the credential of %s: %w", resourceName(obj), err)
	}
	return a.tagger.Apply(ctx, machines.Tagging{
		ID: id, Cluster: obj.GetLabels()[clusterv1.ClusterNameLabel], As: account, Wanted: specTags.Value(obj), Former: former,
	})
}

// undecided reports whether function-capz has yet to find out whose the resource of an object is. Until then the object has nothing in its spec, so
// that no tags are wanted, though a composite resource that clusterctl has moved notes which ones were written.
func undecided(obj *unstructured.Unstructured) bool {
	return obj.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipUndecided
}

// formerTags returns the tags that were written last, here or by CAPZ, from which a machine was taken over.
func formerTags(xr *unstructured.Unstructured) map[string]string {
	if applied, known := v1alpha1.ReadAppliedTags(xr.GetAnnotations()); known {
		return applied.Tags
	}
	byCAPZ := map[string]any{}
	if json.Unmarshal([]byte(xr.GetAnnotations()[v1alpha1.AnnotationTagsAppliedByCAPZ]), &byCAPZ) != nil {
		return nil
	}
	tags := map[string]string{}
	for tag, value := range byCAPZ {
		tags[tag] = field.Text(value)
	}
	return tags
}

// ownTags are the tags that tell the resources of one composite resource from each other.
var ownTags = []string{"Name", "sigs.k8s.io_cluster-api-provider-azure_role"}

// alike reports whether two resources are to have the same tags but for ownTags.
func alike(a, b map[string]string) bool {
	shared := func(tags map[string]string) map[string]string {
		tags = maps.Clone(tags)
		maps.DeleteFunc(tags, func(tag, _ string) bool { return slices.Contains(ownTags, tag) })
		return tags
	}
	return maps.Equal(shared(a), shared(b))
}
