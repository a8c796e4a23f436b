package why

import (
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
)

var (
	statusResources = field.At[[]any]("status", "resources")
	legacyRefs      = field.At[[]any]("spec", "resourceRefs")
	claimedRef      = field.At[map[string]any]("spec", "resourceRef")
	identityRef     = field.At[map[string]any]("spec", "identityRef")
)

// eventKind is read for what only an Event says.
var eventKind = schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"}

// compositeResource looks at a composite resource that has a part in Cluster API.
func (w *walk) compositeResource(link *Link, xr *unstructured.Unstructured, kind composite.Kind) {
	link.Says = w.saidOf(xr)
	entries := w.resources(link, xr)
	if kind.Credential {
		w.credential(link, xr)
	}
	for i, s := range link.Says {
		// What a resource says is told at the resource.
		told := slices.ContainsFunc(entries, func(e Saying) bool { return e.Reason == s.Reason })
		link.Says[i].own = !s.told && (s.own || s.Condition == "Synced" || !told && !s.waiting && !remedy.Of(s.Reason, s.Message).Waiting)
	}
	if len(link.Says) > 0 || len(link.Because) > 0 || xr.GetDeletionTimestamp() != nil {
		w.warnings(link, xr)
	}
}

// composed looks at any other composite resource or claim, and at what it is composed of.
func (w *walk) composed(link *Link, xr *unstructured.Unstructured) {
	link.Says = w.saidOf(xr)
	for i, s := range link.Says {
		link.Says[i].own = s.Condition == "Synced"
	}
	refs := field.Maps(slices.Concat(access.SpecResourceRefs.Value(xr), legacyRefs.Value(xr)))
	if ref := claimedRef.Value(xr); ref != nil {
		refs = append(refs, ref)
	}
	for _, ref := range refs {
		gvk := schema.FromAPIVersionAndKind(field.Text(ref["apiVersion"]), field.Text(ref["kind"]))
		namespace := field.Text(ref["namespace"])
		if namespace == "" {
			namespace = xr.GetNamespace()
		}
		if gvk != secretKind {
			link.add(w.reference(gvk, namespace, field.Text(ref["name"])))
		}
	}
	if len(link.Says) > 0 {
		w.warnings(link, xr)
	}
}

// saidOf returns what the conditions of a composite resource say, and that there are none.
func (w *walk) saidOf(xr *unstructured.Unstructured) []Saying {
	says := unmet(xr)
	annotations := xr.GetAnnotations()
	if hasKey(annotations, clusterv1.PausedAnnotation) {
		says = append(says, Saying{Reason: "Paused", Message: "has annotation " + clusterv1.PausedAnnotation, own: true})
	}
	if !reported(xr) {
		says = append(says, Saying{Reason: reasonNotReported, Message: "has no conditions: Crossplane has not composed it yet"})
	}
	for i, s := range says {
		if s.Reason == aso.ReasonWaitingForOwner && s.Condition != "" {
			says[i] = w.unowned(xr, s)
		}
	}
	return distinct(says)
}

// unowned says why a composite resource waits for a Cluster to own it: Crossplane has no condition for that it may not read Clusters.
func (w *walk) unowned(xr *unstructured.Unstructured, s Saying) Saying {
	referred := slices.ContainsFunc(xr.GetOwnerReferences(), func(o metav1.OwnerReference) bool {
		return strings.HasPrefix(o.APIVersion, clusterv1.GroupVersion.Group+"/")
	})
	if !referred && !w.comesFromOwner(xr) {
		return s
	}
	s.Reason, s.waiting = reasonOwnerNotSet, true
	found, err := w.reader.Metadata(w.ctx, clusterRoleKind, "", aggregatedRole)
	switch {
	case apierrors.IsForbidden(err):
		w.note("whether Crossplane may read Clusters is not known: %v", err)
	case err != nil:
		w.unread(Object{Group: clusterRoleKind.Group, Kind: clusterRoleKind.Kind, Name: aggregatedRole}, false, err)
	case found == nil:
		s.Reason, s.waiting = reasonCrossplaneLacks, false
		s.Message += "; it is referred to, but there is no ClusterRole " + aggregatedRole + ", by which Crossplane may read that"
	}
	return s
}

