package plan

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/drift"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Reasons of condition Drifted.
const (
	reasonFieldsDiffer = "FieldsDiffer"
	reasonNoDifference = "NoDifference"
	reasonNotCompared  = "NotCompared"
)

const (
	// mostDifferences is how many fields the message of condition Drifted names, longestDrift how many bytes it has.
	mostDifferences = 10
	longestDrift    = 4 << 10
)

// differences returns the fields of a resource that Azure reports otherwise than its object asks for. It is the object that exists which both
// say something of; what becomes of it now is not in Azure yet.
func (p *Plan) differences(r *Resource, state aso.State) []drift.Difference {
	observed := p.in.Observed[r.Name()]
	if observed == nil || !state.Ready {
		return nil
	}
	return drift.Of(observed, p.idOf)
}

// idOf returns the ID in Azure of what a reference means; empty when the object is not known, or ASO has not noted it.
func (p *Plan) idOf(ref aso.Reference) string {
	target := p.resolver.Find(ref)
	if target == nil {
		return ""
	}
	if id := aso.StatusID.Value(target); id != "" {
		return id
	}
	return target.GetAnnotations()[aso.AnnotationResourceID]
}

// driftConditions returns condition Drifted, where there is something to say: while nothing has ever drifted it would only be written and read.
func (o *Outcomes) driftConditions(in *composer.Request) []composer.Condition {
	var lines []string
	for _, outcome := range o.Of {
		for _, difference := range outcome.Differences {
			lines = append(lines, fmt.Sprintf("%s %s: %s", outcome.Object.GetKind(), outcome.Object.GetName(), difference))
		}
	}
	unsettled := slices.ContainsFunc(o.Of, func(outcome Outcome) bool { return !outcome.State.Ready })
	switch {
	case len(lines) > 0:
		return []composer.Condition{composer.True(composer.ConditionDrifted, reasonFieldsDiffer, driftMessage(lines))}
	case !slices.Contains(composer.Shown(in.XR), composer.ConditionDrifted):
		return nil
	case unsettled:
		return []composer.Condition{{Type: composer.ConditionDrifted, Status: metav1.ConditionUnknown, Reason: reasonNotCompared,
			Message: "a resource that is not ready is compared with Azure when it is"}}
	}
	return []composer.Condition{composer.False(composer.ConditionDrifted, reasonNoDifference, "")}
}

func driftMessage(lines []string) string {
	more := ""
	if n := len(lines) - mostDifferences; n > 0 {
		lines, more = lines[:mostDifferences], fmt.Sprintf("; and %d more", n)
	}
	return field.Cut(strings.Join(lines, "; "), longestDrift-len(more)) + more
}
