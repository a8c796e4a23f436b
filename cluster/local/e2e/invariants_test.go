package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An objectKey tells ASO objects of a scenario apart.
type objectKey struct{ kind, name string }

func (k objectKey) String() string { return k.kind + "/" + k.name }

// A removal is an ASO object, as in "VirtualNetwork/services", and the end of its Azure ID, as in
// "/virtualNetworks/services", which a step deletes; both are regular expressions.
type removal struct{ object, azure string }

// expects notes what the next step removes.
func (w *world) expects(goes []removal) { w.going = append(w.going, goes...) }

// dropped says what has gone that no step has asked to remove: an ASO object with its UID, or an Azure resource that
// somebody sent a DELETE for. The error says that it cannot be known now.
func (w *world) dropped() (string, error) {
	now, err := w.asoObjects()
	if err != nil {
		return "", err
	}
	requests, err := w.requests(w.begun, http.MethodDelete)
	if err != nil {
		return "", err
	}
	for key, before := range w.seen {
		if slices.ContainsFunc(w.going, func(r removal) bool { return regexp.MustCompile("^" + r.object + "$").MatchString(key.String()) }) {
			continue
		}
		after, there := now[key]
		switch {
		case !there:
			return fmt.Sprintf("%s was dropped", key), nil
		case after.UID != before.UID:
			return fmt.Sprintf("%s was deleted and made anew (UID %s, before %s)", key, after.UID, before.UID), nil
		case after.DeletionTimestamp != nil:
			return fmt.Sprintf("%s is being deleted", key), nil
		}
	}
	w.seen = now
	for _, r := range requests {
		wanted := slices.ContainsFunc(w.going, func(g removal) bool {
			return regexp.MustCompile("(?i)" + g.azure + "$").MatchString(r.Path)
		})
		if !wanted {
			return fmt.Sprintf("somebody sent DELETE %s at %s (answered %d, %s)", r.Path, r.Time, r.Status, r.UserAgent), nil
		}
	}
	return "", nil
}

// usedKinds returns the ASO kinds of which there was an object after an earlier step. To look at all of them each time
// would cost more than the product does.
func (w *world) usedKinds() []schema.GroupVersionKind {
	var used []schema.GroupVersionKind
	for _, gvk := range w.kinds.aso {
		for key := range w.seen {
			if key.kind == gvk.Kind {
				used = append(used, gvk)
				break
			}
		}
	}
	return used
}

// asoObjects returns every ASO object of the scenario's namespace.
func (w *world) asoObjects() (map[objectKey]metav1.PartialObjectMetadata, error) {
	return w.asoObjectsOf(w.kinds.aso)
}

func (w *world) asoObjectsOf(kinds []schema.GroupVersionKind) (map[objectKey]metav1.PartialObjectMetadata, error) {
	objects := map[objectKey]metav1.PartialObjectMetadata{}
	for _, gvk := range kinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(gvk)
		if err := w.client.List(w.ctx, list, client.InNamespace(w.namespace)); err != nil {
			return nil, fmt.Errorf("list %s: %w", gvk.Kind, err)
		}
		for _, item := range list.Items {
			objects[objectKey{gvk.Kind, item.Name}] = item
		}
	}
	return objects, nil
}

// nothingLeft expects that Kubernetes has no object any more of ours, of Cluster API's and of ASO's, and no Secret that
// was derived from one.
func nothingLeft(w *world) []string {
	var left []string
	for _, gvk := range append(slices.Clone(w.kinds.ours), factsKind) {
		items, err := w.list(gvk)
		if err != nil {
			return []string{err.Error()}
		}
		for _, item := range items {
			left = append(left, fmt.Sprintf("%s %s is still there%s", gvk.Kind, item.GetName(), finalizers(&item)))
		}
	}
	if len(left) > 0 {
		return left
	}
	objects, err := w.asoObjects()
	if err != nil {
		return []string{err.Error()}
	}
	for key, item := range objects {
		left = append(left, fmt.Sprintf("%s is still there%s", key, finalizers(&item)))
	}
	secrets, err := w.list(secretKind)
	if err != nil {
		return []string{err.Error()}
	}
	for _, item := range secrets {
		if len(item.GetOwnerReferences()) > 0 {
			left = append(left, fmt.Sprintf("Secret %s is still there", item.GetName()))
		}
	}
	return left
}

func finalizers(o client.Object) string {
	if len(o.GetFinalizers()) == 0 {
		return ""
	}
	return " (finalizers " + strings.Join(o.GetFinalizers(), ", ") + ")"
}

// compositesOutlive expects that every composite resource stays as long as an ASO object that it has composed. What cannot
// be read now, as ASO's conversion is down, is read the next time. Agent pools that go with their ManagedCluster are not waited for.
func compositesOutlive(w *world) []string {
	// What is gone now may be gone from the ASO kinds a moment later, but not the other way round.
	there := map[string]bool{}
	for _, gvk := range w.family.composing() {
		items, err := w.list(gvk)
		if err != nil {
			return nil
		}
		for _, item := range items {
			there[string(item.GetUID())] = true
		}
	}
	objects, err := w.asoObjectsOf(w.usedKinds())
	if err != nil {
		return nil
	}
	var orphans []string
	for key, item := range objects {
		if owner := metav1.GetControllerOf(&item); owner != nil && !there[string(owner.UID)] && !detached(&item) {
			orphans = append(orphans, fmt.Sprintf("%s outlives %s %s, which had composed it", key, owner.Kind, owner.Name))
		}
	}
	return orphans
}

// detached reports whether an object is an agent pool that leaves Kubernetes only.
func detached(o client.Object) bool {
	policy := o.GetAnnotations()[asoPolicy]
	return o.GetObjectKind().GroupVersionKind().Kind == agentPoolKind.Kind && o.GetDeletionTimestamp() != nil && (policy == "detach-on-delete" || policy == "skip")
}
