package composer

import (
	"strings"
	"unicode"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Types of conditions. Crossplane keeps Ready in status.conditions for itself, so CAPI reads ours from
// status.v1beta2.conditions, which it looks at first (CAPI contract, "conditions").
const (
	ConditionReady          = "Ready"
	ConditionAvailable      = "Available"
	ConditionResourcesReady = "ResourcesReady"
	ConditionPaused         = "Paused"
	ConditionDrifted        = v1beta1.ConditionDrifted
)

// Where conditions are: Crossplane's and those of functions, and the ones that Cluster API reads.
var (
	shownConditions = field.At[[]any]("status", "conditions")
	contractStatus  = field.At[[]any]("status", "v1beta2", "conditions")
)

// A Condition is one statement about the composite resource.
type Condition struct {
	Type    string
	Status  metav1.ConditionStatus
	Reason  string
	Message string
	// OnClaim shows the condition on the claim of the composite resource, too.
	OnClaim bool
}

// True returns a condition that holds.
func True(conditionType, reason, message string) Condition {
	return Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

// False returns a condition that does not hold.
func False(conditionType, reason, message string) Condition {
	return Condition{Type: conditionType, Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

// addTo makes Crossplane show the condition in status.conditions. Crossplane drops the types that are its own.
func (c Condition) addTo(rsp *fnv1.RunFunctionResponse) {
	if c.Type == ConditionReady {
		return
	}
	add := response.ConditionFalse
	switch c.Status {
	case metav1.ConditionTrue:
		add = response.ConditionTrue
	case metav1.ConditionUnknown:
		add = response.ConditionUnknown
	}
	added := add(rsp, c.Type, ValidReason(c.Reason)).WithMessage(cut(c.Message))
	if c.OnClaim {
		added.TargetCompositeAndClaim()
	}
}

// SetConditions writes the conditions into a status, where Cluster API reads them.
func SetConditions(in *Request, status map[string]any, conditions []Condition) {
	status["v1beta2"] = map[string]any{"conditions": contractConditions(in, conditions)}
}

// Shown returns the types of the conditions that Crossplane shows on a composite resource: it keeps what a function once gave it.
func Shown(xr *unstructured.Unstructured) []string {
	var types []string
	for _, c := range field.Maps(shownConditions.Value(xr)) {
		types = append(types, field.Text(c["type"]))
	}
	return types
}

// Kept returns a condition as Crossplane shows it; not ok where it shows none of the type.
func Kept(xr *unstructured.Unstructured, conditionType string) (kept Condition, ok bool) {
	for _, c := range field.Maps(shownConditions.Value(xr)) {
		if c["type"] == conditionType {
			return Condition{
				Type: conditionType, Status: metav1.ConditionStatus(field.Text(c["status"])), Reason: field.Text(c["reason"]), Message: field.Text(c["message"]),
			}, true
		}
	}
	return Condition{}, false
}

// contractConditions returns the conditions as status.v1beta2.conditions. A condition keeps the time of its last
// transition while its status stays; a new one gets the newest time that the request knows.
func contractConditions(in *Request, conditions []Condition) []any {
	before := map[string]map[string]any{}
	for _, c := range field.Maps(contractStatus.Value(in.XR)) {
		before[field.Text(c["type"])] = c
	}
	out := make([]any, 0, len(conditions))
	for _, c := range conditions {
		since := in.Now().UTC().Format("2006-01-02T15:04:05Z")
		if old := before[c.Type]; old != nil && old["status"] == string(c.Status) && field.Text(old["lastTransitionTime"]) != "" {
			since = field.Text(old["lastTransitionTime"])
		}
		out = append(out, map[string]any{
			"type": c.Type, "status": string(c.Status), "reason": ValidReason(c.Reason), "message": cut(c.Message),
			"lastTransitionTime": since, "observedGeneration": aso.Generation(in.XR),
		})
	}
	return out
}

// ValidReason returns the reason without what the schema of a condition refuses: Azure's error codes are free text.
func ValidReason(reason string) string {
	reason = strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') {
			return r
		}
		return -1
	}, reason)
	reason = strings.TrimLeftFunc(reason, func(r rune) bool { return !unicode.IsLetter(r) })
	if reason == "" {
		return "Unknown"
	}
	return reason[:min(len(reason), longestReason)]
}
