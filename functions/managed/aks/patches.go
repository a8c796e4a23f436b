package aks

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"

	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// mostRefused is how many bytes a message has of what is wrong with a patch.
const mostRefused = 1024

// patched applies the user's patches to an object, in order. Each is a JSON merge patch (RFC 7386), in JSON or YAML, on
// the whole object, which must be one of its kind afterwards. What identifies the object, in Kubernetes and in Azure, is not
// theirs to change: whose the resource is, and whether another cluster has it, follows from that.
func (c *aksCluster) patched(o *plan.Resource, path string, patches []string) *plan.Resource {
	if o.Err != nil {
		return o
	}
	name := o.Object.GetName()
	for i, patch := range patches {
		next, err := patchedOnce(o.Object, patch)
		refused := ""
		if err != nil {
			refused = field.Cut(err.Error(), mostRefused)
		} else {
			refused = notTheUsers(o.Object, next)
		}
		if refused != "" {
			o.Err = typed.Invalid("%s[%d] cannot be applied: %s", path, i, refused)
			return o
		}
		o.Object = next
	}
	c.common().Identify(o.Object, name)
	return o
}

// patchedOnce returns the object after one patch.
func patchedOnce(obj *unstructured.Unstructured, patch string) (*unstructured.Unstructured, error) {
	if err := bounded(patch); err != nil {
		return nil, err
	}
	merge, err := yaml.ToJSON([]byte(patch))
	if err != nil {
		if strings.Contains(err.Error(), "map key") { // The parser shows the key as Go has it.
			err = errors.New("the name of a field in it is no text")
		}
		return nil, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(merge, &fields); err != nil || len(fields) == 0 {
		return nil, errors.New("it must be an object with the fields to set or, by null, to remove")
	}
	before, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, err
	}
	after, err := jsonpatch.MergePatch(before, merge)
	if err != nil {
		return nil, err
	}
	return strictly(after, obj.GroupVersionKind())
}

// identifying are the fields that say which object in Kubernetes and which resource in Azure an object is, and with what credential.
var identifying = [][]string{
	{"metadata", "name"}, {"metadata", "namespace"}, {"metadata", "annotations", aso.AnnotationCredentialFrom}, {"spec", "azureName"}, {"spec", "owner"},
}

// notTheUsers reports whether a patch has made another resource of an object, or given it what is not for users; empty if it has not.
func notTheUsers(before, after *unstructured.Unstructured) string {
	for _, fields := range identifying {
		was, _, _ := unstructured.NestedFieldNoCopy(before.Object, fields...)
		is, _, _ := unstructured.NestedFieldNoCopy(after.Object, fields...)
		if was == "" {
			was = nil
		}
		if !equality.Semantic.DeepEqual(was, is) {
			return fmt.Sprintf("it makes %s %s, but that must stay %s, as it says which resource the object is and with what credential", strings.Join(fields, "."), field.Show(is), field.Show(was))
		}
	}
	return aso.Reserved(after)
}

// strictly reads an object of the given kind, and refuses fields that the kind does not have.
func strictly(content []byte, gvk schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	object, err := typed.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		return nil, err
	}
	kind := fmt.Sprintf("%s of %s", gvk.Kind, gvk.GroupVersion())
	if told := shape.Sentence(shape.Types(value, shape.Go(reflect.TypeOf(object))), "", kind); told != "" {
		return nil, errors.New(told)
	}
	mistakes, err := kjson.UnmarshalStrict(content, object)
	if err := cmp.Or(err, errors.Join(mistakes...)); err != nil {
		return nil, shape.Explain(err, nil, kind)
	}
	if found := object.GetObjectKind().GroupVersionKind(); found != gvk {
		return nil, fmt.Errorf("it makes the object %s, but apiVersion and kind must stay %s", found, gvk)
	}
	return typed.Untyped(object)
}

// short writes a text in quotes, cut where it is long.
func short(s string) string { return fmt.Sprintf("%q", cut(s)) }

func cut(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
