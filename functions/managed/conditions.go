package managed

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// A kindCondition is the condition about all objects of one kind, named as CAPZ names it.
type kindCondition struct {
	conditionType string
	kind          schema.GroupKind
}

var (
	controlPlaneConditions = []kindCondition{
		{"ResourceGroupReady", composer.ResourceGroup},
		{"VNetReady", networkKind},
		{"SubnetsReady", subnetKind},
		{"ManagedClusterRunning", member.ManagedClusterKind},
		{"PrivateEndpointsReady", privateEndpointKind},
		{"FleetReady", fleetsMemberKind},
		{"AKSExtensionsReady", extensionKind},
	}
	poolConditions = []kindCondition{{"AgentPoolsReady", member.AgentPoolKind}}
)

// kindConditions returns a condition for each kind that the spec asks for.
func kindConditions(in *composer.Request, out *composer.Outcomes, of []kindCondition) []composer.Condition {
	var conditions []composer.Condition
	for _, c := range of {
		condition, some := out.ConditionOf(c.conditionType, c.kind)
		switch {
		case some:
			conditions = append(conditions, condition)
		case shown(in, c.conditionType):
			conditions = append(conditions, composer.True(c.conditionType, "NotInSpec", "the spec asks for none"))
		}
	}
	return conditions
}

// shown reports whether status.conditions has a condition of the type: Crossplane keeps what a function once gave it.
func shown(in *composer.Request, conditionType string) bool {
	conditions, _, _ := unstructured.NestedSlice(in.XR.Object, "status", "conditions")
	for _, c := range conditions {
		if m, _ := c.(map[string]any); m["type"] == conditionType {
			return true
		}
	}
	return false
}
