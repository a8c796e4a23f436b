package why

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	identityType   = field.At[string]("spec", "type")
	identitySecret = field.At[map[string]any]("spec", "clientSecret")
)

// credential looks at what provider-capz says of the credential of a composite resource.
func (w *walk) credential(link *Link, xr *unstructured.Unstructured) {
	reason, message := v1beta1.ReadCredentialFailure(xr.GetAnnotations())
	if reason == "" {
		return
	}
	s := Saying{Condition: "annotation " + v1beta1.AnnotationCredentialFailed, Reason: reason, Message: message}
	ref := identityRef.Value(xr)
	namespace := field.Text(ref["namespace"])
	if namespace == "" {
		namespace = xr.GetNamespace()
	}
	found := w.reference(composite.AzureClusterIdentity.GroupVersionKind, namespace, field.Text(ref["name"]))
	link.add(found)
	s.own, s.told = found == nil, found != nil
	link.Says = slices.DeleteFunc(link.Says, func(other Saying) bool { return other.Reason == reason })
	link.Says = append(link.Says, s)
}

// identity looks at an AzureClusterIdentity and its Secret.
func (w *walk) identity(link *Link, identity *unstructured.Unstructured) {
	ref := identitySecret.Value(identity)
	name := field.Text(ref["name"])
	if name == "" {
		return
	}
	namespace := field.Text(ref["namespace"])
	if namespace == "" {
		namespace = identity.GetNamespace()
	}
	var keys []string
	switch v1beta1.IdentityType(identityType.Value(identity)) {
	case v1beta1.ServicePrincipal, v1beta1.ManualServicePrincipal:
		keys = []string{"clientSecret"}
	case v1beta1.ServicePrincipalCertificate:
		keys = []string{"certificate"}
	}
	link.add(w.secret(namespace, name, keys))
}

// secret looks whether a Secret is there, and by the names of its keys whether it has those. It reads nothing but metadata.
func (w *walk) secret(namespace, name string, keys []string) *Link {
	o := Object{Kind: secretKind.Kind, Namespace: namespace, Name: name}
	found, err := w.reader.Metadata(w.ctx, secretKind, namespace, name)
	switch {
	case apierrors.IsForbidden(err):
		w.note("whether Secret %s/%s is there is not known: %v", namespace, name, err)
		return nil
	case err == nil && found == nil:
		return &Link{Object: o, Says: []Saying{{Reason: reasonSecretMissing, Message: fmt.Sprintf("does not exist in namespace %q", namespace), own: true}}}
	case err != nil:
		return w.unread(o, false, err)
	}
	has, known := KeysOf(found)
	lacking := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(has, key) })
	if !known || len(lacking) == 0 {
		return nil
	}
	return &Link{Object: o, Says: []Saying{{Reason: reasonKeyMissing, own: true,
		Message: fmt.Sprintf("has no key %s, but keys %s", strings.Join(lacking, ", "), strings.Join(has, ", "))}}}
}

// KeysOf returns the keys of a Secret by what its managers have noted in its metadata; not known when they have noted none.
func KeysOf(metadata *unstructured.Unstructured) (keys []string, known bool) {
	for _, entry := range metadata.GetManagedFields() {
		if entry.FieldsV1 == nil {
			continue
		}
		fields := struct {
			Data map[string]any `json:"f:data"`
		}{}
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil || fields.Data == nil {
			continue
		}
		known = true
		for name := range fields.Data {
			if key, isField := strings.CutPrefix(name, "f:"); isField && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys, known
}
