package capi

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

const (
	conditionCredentialReady = "CredentialReady"
	reasonCredentialMade     = "Made"
	reasonCredentialAwaited  = "Awaited"
)

// A Credential is what provider-capz reports on a control plane of the credential that is made for it.
type Credential struct {
	// Secret names the Secret, from the day that it was first there.
	Secret string
	// Reason and Message say what is wrong, if anything is.
	Reason, Message string
}

// CredentialOf returns what is reported on a control plane with an AzureClusterIdentity.
func CredentialOf(controlPlane metav1.Object) Credential {
	annotations := controlPlane.GetAnnotations()
	reason, message := v1beta1.ReadCredentialFailure(annotations)
	return Credential{Secret: annotations[v1beta1.AnnotationCredential], Reason: reason, Message: message}
}

// ReadCredential returns what is reported on a control plane; nothing where that does not exist.
func ReadCredential(in *composer.Request, kind composite.Kind, name string) (Credential, error) {
	controlPlane, err := in.Get("controlplane", kind.GroupVersionKind, name)
	if err != nil || controlPlane == nil {
		return Credential{}, err
	}
	return CredentialOf(controlPlane), nil
}

// Lost reports whether there is no Secret any more: ASO then changes nothing in Azure, and deletes nothing.
func (c Credential) Lost() bool { return v1beta1.CredentialLost(c.Secret, c.Reason) }

// Refused reports whether there is no credential for a reason that somebody has to see to.
func (c Credential) Refused() bool { return c.Reason != "" && !c.Usable() }

// Usable reports whether new objects may be composed.
func (c Credential) Usable() bool { return c.Secret != "" && !c.Lost() }

// Awaited returns, in words, what new objects wait for until the credential is usable: kind and name are those of the control
// plane.
func (c Credential) Awaited(kind, name string) string {
	awaited := fmt.Sprintf("%s %s has the credential for Azure", kind, name)
	switch {
	case c.Lost():
		return awaited + " again: " + c.Message
	case c.Refused():
		return awaited + ": " + c.Message
	}
	return awaited
}

// Condition returns the condition CredentialReady of the control plane.
func (c Credential) Condition() composer.Condition {
	switch {
	case c.Reason != "":
		return composer.False(conditionCredentialReady, c.Reason, c.Message)
	case c.Secret == "":
		return composer.False(conditionCredentialReady, reasonCredentialAwaited, "provider-capz has not made the Secret with the credential for Azure yet")
	}
	return composer.True(conditionCredentialReady, reasonCredentialMade, fmt.Sprintf("Secret %s has the credential for Azure", c.Secret))
}

// Readiness takes a condition Ready away while the credential is lost: whatever ASO has reported before, it can do nothing more. Else it is
// Root.
func (c Credential) Readiness(out *plan.Outcomes, ready composer.Condition) composer.Condition {
	if c.Lost() {
		return composer.False(composer.ConditionReady, c.Reason, c.Message)
	}
	return c.Root(out, ready)
}

// Root has a condition say why there is no credential, where that is all that is waited for: each resource would say that it waits.
func (c Credential) Root(out *plan.Outcomes, condition composer.Condition) composer.Condition {
	if !c.Refused() || condition.Status == metav1.ConditionTrue || out.Refused() || !out.Waits() {
		return condition
	}
	return composer.False(condition.Type, c.Reason, c.Message)
}

// Result is Outcomes.Result, but the composite resource is not ready while the credential is lost.
func (c Credential) Result(in *composer.Request, out *plan.Outcomes, status map[string]any, conditions ...composer.Condition) *composer.Result {
	result := out.Result(in, status, conditions...)
	result.Ready = result.Ready && !c.Lost()
	return result
}
