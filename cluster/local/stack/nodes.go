package stack

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// startNode starts what runs the pods of Crossplane's packages, with the rights that it takes in their namespace.
func (s *Stack) startNode(ctx context.Context) error {
	if s.without(Node) {
		return nil
	}
	if err := s.namespace(ctx, crossplaneNamespace); err != nil {
		return err
	}
	rbac, err := nodeRBAC()
	if err != nil {
		return err
	}
	if err := s.apply(ctx, rbac); err != nil {
		return err
	}
	return s.runAndSay(ctx, Node)
}

// nodeRBAC returns what the node may do: what a kubelet and the controllers of Deployments and Services would.
func nodeRBAC() (manifests, error) {
	meta := metav1.ObjectMeta{Namespace: crossplaneNamespace, Name: nodeUser}
	group := rbacv1.SchemeGroupVersion.String()
	return unstructuredOf(
		&rbacv1.Role{
			TypeMeta: metav1.TypeMeta{APIVersion: group, Kind: "Role"}, ObjectMeta: meta,
			Rules: []rbacv1.PolicyRule{
				{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"list"}},
				{APIGroups: []string{"apps"}, Resources: []string{"deployments/status"}, Verbs: []string{"patch"}},
				{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"list"}},
				{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
				{APIGroups: []string{""}, Resources: []string{"serviceaccounts/token"}, Verbs: []string{"create"}},
			},
		},
		&rbacv1.RoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: group, Kind: "RoleBinding"}, ObjectMeta: meta,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: nodeUser},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: nodeUser}},
		},
	)
}

// unstructuredOf returns typed objects as manifests.
func unstructuredOf(objects ...any) (manifests, error) {
	var all manifests
	for _, o := range objects {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return nil, err
		}
		all = append(all, &unstructured.Unstructured{Object: content})
	}
	return all, nil
}
