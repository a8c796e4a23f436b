package asomanaged

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// TestCredential shows which objects name the Secret that is made from an AzureClusterIdentity, and which wait for it.
func TestCredential(t *testing.T) {
	const secret, awaited, nobody = "c1-aso-secret", "waits until AzureASOManagedControlPlane cp has the credential for Azure",
		"waits until AzureASOManagedControlPlane cp exists, which says what credential is used in Azure"
	rg := group("rg")
	from := annotate(aso.AnnotationCredentialFrom, secret)
	own := annotate(aso.AnnotationCredentialFrom, "own")
	identity := set(dict("name", "id"), "spec", "identityRef")
	noted, refused := annotate(v1beta1.AnnotationCredential, secret), annotate(v1beta1.AnnotationCredentialFailed, "IdentityNotAllowed: not here")
	infra := infraXR(rg)
	plain, asking, signed := controlPlaneXR(aksCluster()), edited(controlPlaneXR(aksCluster()), identity), edited(controlPlaneXR(aksCluster()), identity, noted)
	in := func(xrs ...*unstr) world { return aksWorld("p0").Without(plain).With(xrs...) }
	cases := map[string]struct {
		xr       *unstr
		world    world
		observed *unstr
		object   string
		// want is the Secret that the composed object names; the message is why it is not composed.
		want, message string
	}{
		"no identity":                       {xr: infra, world: in(plain), object: "rg"},
		"no control plane":                  {xr: infra, world: in(), object: "rg", message: nobody},
		"no Secret yet":                     {xr: infra, world: in(asking), object: "rg", message: awaited},
		"no Secret, and why":                {xr: infra, world: in(edited(asking, refused)), object: "rg", message: awaited + ": not here"},
		"pool, no Secret, and why":          {xr: poolXR("p0", aksPool("p0")), world: in(edited(ready(plain), identity, refused)), object: "p0", message: awaited + ": not here"},
		"the Secret":                        {xr: infra, world: in(signed), object: "rg", want: secret},
		"a user's own":                      {xr: infraXR(edited(rg, own)), world: in(signed), object: "rg", want: "own"},
		"a user's own, no Secret yet":       {xr: infraXR(edited(rg, own)), world: in(asking), object: "rg", want: "own"},
		"exists, identity added":            {xr: infra, world: in(signed), observed: exists(t, infra, rg), object: "rg", want: secret},
		"exists, identity added, no Secret": {xr: infra, world: in(asking), observed: exists(t, infra, rg), object: "rg"},
		"exists, the annotation is gone":    {xr: infra, world: in(asking), observed: exists(t, infra, edited(rg, from)), object: "rg", want: secret},
		"exists, the control plane is gone": {xr: infra, world: in(), observed: exists(t, infra, edited(rg, from)), object: "rg", want: secret},
		"exists, another control plane":     {xr: infra, world: in(plain), observed: exists(t, infra, edited(rg, from)), object: "rg"},
		"control plane":                     {xr: signed, world: in(), object: "mc", want: secret},
		"control plane, no Secret yet":      {xr: asking, world: in(), object: "mc", message: awaited},
		"control plane, no identity":        {xr: plain, world: in(), object: "mc"},
		"pool":                              {xr: poolXR("p0", aksPool("p0")), world: in(edited(ready(plain), identity, noted)), object: "p0", want: secret},
		"pool, no identity":                 {xr: poolXR("p0", aksPool("p0")), world: in(ready(plain)), object: "p0"},
		"pool, no Secret yet":               {xr: poolXR("p0", aksPool("p0")), world: in(edited(ready(plain), identity)), object: "p0", message: awaited},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var observed []*unstr
			if tc.observed != nil {
				observed = append(observed, tc.observed)
			}
			rsp := composers.Settle(t, tc.world, request(t, tc.xr, observed...))
			if f := fatal(rsp); f != "" {
				t.Fatal(f)
			}
			found := false
			for _, o := range desired(t, rsp) {
				if o.GetName() != tc.object {
					continue
				}
				found = true
				if diff := cmp.Diff(tc.want, o.GetAnnotations()[aso.AnnotationCredentialFrom]); diff != "" {
					t.Errorf("credential-from: -want +got:\n%s", diff)
				}
			}
			if found != (tc.message == "") {
				t.Errorf("composed: %v", found)
			}
			if _, _, message := outcome(rsp, tc.object); tc.message != "" && message != tc.message {
				t.Errorf("the message is %q, want %q", message, tc.message)
			}
		})
	}
}

