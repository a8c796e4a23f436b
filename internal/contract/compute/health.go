package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// Reasons why the health of a resource is not known, beside the codes of Azure's answers.
const (
	reasonCredentialFailed = "CredentialFailed" //nolint:gosec // A reason.
	reasonSignInFailed     = "SignInFailed"
	reasonAzureNotReached  = "AzureNotReached"
	reasonNotInAzure       = "ResourceNotFound"
)

// HealthOf returns what Azure Resource Health says of the resource of an ASO object, or why that is not known, and for how long Azure asks not to
// be asked again. It is not ok, and Azure not asked, while the object has no resource in Azure.
func (a *Azure) HealthOf(ctx context.Context, obj *unstructured.Unstructured) (health v1alpha1.ResourceHealthFacts, wait time.Duration, ok bool) {
	id := cmp.Or(aso.StatusID.Value(obj), obj.GetAnnotations()[aso.AnnotationResourceID])
	if id == "" {
		return v1alpha1.ResourceHealthFacts{}, 0, false
	}
	account, err := a.Credentials.Account(ctx, obj)
	if err != nil {
		return healthUnknown(reasonCredentialFailed, err.Error()), 0, true
	}
	now, found, err := a.health.Of(ctx, account, id)
	var answer *machines.Answer
	switch {
	case errors.As(err, &answer):
		return healthUnknown(answer.Code, answer.Message), answer.RetryAfter, true
	case errors.Is(err, machines.ErrSignIn):
		return healthUnknown(reasonSignInFailed, err.Error()), 0, true
	case err != nil:
		return healthUnknown(reasonAzureNotReached, err.Error()), 0, true
	case !found:
		return healthUnknown(reasonNotInAzure, fmt.Sprintf("Azure has no resource %s", id)), 0, true
	}
	return healthFrom(now), 0, true
}

// healthUnknown returns the facts of a resource of which Azure has not told the health.
func healthUnknown(reason, why string) v1alpha1.ResourceHealthFacts {
	return v1alpha1.ResourceHealthFacts{
		Reason:  field.Cut(reason, v1alpha1.LongestHealthState),
		Message: field.Cut("Azure Resource Health has not told the state of the cluster: "+why, v1alpha1.LongestHealthMessage),
	}
}

// healthFrom returns the facts that an answer stands for. Of what is Available there is nothing else to tell, and a text that changed would have
// everything composed anew.
func healthFrom(now machines.Availability) v1alpha1.ResourceHealthFacts {
	facts := v1alpha1.ResourceHealthFacts{State: field.Cut(cmp.Or(now.State, v1alpha1.ResourceUnknown), v1alpha1.LongestHealthState)}
	if facts.State != v1alpha1.ResourceAvailable {
		facts.Reason = field.Cut(now.Reason, v1alpha1.LongestHealthState)
		facts.Message = field.Cut(now.Summary, v1alpha1.LongestHealthMessage)
	}
	return facts
}
