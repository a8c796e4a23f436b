package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// errNoManifest ends the rehearsal of an act that is not the applying or editing of manifests.
var errNoManifest = errors.New("is more than to apply or edit manifests")

// A rehearsal is a client that writes nothing, and keeps what would be written.
type rehearsal struct {
	client.Client
	// manifests are what is applied, and edited are objects as they are to be.
	manifests, edited []*unstructured.Unstructured
}

// rehearse returns the manifests that an act applies, by a field manager that takes no field away, without doing it. The error says why they are not
// known.
func (w *world) rehearse(act func(*world) error) (manager string, manifests []*unstructured.Unstructured, err error) {
	r := &rehearsal{Client: w.client}
	dry := *w
	// The rest of an environment, with which more than manifests could be changed, is left out.
	dry.environment = &environment{ctx: w.ctx, root: w.root, client: r, kinds: w.kinds}
	dry.noted, dry.injected, dry.seen, dry.going = maps.Clone(w.noted), maps.Clone(w.injected), maps.Clone(w.seen), slices.Clone(w.going)
	defer func() {
		if cause := recover(); cause != nil { // It has used what was left out.
			err = fmt.Errorf("%w: %v", errNoManifest, cause)
		}
	}()
	if err := act(&dry); err != nil {
		return "", nil, err
	}
	if len(r.edited) > 0 {
		return "editor", slices.Concat(r.manifests, r.edited), nil
	}
	return fieldOwner, r.manifests, nil
}

// plannable reports whether a plan may say something of a kind.
func plannable(gvk schema.GroupVersionKind) bool {
	return strings.HasSuffix(gvk.Group, asoGroups) || strings.HasSuffix(gvk.Group, coreGroup) || gvk.Group == platformGroup
}

// Get returns what would be there.
func (r *rehearsal) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return r.Client.Get(ctx, key, o, options...)
	}
	for _, edited := range slices.Concat(r.edited, r.manifests) {
		if client.ObjectKeyFromObject(edited) == key && edited.GroupVersionKind() == u.GroupVersionKind() {
			edited.DeepCopyInto(u)
			return nil
		}
	}
	return r.Client.Get(ctx, key, o, options...)
}

// Create keeps an object as a manifest. Secrets and others of which a plan says nothing are left out.
func (r *rehearsal) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	u, err := r.unstructured(o)
	if err != nil || !plannable(u.GroupVersionKind()) {
		return err
	}
	r.manifests = append(r.manifests, u)
	return nil
}

// Apply keeps a manifest.
func (r *rehearsal) Apply(_ context.Context, o runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return err
	}
	r.manifests = append(r.manifests, u)
	return nil
}

// Update keeps an object as it is to be. One that has a field less cannot be told by a manifest that another manager applies.
func (r *rehearsal) Update(ctx context.Context, o client.Object, _ ...client.UpdateOption) error {
	u, err := r.unstructured(o)
	if err != nil || !plannable(u.GroupVersionKind()) {
		return err
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(u.GroupVersionKind())
	if err := r.Client.Get(ctx, client.ObjectKeyFromObject(u), live); err != nil {
		return err
	}
	for _, path := range [][]string{{"spec"}, {"metadata", "labels"}, {"metadata", "annotations"}} {
		was, _, _ := unstructured.NestedFieldNoCopy(live.Object, path...)
		is, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
		if field := lost(strings.Join(path, "."), was, is); field != "" {
			return fmt.Errorf("takes %s of %s %s away, which no manifest says", field, u.GetKind(), u.GetName())
		}
	}
	r.keep(u)
	return nil
}

// Patch keeps what the API server says would come of a patch.
func (r *rehearsal) Patch(ctx context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) error {
	u, err := r.unstructured(o)
	if err != nil || !plannable(u.GroupVersionKind()) {
		return err
	}
	if err := r.Client.Patch(ctx, u, patch, client.DryRunAll); err != nil {
		return err
	}
	return r.Update(ctx, u)
}

// Delete is no applying of manifests.
func (r *rehearsal) Delete(context.Context, client.Object, ...client.DeleteOption) error {
	return errNoManifest
}

// DeleteAllOf is no applying of manifests.
func (r *rehearsal) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	return errNoManifest
}

// Status has nothing that a manifest says.
func (r *rehearsal) Status() client.SubResourceWriter { panic(errNoManifest) }

// SubResource has nothing that a manifest says.
func (r *rehearsal) SubResource(string) client.SubResourceClient { panic(errNoManifest) }

func (r *rehearsal) unstructured(o client.Object) (*unstructured.Unstructured, error) {
	gvk, err := apiutil.GVKForObject(o, r.Scheme())
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	u := (&unstructured.Unstructured{Object: content}).DeepCopy()
	u.SetGroupVersionKind(gvk)
	return u, nil
}

// ofServers are the fields of metadata that are not in a manifest.
var ofServers = append(slices.Clip(aso.ServerMetadata), "ownerReferences", "finalizers")

// keep keeps an object without what is not in a manifest.
func (r *rehearsal) keep(u *unstructured.Unstructured) {
	u = u.DeepCopy()
	for _, name := range ofServers {
		unstructured.RemoveNestedField(u.Object, "metadata", name)
	}
	delete(u.Object, "status")
	r.edited = slices.DeleteFunc(r.edited, func(other *unstructured.Unstructured) bool {
		return other.GroupVersionKind() == u.GroupVersionKind() && other.GetName() == u.GetName()
	})
	r.edited = append(r.edited, u)
}

// lost returns a field that a value has no more; empty for none. Lists are written as wholes.
func lost(path string, old, new any) string {
	before, wasMap := old.(map[string]any)
	after, isMap := new.(map[string]any)
	if wasMap && len(before) > 0 && new == nil {
		return path
	}
	if !wasMap || !isMap {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[name]; !there {
			return path + "." + name
		}
		if field := lost(path+"."+name, before[name], after[name]); field != "" {
			return field
		}
	}
	return ""
}
