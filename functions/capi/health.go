package capi

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Reasons of condition AzureResourceAvailable where Azure gives none.
const (
	reasonAvailable     = "Available"
	reasonUnavailable   = "AzureResourceUnavailable"
	reasonDegraded      = "AzureResourceDegraded"
	reasonHealthUnknown = "AzureResourceHealthUnknown"
	reasonNotAsked      = "NotAsked"
)

// HealthConditions returns the condition about what Azure Resource Health says of the AKS cluster that a Cluster has; none where nobody asks. It
// decides nothing: what is reconciled, and Ready, do not depend on it.
func HealthConditions(in *composer.Request, cluster *unstructured.Unstructured) []composer.Condition {
	if cluster == nil {
		return kept(in)
	}
	health, known, absent := in.ResourceHealth(cluster.GetUID())
	switch {
	case known:
		return []composer.Condition{healthCondition(health)}
	case absent:
		return kept(in)
	}
	conditions := kept(in)
	for i := range conditions { // Crossplane keeps a condition for ever.
		conditions[i].Status, conditions[i].Reason, conditions[i].Message = metav1.ConditionUnknown, reasonNotAsked, "Azure Resource Health is not asked about the cluster"
	}
	return conditions
}

// kept returns the condition as it was, if there was one.
func kept(in *composer.Request) []composer.Condition {
	if before, shown := composer.Kept(in.XR, v1beta1.ConditionAzureResourceAvailable); shown {
		return []composer.Condition{before}
	}
	return nil
}

func healthCondition(health v1alpha1.ResourceHealthFacts) composer.Condition {
	condition := composer.Condition{Type: v1beta1.ConditionAzureResourceAvailable, Message: health.Message}
	switch health.State {
	case v1alpha1.ResourceAvailable:
		condition.Status, condition.Reason = metav1.ConditionTrue, reasonAvailable
	case v1alpha1.ResourceUnavailable:
		condition.Status, condition.Reason = metav1.ConditionFalse, cmp.Or(camelCase(health.Reason), reasonUnavailable)
	case v1alpha1.ResourceDegraded:
		condition.Status, condition.Reason = metav1.ConditionFalse, cmp.Or(camelCase(health.Reason), reasonDegraded)
	default: // Azure does not know, has not told, or has a state of which nothing is known here.
		condition.Status, condition.Reason = metav1.ConditionUnknown, cmp.Or(camelCase(health.Reason), reasonHealthUnknown)
	}
	if health.State != "" && health.State != v1alpha1.ResourceAvailable {
		condition.Message = strings.TrimSuffix(health.State+": "+health.Message, ": ")
	}
	return condition
}

// camelCase returns the words of a text as one, as reasons of conditions are written: Azure has such as "Customer Initiated".
func camelCase(text string) string {
	var joined strings.Builder
	for word := range strings.FieldsSeq(text) {
		first, size := utf8.DecodeRuneInString(word)
		joined.WriteRune(unicode.ToUpper(first))
		joined.WriteString(word[size:])
	}
	return joined.String()
}
