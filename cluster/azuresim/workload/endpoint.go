package workload

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"
)

// endpoint answers the requests for one resource, of one namespace if there is one in the path.
type endpoint struct {
	*store
	namespace string
	clock     clock.PassiveClock
	// gone is closed when the API server ends.
	gone <-chan struct{}
}

// serve answers a request; rest are the parts of its path after the resource.
func (e *endpoint) serve(w http.ResponseWriter, r *http.Request, rest []string) {
	query := r.URL.Query()
	watching := query.Get("watch") == "true" || query.Get("watch") == "1"
	switch {
	case len(rest) == 2 && !slices.Contains(e.subresources, rest[1]):
		writeError(w, r, e.notFound(rest[0]))
	case len(rest) > 0:
		e.serveOne(w, r, types.NamespacedName{Namespace: e.namespace, Name: rest[0]})
	case r.Method == http.MethodGet && watching:
		e.watch(w, r)
	case r.Method == http.MethodGet:
		e.serveList(w, r)
	case r.Method == http.MethodPost && e.creates() && (e.namespace != "" || !e.api.Namespaced):
		e.serveCreate(w, r)
	default:
		writeError(w, r, e.methodNotSupported(r.Method))
	}
}

// selection is what a request selects of a resource.
type selection struct {
	// namespace is empty when all are selected.
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

func (e *endpoint) selectionOf(r *http.Request) (selection, error) {
	l, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		return selection{}, apierrors.NewBadRequest(err.Error())
	}
	f, err := fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	if err != nil {
		return selection{}, apierrors.NewBadRequest(err.Error())
	}
	return selection{namespace: e.namespace, labels: l, fields: f}, nil
}

func (s selection) matches(o object) bool {
	return (s.namespace == "" || s.namespace == o.GetNamespace()) && s.labels.Matches(labels.Set(o.GetLabels())) &&
		s.fields.Matches(fields.Set{"metadata.name": o.GetName(), "metadata.namespace": o.GetNamespace()})
}

func (e *endpoint) serveList(w http.ResponseWriter, r *http.Request) {
	selected, err := e.selectionOf(r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	objects, version := e.list()
	resourceVersion := strconv.FormatInt(version, 10)
	objects = slices.DeleteFunc(objects, func(o object) bool { return !selected.matches(o) })
	if wantsTable(r) {
		writeJSON(w, e.table(objects, resourceVersion))
		return
	}
	list, err := e.listOf(objects, resourceVersion)
	if err != nil {
		writeError(w, r, err)
		return
	}
	write(w, r, http.StatusOK, list)
}

func (r *apiResource) listOf(objects []object, resourceVersion string) (runtime.Object, error) {
	items := make([]runtime.Object, len(objects))
	for i, o := range objects {
		items[i] = o
	}
	list := r.newList()
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(resourceVersion)
	kind := r.kind()
	kind.Kind += "List"
	list.GetObjectKind().SetGroupVersionKind(kind)
	return list, nil
}

func (e *endpoint) serveOne(w http.ResponseWriter, r *http.Request, name types.NamespacedName) {
	var o object
	var err error
	status := http.StatusOK
	switch r.Method {
	case http.MethodGet:
		o, err = e.get(name)
		if err == nil && wantsTable(r) {
			writeJSON(w, e.table([]object{o}, o.GetResourceVersion()))
			return
		}
	case http.MethodPut:
		o, err = e.replace(w, r, name)
	case http.MethodPatch:
		o, status, err = e.patch(w, r, name)
	case http.MethodDelete:
		if o, err = e.delete(name); err == nil {
			write(w, r, http.StatusOK, &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess,
				Details: &metav1.StatusDetails{Name: name.Name, Kind: e.api.Name, UID: o.GetUID()}})
			return
		}
	default:
		err = e.methodNotSupported(r.Method)
	}
	if err != nil {
		writeError(w, r, err)
		return
	}
	write(w, r, status, o)
}

func (e *endpoint) serveCreate(w http.ResponseWriter, r *http.Request) {
	raw, err := readBody(w, r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	o, err := e.decode(raw)
	if err == nil {
		o, err = e.createValid(o)
	}
	if err != nil {
		writeError(w, r, err)
		return
	}
	write(w, r, http.StatusCreated, o)
}

// createValid creates an object of the path's namespace if it may be created as it is.
func (e *endpoint) createValid(o object) (object, error) {
	if err := e.checkNamespace(o); err != nil {
		return nil, err
	}
	if e.api.Namespaced && !slices.Contains(namespaceNames, e.namespace) {
		return nil, apierrors.NewNotFound(namespaceResource, e.namespace)
	}
	if o.GetResourceVersion() != "" {
		return nil, apierrors.NewBadRequest("resourceVersion should not be set on objects to be created")
	}
	o.SetNamespace(e.namespace)
	path := field.NewPath("metadata", "name")
	var invalid field.ErrorList
	if o.GetName() == "" {
		invalid = append(invalid, field.Required(path, "name is required"))
	} else {
		for _, problem := range validation.NameIsDNSSubdomain(o.GetName(), false) {
			invalid = append(invalid, field.Invalid(path, o.GetName(), problem))
		}
	}
	if len(invalid) > 0 {
		return nil, apierrors.NewInvalid(e.kind().GroupKind(), o.GetName(), invalid)
	}
	return e.create(o, e.clock.Now())
}

func (e *endpoint) replace(w http.ResponseWriter, r *http.Request, name types.NamespacedName) (object, error) {
	raw, err := readBody(w, r)
	if err != nil {
		return nil, err
	}
	replacement, err := e.decode(raw)
	if err != nil {
		return nil, err
	}
	if err := e.checkPath(replacement, name); err != nil {
		return nil, err
	}
	return e.update(name, func(object) (object, error) { return replacement, nil })
}

// checkPath refuses an object that says it is another than the path's.
func (e *endpoint) checkPath(o object, name types.NamespacedName) error {
	if have := o.GetName(); have != "" && have != name.Name {
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", have, name.Name))
	}
	return e.checkNamespace(o)
}

func (e *endpoint) checkNamespace(o object) error {
	if have := o.GetNamespace(); have != "" && have != e.namespace {
		return apierrors.NewBadRequest(fmt.Sprintf("the namespace of the object (%s) does not match the namespace on the request (%s)", have, e.namespace))
	}
	return nil
}
