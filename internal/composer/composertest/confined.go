package composertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// elsewhere are the kinds that may be read in a namespace that is not the composite's: an identity says itself which namespaces
// may use it, and the namespace of a ClusterClass is the platform team's to say, in the Composition.
var elsewhere = []string{"AzureClusterIdentity", "ClusterClass"}

// onlyMetadata is what a composed object has of metadata: Crossplane applies it with rights that the user need not have.
var onlyMetadata = []string{"name", "namespace", "labels", "annotations"}

// Escapes returns what of the answer reaches beyond the namespace of the composite, or that of its claim: what is asked for, and
// what is composed, but for what an earlier function composes. Nothing may, whatever the user has written.
func Escapes(t testing.TB, req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) []string {
	t.Helper()
	home := homeOf(Object(t, req.GetObserved().GetComposite().GetResource()))
	var out []string
	for _, name := range slices.Sorted(maps.Keys(rsp.GetRequirements().GetResources())) {
		if escape := asksBeyond(rsp.GetRequirements().GetResources()[name], home); escape != "" {
			out = append(out, fmt.Sprintf("requirement %q %s", name, escape))
		}
	}
	desired := Desired(t, rsp)
	for _, name := range slices.Sorted(maps.Keys(desired)) {
		if req.GetDesired().GetResources()[name] != nil {
			continue
		}
		if escape := composesBeyond(desired[name], home); escape != "" {
			out = append(out, fmt.Sprintf("composed %q %s", name, escape))
		}
	}
	return out
}

func homeOf(xr *unstructured.Unstructured) string {
	if namespace := xr.GetNamespace(); namespace != "" {
		return namespace
	}
	namespace, _, _ := unstructured.NestedString(xr.Object, "spec", "claimRef", "namespace")
	return namespace
}

func asksBeyond(s *fnv1.ResourceSelector, home string) string {
	kind := schema.FromAPIVersionAndKind(s.GetApiVersion(), s.GetKind())
	switch {
	case kind.Group == "":
		return fmt.Sprintf("is for a %s: a function never reads core objects, such as Secrets", kind.Kind)
	case s.GetNamespace() == "":
		return "is for no namespace"
	case s.GetNamespace() != home && !slices.Contains(elsewhere, kind.Kind):
		return fmt.Sprintf("is for %s in namespace %s", kind.Kind, s.GetNamespace())
	}
	return ""
}

func composesBeyond(obj *unstructured.Unstructured, home string) string {
	kind := obj.GroupVersionKind()
	if kind.Kind != "Cluster" && !strings.HasSuffix(kind.Group, ".azure.com") {
		return fmt.Sprintf("is %s", kind)
	}
	if obj.GetNamespace() != home {
		return fmt.Sprintf("is in namespace %q", obj.GetNamespace())
	}
	metadata, _ := obj.Object["metadata"].(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(metadata)) {
		removed := field == "finalizers" && slices.Equal(obj.GetFinalizers(), []string{aso.RemovalFinalizer}) // provider-capz ends that.
		if !slices.Contains(onlyMetadata, field) && !removed {
			return fmt.Sprintf("has metadata.%s: %v", field, metadata[field])
		}
	}
	return ""
}
