package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	xv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xv2 "github.com/crossplane/crossplane/apis/v2/apiextensions/v2"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// An apiGroup is what the composite kinds of an API group have in common.
type apiGroup struct {
	// labels are put on the CustomResourceDefinitions that Crossplane makes from the definitions.
	labels map[string]string
	// claimShortNames are the short names of each claim.
	claimShortNames map[string][]string
	// claimCategories are those of all claims. What a claim stands for is in none: whoever has claims may not read that.
	claimCategories []string
	// step is the name of the step of each kind's default Composition, input what the function gets in it.
	step  string
	input *runtime.RawExtension
}

// crdLabels are the labels of the kinds that Cluster API reads.
var crdLabels = map[string]string{
	// Cluster API finds the version to use by the label of the contract: it reads v1beta2 first, older releases know
	// v1beta1 only. Both name the kinds' v1beta1.
	"cluster.x-k8s.io/v1beta1": "v1beta1",
	"cluster.x-k8s.io/v1beta2": "v1beta1",
	// The provider that clusterctl counts the kinds to.
	"cluster.x-k8s.io/provider": "infrastructure-azure",
	// clusterctl move looks only at kinds with this label.
	"clusterctl.cluster.x-k8s.io": "",
}

// defaultPolicy names the ClusterClass that the default Compositions of the platform kinds use, and nothing else.
const defaultPolicy = `{
	"apiVersion": "platform.capz.crossplane.io/v1alpha1",
	"kind": "AKSClusterPolicy",
	"clusterClass": {"name": "aks", "namespace": "capz-platform"}
}`

// apiGroups has each API group of composite kinds.
var apiGroups = map[string]apiGroup{
	composite.InfrastructureGroup: {labels: crdLabels, step: "compose-azure-resources"},
	composite.PlatformGroup: {
		step:            "compose-cluster",
		input:           &runtime.RawExtension{Raw: []byte(defaultPolicy)},
		claimShortNames: map[string][]string{"AKSClusterClaim": {"aksclaim"}},
		claimCategories: []string{"platform"},
	},
}

// groupOf returns what a kind has in common with the others of its API group. It fails when the kind is not in the catalogue as it is.
func groupOf(crd extv1.CustomResourceDefinition) (apiGroup, error) {
	kind := schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
	k, known := composite.Lookup(kind)
	if !known {
		return apiGroup{}, fmt.Errorf("%s is not in the catalogue of internal/composite", kind)
	}
	group, known := apiGroups[k.Group]
	if !known {
		return apiGroup{}, fmt.Errorf("group %s is not among the apiGroups of package/generate", k.Group)
	}
	want := extv1.NamespaceScoped
	if k.ClusterScoped {
		want = extv1.ClusterScoped
	}
	if crd.Spec.Scope != want {
		return apiGroup{}, fmt.Errorf("scope is %s, but must be %s", crd.Spec.Scope, want)
	}
	return group, nil
}

// claimable returns the definition as it is written to its file: one whose kind has a claim in the older version of the
// API, as only that has claims.
func claimable(xrd *xv2.CompositeResourceDefinition) (runtime.Object, error) {
	k, _ := composite.Lookup(xrd.GetCompositeGroupVersionKind().GroupKind())
	if k.Claim == "" {
		return xrd, nil
	}
	raw, err := json.Marshal(xrd)
	if err != nil {
		return nil, err
	}
	out := &xv1.CompositeResourceDefinition{}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, err
	}
	out.APIVersion = xv1.SchemeGroupVersion.String()
	scope, policy := xv1.CompositeResourceScopeLegacyCluster, xpv2.CompositeDeleteForeground
	out.Spec.Scope = &scope
	out.Spec.ClaimNames = &extv1.CustomResourceDefinitionNames{
		Kind: k.Claim, ListKind: k.Claim + "List", Plural: k.ClaimPlural(), Singular: strings.ToLower(k.Claim),
		ShortNames: slices.Clone(apiGroups[k.Group].claimShortNames[k.Claim]), Categories: slices.Clone(apiGroups[k.Group].claimCategories),
	}
	// The claim stays until everything of it is gone: its owner sees that, and may use the name again.
	out.Spec.DefaultCompositeDeletePolicy = &policy
	return out, nil
}
