package why

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// Reasons of what is found by looking.
const (
	reasonNotFound           = "NotFound"
	reasonNotServed          = "NotServed"
	reasonMayNotRead         = "MayNotRead"
	reasonMissingRight       = "MissingRight"
	reasonCrossplaneLacks    = "CrossplaneMayNotRead"
	reasonOwnerNotSet        = "OwnerNotSet"
	reasonSecretMissing      = "SecretMissing"
	reasonKeyMissing         = "KeyMissing"
	reasonPackageMissing     = "PackageMissing"
	reasonRuntime            = "RuntimeNotConfigured"
	reasonNotReported        = "NotReported"
	reasonFinalizer          = "FinalizerAwaited"
	reasonKubeconfigMissing  = "KubeconfigMissing"
	conditionStatusResources = "status.resources"
)

// A walk remembers where it was.
type walk struct {
	ctx    context.Context
	reader Reader
	// links are of the objects that were looked at, nil for those that are ready; begun are the ones on the way.
	links map[Object]*Link
	begun map[Object]bool
	// events are the Warnings of a namespace.
	events map[string][]*unstructured.Unstructured
	notes  []string
	err    error
}

// read returns an object, or the link that says why it is not there.
func (w *walk) read(gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, *Link) {
	obj, err := w.reader.Get(w.ctx, gvk, namespace, name)
	return obj, w.unread(Object{Group: gvk.Group, Kind: gvk.Kind, Namespace: namespace, Name: name}, obj != nil, err)
}

// unread returns the link for an object that could not be read; nil when it was. An error that is no answer about the object ends the walk.
func (w *walk) unread(o Object, found bool, err error) *Link {
	s := Saying{own: true}
	switch {
	case err == nil && found:
		return nil
	case err == nil:
		s.Reason, s.Message = reasonNotFound, fmt.Sprintf("does not exist in namespace %q", o.Namespace)
		if o.Namespace == "" {
			s.Message = "does not exist"
		}
	case errors.Is(err, ErrNotServed):
		s.Reason, s.Message = reasonNotServed, fmt.Sprintf("kind %s of group %q is not served by this cluster", o.Kind, o.Group)
	case apierrors.IsForbidden(err):
		s.Reason, s.Message = reasonMayNotRead, err.Error()
	default:
		if w.err == nil {
			w.err = fmt.Errorf("cannot read %s: %w", o, err)
		}
		return nil
	}
	return &Link{Object: o, Says: []Saying{s}}
}

// reference follows a reference to an object; nil when that is ready.
func (w *walk) reference(gvk schema.GroupVersionKind, namespace, name string) *Link {
	if gvk.Kind == "" || name == "" || w.err != nil {
		return nil
	}
	o := Object{Group: gvk.Group, Kind: gvk.Kind, Namespace: namespace, Name: name}
	if link, known := w.again(o); known {
		return link
	}
	obj, unread := w.read(gvk, namespace, name)
	if obj == nil {
		w.links[o] = unread
		return unread
	}
	return w.object(obj)
}

// again returns the link to an object that was looked at before.
func (w *walk) again(o Object) (*Link, bool) {
	if w.begun[o] {
		return nil, true
	}
	link, known := w.links[o]
	if link != nil {
		return &Link{Object: o, Seen: true}, true
	}
	return nil, known
}

// object returns the link to an object; nil when it is ready.
func (w *walk) object(obj *unstructured.Unstructured) *Link {
	o := objectOf(obj)
	if link, known := w.again(o); known {
		return link
	}
	w.begun[o] = true
	link := &Link{Object: o}
	gk := obj.GroupVersionKind().GroupKind()
	kind, isComposite := composite.Lookup(gk)
	switch {
	case isComposite && kind.Role == composite.Template: // Only copied from.
	case isComposite && kind.Role == composite.Identity:
		w.identity(link, obj)
	case isComposite && kind.Role == composite.Application:
		w.composed(link, obj)
	case isComposite:
		w.compositeResource(link, obj, kind)
	case aso.IsASO(gk.Group):
		w.azure(link, obj)
	case strings.HasSuffix(gk.Group, clusterv1.GroupVersion.Group):
		w.clusterAPI(link, obj)
	default:
		w.composed(link, obj)
	}
	if at := obj.GetDeletionTimestamp(); at != nil {
		link.Says = append(link.Says, Saying{Reason: reasonFinalizer, waiting: true,
			Message: fmt.Sprintf("is being deleted since %s; finalizers: %s", at.UTC().Format("2006-01-02 15:04:05"), strings.Join(obj.GetFinalizers(), ", "))})
	}
	link = link.orNil()
	delete(w.begun, o)
	w.links[o] = link
	return link
}

// lookUp follows what is only waiting to the Cluster that it is of: what it waits for may be another object's.
func (w *walk) lookUp(obj *unstructured.Unstructured, chain *Link) {
	name := obj.GetLabels()[clusterv1.ClusterNameLabel]
	if _, waiting := causesOf(chain); !waiting || name == "" {
		return
	}
	chain.add(w.reference(clusterv1.GroupVersion.WithKind("Cluster"), obj.GetNamespace(), name))
}

// note says once that something could not be looked at.
func (w *walk) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, other := range w.notes {
		if other == text {
			return
		}
	}
	w.notes = append(w.notes, text)
}
