package why

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	statusConditions   = field.At[[]any]("status", "conditions")
	contractConditions = field.At[[]any]("status", "v1beta2", "conditions")
)

// negative are the types of conditions that are False when all is well (Cluster API, "Conditions").
var negative = []string{
	clusterv1.PausedCondition, clusterv1.DeletingCondition, clusterv1.ScalingUpCondition, clusterv1.ScalingDownCondition,
	clusterv1.RemediatingCondition, clusterv1.RollingOutCondition, clusterv1.MachineUpdatingCondition,
}

// summaries are the types of conditions that only repeat the others.
var summaries = []string{"Ready", "Available"}

// unmet returns what the conditions of an object say that it is not. Those that Cluster API reads count more than Crossplane's of the same type.
func unmet(obj *unstructured.Unstructured) []Saying {
	var all, repeated []Saying
	var known []any
	for _, c := range slices.Concat(field.Maps(contractConditions.Value(obj)), field.Maps(statusConditions.Value(obj))) {
		conditionType := field.Text(c["type"])
		if slices.Contains(known, any(conditionType)) {
			continue
		}
		known = append(known, conditionType)
		if c["status"] != "False" && c["status"] != "Unknown" || slices.Contains(negative, conditionType) {
			continue
		}
		s := Saying{
			Condition: conditionType, Reason: field.Text(c["reason"]), Message: field.Text(c["message"]),
			waiting: c["status"] == "Unknown" || c["severity"] == "Info",
		}
		if slices.Contains(summaries, conditionType) {
			repeated = append(repeated, s)
		} else {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		all = repeated
	}
	return distinct(all)
}

// distinct leaves out what is said before.
func distinct(all []Saying) []Saying {
	var out []Saying
	for _, s := range all {
		if !slices.ContainsFunc(out, func(o Saying) bool { return o.Reason == s.Reason && o.Message == s.Message }) {
			out = append(out, s)
		}
	}
	return out
}

// reported reports whether anybody has said anything of the object.
func reported(obj *unstructured.Unstructured) bool {
	return len(statusConditions.Value(obj)) > 0 || len(contractConditions.Value(obj)) > 0
}
