package main

import (
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// Where what kube-state-metrics is to be given goes, below the root of the checkout.
const (
	stateMetricsFile = "examples/monitoring/kube-state-metrics.yaml"
	stateRightsFile  = "examples/monitoring/kube-state-metrics-rbac.yaml"
)

const stateHeader = "# Generated from the catalogue of kinds in internal/composite by `go run ./package/generate`. Do not edit.\n"

const stateMetricsHeader = stateHeader + `#
# What kube-state-metrics tells of each object, for its flag --custom-resource-state-config-file: capz_object_info with the Cluster,
# if it belongs to one, capz_object_created and capz_object_deletion_timestamp, and capz_object_condition with the type of a condition, of which the
# series with the status that it has is 1. The labels customresource_kind, namespace and name say which object it is.
`

const stateRightsHeader = stateHeader + `#
# What kube-state-metrics may read for that. Set the subject to the ServiceAccount of yours.
---
`

// stateMetrics is the file of kube-state-metrics (its documentation, "Custom Resource State Metrics").
type stateMetrics struct {
	Kind string    `json:"kind"`
	Spec stateSpec `json:"spec"`
}

type stateSpec struct {
	Resources []stateResource `json:"resources"`
}

type stateResource struct {
	GroupVersionKind metav1.GroupVersionKind `json:"groupVersionKind"`
	Prefix           string                  `json:"metricNamePrefix"`
	Labels           map[string][]string     `json:"labelsFromPath"`
	Metrics          []stateMetric           `json:"metrics"`
}

type stateMetric struct {
	Name string    `json:"name"`
	Help string    `json:"help"`
	Each stateEach `json:"each"`
	// ErrorLevel is from which level of its log on kube-state-metrics logs that there is no value; 0 for that of other errors.
	ErrorLevel int `json:"errorLogV,omitempty"`
}

type stateEach struct {
	Type     string     `json:"type"`
	Info     *stateFrom `json:"info,omitempty"`
	Gauge    *stateFrom `json:"gauge,omitempty"`
	StateSet *stateFrom `json:"stateSet,omitempty"`
}

type stateFrom struct {
	Path      []string            `json:"path,omitempty"`
	Labels    map[string][]string `json:"labelsFromPath,omitempty"`
	LabelName string              `json:"labelName,omitempty"`
	List      []string            `json:"list,omitempty"`
	ValueFrom []string            `json:"valueFrom,omitempty"`
	NilIsZero *bool               `json:"nilIsZero,omitempty"`
}

// addStateMetrics adds the configuration of kube-state-metrics for every kind that is more than copied from, and its rights.
func addStateMetrics(files fileSet) error {
	all := stateMetrics{Kind: "CustomResourceStateMetrics"}
	rules := map[string][]string{}
	for _, kind := range stateKinds() {
		all.Spec.Resources = append(all.Spec.Resources, stateOf(kind))
		rules[kind.Group] = append(rules[kind.Group], kind.Plural())
	}
	content, err := yaml.Marshal(all)
	if err != nil {
		return err
	}
	files[stateMetricsFile] = append([]byte(stateMetricsHeader), content...)
	rights, err := stateRights(rules)
	files[stateRightsFile] = append([]byte(stateRightsHeader), rights...)
	return err
}

func stateKinds() []composite.Kind {
	return composite.Select(func(k composite.Kind) bool { return k.Role != composite.Template })
}

// stateOf returns what is told of the objects of a kind.
func stateOf(kind composite.Kind) stateResource {
	r := stateResource{
		GroupVersionKind: metav1.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind},
		Prefix:           "capz_object",
		Labels:           map[string][]string{"name": {"metadata", "name"}},
	}
	if !kind.ClusterScoped {
		r.Labels["namespace"] = []string{"metadata", "namespace"}
	}
	conditions := []string{"status", "conditions"}
	if composite.InContract(kind) { // Cluster API reads those of its own version.
		conditions = []string{"status", "v1beta2", "conditions"}
		r.Metrics = append(r.Metrics, stateMetric{Name: "info", Help: "The Cluster that an object belongs to.", Each: stateEach{Type: "Info", Info: &stateFrom{
			Labels: map[string][]string{"cluster": {"metadata", "labels", "cluster.x-k8s.io/cluster-name"}}}}})
	}
	no := false
	r.Metrics = append(r.Metrics,
		stateMetric{Name: "created", Help: "When an object was made, in seconds since 1970.", Each: stateEach{Type: "Gauge", Gauge: &stateFrom{
			Path: []string{"metadata", "creationTimestamp"}, NilIsZero: &no}}},
		stateMetric{Name: "deletion_timestamp", Help: "When the deletion of an object has begun, in seconds since 1970.", Each: stateEach{Type: "Gauge", Gauge: &stateFrom{
			Path: []string{"metadata", "deletionTimestamp"}, NilIsZero: &no}}, ErrorLevel: 5},
		stateMetric{Name: "condition", Help: "What a condition of an object says: 1 for the status that it has.", Each: stateEach{Type: "StateSet", StateSet: &stateFrom{
			Path: conditions, Labels: map[string][]string{"type": {"type"}}, LabelName: "status", ValueFrom: []string{"status"}, List: []string{"True", "False", "Unknown"}}}, ErrorLevel: 5},
	)
	return r
}

// stateRights returns the role of kube-state-metrics, and its binding.
func stateRights(resources map[string][]string) ([]byte, error) {
	const name = "crossplane-capz:kube-state-metrics"
	read := []string{"list", "watch"}
	role := rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		// It looks by itself for the kinds that are served.
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"}, Verbs: read}},
	}
	for _, group := range slices.Sorted(maps.Keys(resources)) {
		names := slices.Sorted(slices.Values(resources[group]))
		role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: names, Verbs: read})
	}
	binding := rbacv1.ClusterRoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "kube-state-metrics", Namespace: "monitoring"}},
	}
	first, err := yaml.Marshal(role)
	if err != nil {
		return nil, err
	}
	second, err := yaml.Marshal(binding)
	return slices.Concat(first, []byte("---\n"), second), err
}
