package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// A Resource is what Azure answers about one resource.
type Resource struct {
	ID   string
	Body json.RawMessage
}

// A Loss is something that Azure has of a resource and a manifest cannot say.
type Loss struct {
	// ID is that of the resource, Field the path in its body; empty for the resource as a whole.
	ID    string `json:"id"`
	Field string `json:"field,omitempty"`
	// Reason says why, and what to do about it.
	Reason string `json:"reason"`
}

// String returns the loss in one line.
func (l Loss) String() string {
	if l.Field == "" {
		return l.ID + ": " + l.Reason
	}
	return fmt.Sprintf("%s: %s: %s", l.ID, l.Field, l.Reason)
}

// Convert returns the ASO object that stands for a resource, with the name, and what of the resource is not in it. The object has no owner yet. It
// returns an error that names the resource when Azure's answer is not of the shape that ASO knows the type to have.
func Convert(kind Kind, r Resource, name string) (o *unstructured.Unstructured, losses []Loss, err error) {
	defer func() {
		if problem := recover(); problem != nil { // ASO's conversions do so at a resource that has next to nothing.
			o, losses, err = nil, nil, fmt.Errorf("%s: Azure's answer cannot be read as %s of %s: %v", r.ID, kind.Name, kind.Version, problem)
		}
	}()
	obj, err := typedObject(kind, r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: Azure's answer cannot be read as %s of %s: %w", r.ID, kind.Name, kind.Version, err)
	}
	sent, err := sentFor(obj)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.ID, err)
	}
	losses, err = compare(kind, r, obj, sent)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.ID, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.ID, err)
	}
	spec, _ := content["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
	}
	delete(spec, "owner")
	delete(spec, "originalVersion")
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(kind.GroupVersionKind())
	u.SetName(name)
	if id := aso.ParseID(r.ID); id != nil {
		_ = aso.SpecAzureName.Set(u, id.Name) // The spec is a map.
	}
	return u, losses, nil
}

// typedObject reads an answer by ASO's conversion of specs.
func typedObject(kind Kind, r Resource) (genruntime.ARMMetaObject, error) {
	obj := kind.empty()
	spec, ok := obj.GetSpec().(genruntime.ARMTransformer)
	if !ok {
		return nil, errors.New("ASO does not convert it")
	}
	body := spec.NewEmptyARMValue()
	if err := json.Unmarshal(r.Body, body); err != nil {
		return nil, err
	}
	if err := spec.PopulateFromARM(genruntime.ArbitraryOwnerReference{}, reflect.ValueOf(body).Elem().Interface()); err != nil {
		return nil, err
	}
	fillReferences(reflect.ValueOf(spec), reflect.ValueOf(body))
	return kind.normal(obj)
}

// sentFor returns what ASO sends for an object, by its own conversion.
func sentFor(obj genruntime.ARMMetaObject) (map[string]any, error) {
	spec, ok := obj.GetSpec().(genruntime.ARMTransformer)
	if !ok {
		return nil, errors.New("ASO does not send it")
	}
	ids := map[genruntime.ResourceReference]string{}
	for _, ref := range references(reflect.ValueOf(spec)) {
		ids[ref] = ref.ARMID
	}
	body, err := spec.ConvertToARM(genruntime.ConvertToARMResolvedDetails{Name: obj.AzureName(), ResolvedReferences: genruntime.MakeResolved(ids)})
	if err != nil {
		return nil, fmt.Errorf("ASO cannot send it: %w", err)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	sent := map[string]any{}
	return sent, json.Unmarshal(raw, &sent)
}
