package main

import (
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xv2 "github.com/crossplane/crossplane/apis/v2/apiextensions/v2"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// checkPlatformKind checks what differs between the kinds for application teams and those that Cluster API reads.
func checkPlatformKind(t *testing.T, crd *extv1.CustomResourceDefinition) {
	t.Helper()
	if len(crd.Labels) > 0 {
		t.Errorf("has labels %v, but Cluster API and clusterctl have nothing to do with it", crd.Labels)
	}
	want := extv1.NamespaceScoped
	if crd.Spec.Names.Kind == "XAKSCluster" {
		want = extv1.ClusterScoped
	}
	categories := []string{"platform", "composite"}
	if want == extv1.ClusterScoped { // Teams may not list those.
		categories = categories[1:]
	}
	if diff := cmp.Diff(categories, crd.Spec.Names.Categories); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
	if crd.Spec.Scope != want {
		t.Errorf("scope is %s, want %s", crd.Spec.Scope, want)
	}
}

// TestClaim makes the claim's kind with Crossplane's own code.
func TestClaim(t *testing.T) {
	eachDefinition(t, func(t *testing.T, xrd *xv2.CompositeResourceDefinition) {
		file, err := claimable(xrd)
		if err != nil {
			t.Fatal(err)
		}
		legacy, ok := file.(*xv1.CompositeResourceDefinition)
		if claimed := xrd.Spec.Names.Kind == "XAKSCluster"; ok != claimed {
			t.Fatalf("is of the version with claims: %v, want %v", ok, claimed)
		} else if !claimed {
			return
		}
		if p := legacy.Spec.DefaultCompositeDeletePolicy; p == nil || *p != xpv2.CompositeDeleteForeground {
			t.Errorf("delete policy is %v: a claim must stay until its cluster is gone", p)
		}
		crd, err := xcrd.ForCompositeResourceClaim(legacy)
		if err != nil {
			t.Fatal(err)
		}
		if crd.Name != "aksclusterclaims.platform.capz.crossplane.io" || crd.Spec.Scope != extv1.NamespaceScoped {
			t.Errorf("claim is %s, %s", crd.Name, crd.Spec.Scope)
		}
		if diff := cmp.Diff([]string{"platform", "claim"}, crd.Spec.Names.Categories); diff != "" {
			t.Errorf("categories (-want +got):\n%s", diff)
		}
		composite := compositeCRD(t, xrd).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties
		claim := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties
		for _, field := range []string{"location", "version", "nodePools", "network", "identity", "maintenance"} {
			if diff := cmp.Diff(composite[field], claim[field]); diff != "" || claim[field].Type == "" {
				t.Errorf("%s (-composite +claim):\n%s", field, diff)
			}
		}
	})
}
