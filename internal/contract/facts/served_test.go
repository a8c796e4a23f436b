package facts

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/restmapper"

	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
)

// brokenMapper cannot tell what is served.
type brokenMapper struct{ meta.RESTMapper }

func (brokenMapper) RESTMappings(schema.GroupKind, ...string) ([]*meta.RESTMapping, error) {
	return nil, errors.New("no answer")
}

// TestServed shows which kinds facts have as served.
func TestServed(t *testing.T) {
	groups := map[string]*restmapper.APIGroupResources{}
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "resources.azure.com", Version: "v1api20200601", Kind: "ResourceGroup"},
		{Group: "resources.azure.com", Version: "v1api20200601storage", Kind: "ResourceGroup"},
		{Group: "containerservice.azure.com", Version: "v1api20231001", Kind: "ManagedCluster"},
		{Group: "containerservice.azure.com", Version: "v1api20250801", Kind: "ManagedCluster"},
		{Group: "keyvault.azure.com", Version: "v1api20230701", Kind: "Vault"},
		{Group: "apps", Version: "v1", Kind: "Deployment"},
	} {
		g := groups[gvk.Group]
		if g == nil {
			g = &restmapper.APIGroupResources{Group: metav1.APIGroup{Name: gvk.Group}, VersionedResources: map[string][]metav1.APIResource{}}
			groups[gvk.Group] = g
		}
		g.Group.Versions = append(g.Group.Versions, metav1.GroupVersionForDiscovery{Version: gvk.Version})
		g.VersionedResources[gvk.Version] = append(g.VersionedResources[gvk.Version], metav1.APIResource{Name: strings.ToLower(gvk.Kind) + "s", Kind: gvk.Kind, Namespaced: true})
	}
	mapper := restmapper.NewDiscoveryRESTMapper(slices.Collect(maps.Values(groups)))
	common := []string{"ManagedCluster.v1api20231001.containerservice.azure.com", "ManagedCluster.v1api20250801.containerservice.azure.com",
		"ResourceGroup.v1api20200601.resources.azure.com"}
	with := func(entries ...any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"resources": entries}}}
	}
	entry := func(apiVersion, kind string) map[string]any {
		return map[string]any{"apiVersion": apiVersion, "kind": kind}
	}
	var many []any
	for range mostMentioned + 1 {
		many = append(many, entry("keyvault.azure.com/v1api"+string(rune('a'+len(many)%26))+string(rune('a'+len(many)/26)), "Vault"))
	}
	cases := map[string]struct {
		objects []*unstructured.Unstructured
		more    []string
	}{
		"nothing mentioned":    {},
		"another kind":         {objects: []*unstructured.Unstructured{with(entry("keyvault.azure.com/v1api20230701", "Vault"), entry("keyvault.azure.com/v1api20230701", "Vault"))}, more: []string{"Vault.v1api20230701.keyvault.azure.com"}},
		"a common kind":        {objects: []*unstructured.Unstructured{with(entry("resources.azure.com/v1api20200601", "ResourceGroup"))}},
		"a missing version":    {objects: []*unstructured.Unstructured{with(entry("keyvault.azure.com/v1", "Vault"))}},
		"a missing kind":       {objects: []*unstructured.Unstructured{with(entry("keyvault.azure.com/v1api20230701", "Key"))}},
		"not one of ASO's":     {objects: []*unstructured.Unstructured{with(entry("apps/v1", "Deployment"))}},
		"no kind":              {objects: []*unstructured.Unstructured{with(map[string]any{}, "x", nil, entry("keyvault.azure.com/v1api20230701", ""))}},
		"no list":              {objects: []*unstructured.Unstructured{{Object: map[string]any{"spec": map[string]any{"resources": "x"}}}, {Object: map[string]any{}}}},
		"more than are looked": {objects: []*unstructured.Unstructured{with(append(many, entry("keyvault.azure.com/v1api20230701", "Vault"))...)}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := writer{mapper: mapper}.served(clusterfacts.CommonKinds(), c.objects)
			if diff := cmp.Diff(slices.Sorted(slices.Values(append(common[:len(common):len(common)], c.more...))), got); diff != "" || err != nil {
				t.Errorf("-want, +got (%v):\n%s", err, diff)
			}
		})
	}
	if _, err := (writer{mapper: brokenMapper{}}).served(clusterfacts.CommonKinds(), nil); err == nil {
		t.Error("no error though the API server does not answer")
	}
}
