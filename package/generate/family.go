package main

import (
	"encoding/json"
	"fmt"
	"slices"

	xv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xv2 "github.com/crossplane/crossplane/apis/v2/apiextensions/v2"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A family is what the kinds of an API group have in common.
type family struct {
	// labels are put on the CustomResourceDefinitions that Crossplane makes from the definitions.
	labels map[string]string
	// claims are the names of the claim of each cluster-scoped kind; all other kinds are namespaced.
	claims map[string]extv1.CustomResourceDefinitionNames
	// step is the name of the step of each kind's default Composition, input what the function is told in it.
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

// defaultPolicy tells the default Compositions of the platform kinds which ClusterClass to take, and nothing else.
const defaultPolicy = `{
	"apiVersion": "platform.capz.crossplane.io/v1alpha1",
	"kind": "AKSClusterPolicy",
	"clusterClass": {"name": "aks", "namespace": "capz-platform"}
}`

// families has each API group under apis.
var families = map[string]family{
	"infrastructure.cluster.x-k8s.io": {labels: crdLabels, step: "compose-azure-resources"},
	"platform.capz.crossplane.io": {
		step:  "compose-cluster",
		input: &runtime.RawExtension{Raw: []byte(defaultPolicy)},
		claims: map[string]extv1.CustomResourceDefinitionNames{
			"XAKSCluster": {
				Kind: "AKSClusterClaim", ListKind: "AKSClusterClaimList", Plural: "aksclusterclaims",
				Singular: "aksclusterclaim", ShortNames: []string{"aksclaim"},
			},
		},
	},
}

// familyOf returns the family of a kind. The error says why the kind cannot be of it.
func familyOf(crd extv1.CustomResourceDefinition) (family, error) {
	f, known := families[crd.Spec.Group]
	if !known {
		return family{}, fmt.Errorf("group %q is not among the families in package/generate", crd.Spec.Group)
	}
	want := extv1.NamespaceScoped
	if _, claimed := f.claims[crd.Spec.Names.Kind]; claimed {
		want = extv1.ClusterScoped
	}
	if crd.Spec.Scope != want {
		return family{}, fmt.Errorf("scope is %s, but must be %s", crd.Spec.Scope, want)
	}
	return f, nil
}

// claimable returns the definition as it is written to its file: one whose kind has a claim in the older version of the
// API, as only that has claims.
func claimable(xrd *xv2.CompositeResourceDefinition) (runtime.Object, error) {
	claim, claimed := families[xrd.Spec.Group].claims[xrd.Spec.Names.Kind]
	if !claimed {
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
	claim.ShortNames = slices.Clone(claim.ShortNames)
	out.Spec.ClaimNames = &claim
	// The claim stays until everything of it is gone: its owner sees that, and may use the name again.
	out.Spec.DefaultCompositeDeletePolicy = &policy
	return out, nil
}