// comesFromOwner reports whether the walk has come here from an object of Cluster API's.
func (w *walk) comesFromOwner(xr *unstructured.Unstructured) bool {
	for o := range w.begun {
		if o.Group == clusterv1.GroupVersion.Group && o.Namespace == xr.GetNamespace() {
			return true
		}
	}
	return false
}

// resources looks at what status.resources says is not ready, and returns that.
func (w *walk) resources(link *Link, xr *unstructured.Unstructured) []Saying {
	var entries []Saying
	for _, entry := range field.Maps(statusResources.Value(xr)) {
		if entry["ready"] == true {
			continue
		}
		ref, _ := entry["resource"].(map[string]any)
		gvk := schema.GroupVersionKind{Group: field.Text(ref["group"]), Version: field.Text(ref["version"]), Kind: field.Text(ref["kind"])}
		s := Saying{Condition: conditionStatusResources, Reason: field.Text(entry["reason"]), Message: field.Text(entry["message"]), waiting: aso.Progressing(field.Text(entry["reason"]))}
		entries = append(entries, s)
		link.add(w.resource(xr, gvk, field.Text(ref["name"]), s))
	}
	return entries
}

// resource returns the link for an entry of status.resources: the object's own, if that says anything, and what the composite says of it.
func (w *walk) resource(xr *unstructured.Unstructured, gvk schema.GroupVersionKind, name string, s Saying) *Link {
	o := Object{Group: gvk.Group, Kind: gvk.Kind, Namespace: xr.GetNamespace(), Name: name}
	says := &Link{Object: o, Says: []Saying{s}}
	if v1beta1.IsMistake(s.Reason) || name == "" {
		return says // Of what is not there as the spec has it.
	}
	if link, known := w.again(o); link != nil && known {
		return link
	}
	obj, unread := w.read(gvk, xr.GetNamespace(), name)
	switch {
	case unread != nil && unread.Says[0].Reason == reasonMayNotRead:
		says.Says = append(says.Says, unread.Says...)
	case obj != nil:
		link := w.object(obj)
		if link != nil && (!s.waiting || obviously(link)) {
			return link
		}
	}
	return says
}

// obviously reports whether a link has a cause that is no ordinary progress.
func obviously(link *Link) bool {
	causes, waiting := causesOf(link)
	return len(causes) > 0 && !waiting
}

// warnings adds what Events say of a composite resource of which the conditions do not tell all.
func (w *walk) warnings(link *Link, xr *unstructured.Unstructured) {
	inEvents := slices.ContainsFunc(link.Says, func(s Saying) bool {
		return s.Condition == "Synced" && (strings.Contains(s.Message, "Unsynced resources") || strings.Contains(s.Message, "check events"))
	})
	if !inEvents && obviously(link) {
		return
	}
	before := len(link.Says)
	for _, e := range w.eventsOf(xr) {
		reason := field.Text(e.Object["reason"])
		if remedy.Known(reason) || inEvents && reason == "ComposeResources" {
			if reason == "ComposeResources" {
				reason = v1beta1.ReasonRefused
			}
			link.Says = append(link.Says, Saying{Condition: "Event", Reason: reason, Message: field.Text(e.Object["note"]), own: true})
		}
	}
	for i, s := range link.Says {
		link.Says[i].told = s.told || inEvents && s.Condition == "Synced" && len(link.Says) > before
	}
	link.Says = distinct(link.Says)
}

var regardingUID = field.At[string]("regarding", "uid")

// eventsOf returns the Warnings about an object. Who may not read Events is told so, and that is all.
func (w *walk) eventsOf(obj *unstructured.Unstructured) []*unstructured.Unstructured {
	namespace := obj.GetNamespace()
	if namespace == "" {
		namespace = "default" // Where Events about objects without a namespace are.
	}
	all, read := w.events[namespace]
	if !read {
		var err error
		all, err = w.reader.List(w.ctx, eventKind, namespace, "")
		switch {
		case apierrors.IsForbidden(err):
			w.note("what Events say is not known: %v", err)
		case err != nil:
			w.unread(Object{Group: eventKind.Group, Kind: eventKind.Kind, Namespace: namespace}, false, err)
		}
		if w.events == nil {
			w.events = map[string][]*unstructured.Unstructured{}
		}
		w.events[namespace] = all
	}
	var about []*unstructured.Unstructured
	for _, e := range all {
		if e.Object["type"] == "Warning" && regardingUID.Value(e) == string(obj.GetUID()) {
			about = append(about, e)
		}
	}
	return about
}