// TestCredentialRefused shows that the reason for which there never was a credential stands where people look, once, and that a mistake
// in the spec is not hidden by it.
func TestCredentialRefused(t *testing.T) {
	const root = "False IdentityNotAllowed: not here"
	refused := annotate(v1beta1.AnnotationCredentialFailed, "IdentityNotAllowed: not here")
	control := edited(controlPlaneXR(aksCluster()), set(dict("name", "id"), "spec", "identityRef"), refused)
	w := aksWorld("p0").With(control)
	misspelled := edited(group("bad"), set("elsewhere", "metadata", "namespace"))
	const waits = "waits until AzureASOManagedControlPlane cp has the credential for Azure: not here"
	const wrong = `False InvalidResource: spec.resources[2].metadata.namespace is "elsewhere", but must be "ns" or absent, because composed resources live in the namespace of the object that defines them; `
	for title, tc := range map[string]struct {
		xr   *unstr
		want map[string]string
	}{
		"control plane": {control, map[string]string{"Ready": root, "Available": root, "CredentialReady": root}},
		"infrastructure": {infraXR(group("a"), group("b")), map[string]string{"Ready": root,
			"ResourcesReady": "False WaitingForResource: ResourceGroup a, ResourceGroup b: " + waits}},
		"pool":                          {poolXR("p0", aksPool("p0")), map[string]string{"Ready": root}},
		"infrastructure with a mistake": {infraXR(group("a"), group("b"), misspelled), map[string]string{"Ready": wrong + "ResourceGroup a, ResourceGroup b: " + waits}},
	} {
		t.Run(title, func(t *testing.T) {
			rsp := composers.Settle(t, w, request(t, tc.xr))
			for conditionType, want := range tc.want {
				if got := conditionOf(rsp, conditionType); got != want {
					t.Errorf("%s: %q, want %q", conditionType, got, want)
				}
			}
		})
	}
}

// TestCredentialLost shows that nothing new is composed and nothing that exists changes while ASO has no credential, and that
// everything of the Cluster says so.
func TestCredentialLost(t *testing.T) {
	const lost, kept = "False IdentityNotAllowed: it is not for this namespace", "True Provisioned: "
	rg, extra := group("rg"), group("extra")
	from := annotate(aso.AnnotationCredentialFrom, "c1-aso-secret")
	identity, noted := set(dict("name", "id"), "spec", "identityRef"), annotate(v1beta1.AnnotationCredential, "c1-aso-secret")
	done := set(true, "status", "ready")
	cases := map[string]struct{ failed, want, condition string }{
		"all is well":         {want: kept, condition: "True Made: Secret c1-aso-secret has the credential for Azure"},
		"the right is lost":   {failed: "IdentityNotAllowed: it is not for this namespace", want: lost, condition: lost},
		"the Secret is lost":  {failed: "CredentialMissing: no such identity", want: "False CredentialMissing: no such identity", condition: "False CredentialMissing: no such identity"},
		"the Secret is stale": {failed: "CredentialFailed: no such identity", want: kept, condition: "False CredentialFailed: no such identity"},
		"someone else's word": {failed: "oh", want: kept, condition: "False CredentialFailed: oh"},
	}
	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			control := edited(controlPlaneXR(aksCluster()), identity, noted, set(true, "status", "initialized"))
			if tc.failed != "" {
				control = edited(control, annotate(v1beta1.AnnotationCredentialFailed, tc.failed))
			}
			w := aksWorld("p0").With(ready(control))
			infra, pool := edited(infraXR(rg), done), edited(poolXR("p0", aksPool("p0")), done)
			for _, c := range []struct{ xr, observed *unstr }{
				{infra, exists(t, infra, edited(rg, from))},
				{control, exists(t, control, edited(aksCluster(), from))},
				{pool, exists(t, pool, edited(aksPool("p0"), from))},
			} {
				rsp := composers.Settle(t, w, request(t, c.xr, c.observed))
				if f := fatal(rsp); f != "" {
					t.Fatal(f)
				}
				composed := desired(t, rsp)
				if len(composed) != 1 || composed[name(c.observed)].GetAnnotations()[aso.AnnotationCredentialFrom] != "c1-aso-secret" {
					t.Errorf("%s composes %v", c.xr.GetKind(), composed)
				}
				if got := conditionOf(rsp, "Ready"); got != tc.want {
					t.Errorf("Ready of %s: %q, want %q", c.xr.GetKind(), got, tc.want)
				}
				if want := tc.want == kept; (rsp.GetDesired().GetComposite().GetReady() != fnv1.Ready_READY_FALSE) != want {
					t.Errorf("%s is ready for Crossplane: %v", c.xr.GetKind(), !want)
				}
				if got := conditionOf(rsp, "CredentialReady"); c.xr == control && got != tc.condition {
					t.Errorf("CredentialReady: %q, want %q", got, tc.condition)
				}
			}
			rsp := composers.Settle(t, w, request(t, infraXR(rg, extra), exists(t, infra, edited(rg, from))))
			if added := len(desired(t, rsp)) == 2; added != (tc.want == kept) {
				t.Errorf("a new object is composed: %v", added)
			}
		})
	}
}

// conditionOf returns a condition as Cluster API reads it: status, reason and message.
func conditionOf(rsp *fnv1.RunFunctionResponse, conditionType string) string {
	m := contract(rsp, conditionType)
	return fmt.Sprintf("%v %v: %v", m["status"], m["reason"], m["message"])
}
