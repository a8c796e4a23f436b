package asomanaged

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A credential is what ASO signs in to Azure with for a Cluster.
type credential struct {
	// controlPlane is the control plane, which asks for one or not; nil when there is none.
	controlPlane *unstructured.Unstructured
	// name is that of the control plane, also when it does not exist.
	name    string
	cluster string
}

// reported returns what provider-capz reports of the credential, which is nothing without an identity.
func (c credential) reported() capi.Credential {
	if !c.asked() {
		return capi.Credential{}
	}
	return capi.CredentialOf(c.controlPlane)
}

var identityRef = field.At[any]("spec", "identityRef")

// asked reports whether the control plane refers to an AzureClusterIdentity.
func (c credential) asked() bool { return identityRef.Has(c.controlPlane) }

// awaited returns, in words, what is missing before a new object can name its credential. Without a control plane nobody
// knows which one is meant, and ASO would take its own.
func (c credential) awaited() string {
	kind := composite.AzureASOManagedControlPlane.Kind
	switch {
	case c.controlPlane == nil:
		return fmt.Sprintf("%s %s exists, which says what credential is used in Azure", kind, c.name)
	case c.asked() && !c.reported().Usable():
		return c.reported().Awaited(kind, c.name)
	}
	return ""
}

// set names the Secret on every object that does not name one by itself. One that exists keeps what it has until the Secret of
// a new identity is there, and when the control plane goes away before it.
func (c credential) set(in *composer.Request, resources []*plan.Resource) {
	secret, awaited := v1beta1.CredentialSecret(c.cluster), c.awaited()
	for _, r := range resources {
		if r.Err != nil {
			continue
		}
		if _, own := r.Object.GetAnnotations()[aso.AnnotationCredentialFrom]; own {
			continue
		}
		observed := in.Observed[r.Name()]
		has := observed != nil && observed.GetAnnotations()[aso.AnnotationCredentialFrom] == secret
		switch {
		case awaited == "" && c.asked(), awaited != "" && has:
			r.Annotate(aso.AnnotationCredentialFrom, secret)
		case awaited != "":
			r.After = append(r.After, plan.Precondition{Description: awaited, OfObject: true})
		}
	}
}
