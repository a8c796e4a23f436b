package asomanaged

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// A credential is what ASO signs in to Azure with for a Cluster.
type credential struct {
	// controlPlane is the control plane, which asks for one or not; nil when there is none.
	controlPlane *unstructured.Unstructured
	// name is that of the control plane, also when it does not exist.
	name    string
	cluster string
}

// said returns what is said of the credential, which is nothing without an identity.
func (c credential) said() member.Credential {
	if !c.asked() {
		return member.Credential{}
	}
	return member.CredentialOf(c.controlPlane)
}

// asked reports whether the control plane refers to an AzureClusterIdentity.
func (c credential) asked() bool {
	if c.controlPlane == nil {
		return false
	}
	ref, found, _ := unstructured.NestedFieldNoCopy(c.controlPlane.Object, "spec", "identityRef")
	return found && ref != nil
}

// awaited returns, in words, what is missing before a new object can name its credential. Without a control plane nobody
// knows which one is meant, and ASO would take its own.
func (c credential) awaited() string {
	switch {
	case c.controlPlane == nil:
		return fmt.Sprintf("%s %s exists, which says what credential is used in Azure", asoControlPlaneKind.Kind, c.name)
	case c.asked() && !c.said().Usable():
		return c.said().Awaited(asoControlPlaneKind.Kind, c.name)
	}
	return ""
}

// set names the Secret on every object that does not name one by itself. One that exists keeps what it has until the Secret of
// a new identity is there, and when the control plane goes away before it.
func (c credential) set(in *composer.Request, inlines []*composer.Inline) {
	secret, awaited := v1beta1.CredentialSecret(c.cluster), c.awaited()
	for _, i := range inlines {
		if i.Problem != nil {
			continue
		}
		if _, own := i.Object.GetAnnotations()[composer.AnnotationCredentialFrom]; own {
			continue
		}
		observed := in.Observed[i.Name()]
		has := observed != nil && observed.GetAnnotations()[composer.AnnotationCredentialFrom] == secret
		switch {
		case awaited == "" && c.asked(), awaited != "" && has:
			i.Annotate(composer.AnnotationCredentialFrom, secret)
		case awaited != "":
			i.Needs = append(i.Needs, awaited)
		}
	}
}
