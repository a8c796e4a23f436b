// Package rights compares what package/install/rbac.yaml allows with what the API server's audit log says was done: least
// privilege means that each is as large as the other.
package rights

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Users that the manifest gives rights to, as the API server calls them.
const (
	Crossplane = "system:serviceaccount:crossplane-system:crossplane"
	Provider   = "system:serviceaccount:crossplane-system:provider-capz"
)

// people are those whom an administrator binds to a role.
const people = ""

// Labels of roles that Crossplane's own or provider-capz's takes in.
const (
	crossplaneLabel = "rbac.crossplane.io/aggregate-to-crossplane"
	providerLabel   = "infrastructure.cluster.x-k8s.io/aggregate-to-provider-capz"
)

// A Right is one verb on one resource.
type Right struct {
	User, Group, Resource, Subresource, Verb string
	// Name is the only object that it is for; empty means all.
	Name string
}

// String returns the right as a person would ask for it.
func (r Right) String() string {
	resource := r.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	if r.Group != "" {
		resource += "." + r.Group
	}
	if r.Name != "" {
		resource += " " + r.Name
	}
	return fmt.Sprintf("%s: %s %s", r.User[strings.LastIndex(r.User, ":")+1:], r.Verb, resource)
}

// Granted returns the rights in the ClusterRoles and Roles of a manifest, each once, in order. A role that Crossplane's takes
// in is Crossplane's, any other provider-capz's, but for one that nobody is bound to: that is for people. The error names a
// role with a wildcard: of that no test can use all.
func Granted(objects []*unstructured.Unstructured) ([]Right, error) {
	var granted []Right
	bound := map[string]bool{}
	for _, u := range objects {
		kind, _, _ := unstructured.NestedString(u.Object, "roleRef", "kind")
		name, _, _ := unstructured.NestedString(u.Object, "roleRef", "name")
		bound[kind+" "+name] = true
	}
	for _, u := range objects {
		if kind := u.GetKind(); kind != "ClusterRole" && kind != "Role" {
			continue
		}
		role := &rbacv1.ClusterRole{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, role); err != nil {
			return nil, fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
		}
		user := Provider
		switch {
		case role.Labels[crossplaneLabel] == "true":
			user = Crossplane
		case role.Labels[providerLabel] != "true" && !bound[u.GetKind()+" "+u.GetName()]:
			user = people
		}
		for _, rule := range role.Rules {
			rights, err := ofRule(user, rule)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
			}
			if user != people {
				granted = append(granted, rights...)
			}
		}
	}
	slices.SortFunc(granted, compare)
	return slices.Compact(granted), nil
}

func ofRule(user string, rule rbacv1.PolicyRule) ([]Right, error) {
	if all := slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs); slices.ContainsFunc(all, wild) || len(rule.NonResourceURLs) > 0 {
		return nil, fmt.Errorf("has a wildcard or a URL: %v", rule)
	}
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	var rights []Right
	for _, group := range rule.APIGroups {
		for _, path := range rule.Resources {
			resource, subresource, _ := strings.Cut(path, "/")
			for _, verb := range rule.Verbs {
				for _, name := range names {
					rights = append(rights, Right{User: user, Group: group, Resource: resource, Subresource: subresource, Verb: verb, Name: name})
				}
			}
		}
	}
	return rights, nil
}

func wild(s string) bool { return strings.Contains(s, "*") }

func compare(a, b Right) int {
	return cmp.Or(strings.Compare(a.User, b.User), strings.Compare(a.Group, b.Group), strings.Compare(a.Resource, b.Resource),
		strings.Compare(a.Subresource, b.Subresource), strings.Compare(a.Name, b.Name), strings.Compare(a.Verb, b.Verb))
}
