package stack

import (
	"context"
	"path/filepath"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

// fabric runs the virtual machines of the simulated Azure, with their networks. They end with it.
func (s *Stack) fabric() launch {
	return launch{
		binary: parts.Fabric,
		args: []string{
			"--dir", s.path("fabric"), "--socket", s.fabricSocket(), "--bin", filepath.Join(s.options.Root, ".local", "bin"),
		},
		probe: process.Probe{Socket: s.fabricSocket()},
	}
}

// fabricSocket is where the simulated Azure tells the fabric which machines there are.
func (s *Stack) fabricSocket() string { return s.path("fabric.sock") }

// cloudController stands for the cloud controllers that users install in their clusters.
func (s *Stack) cloudController() launch {
	return launch{
		binary: parts.Local,
		args:   []string{"--root", s.options.Root, "cloud-controller", "--kubeconfig", s.kubeconfigOf(CloudController)},
		env:    s.azureEnv(),
	}
}

// startCloudController starts the stand-in with the rights to what it takes from the management cluster: the kubeconfig of each cluster
// and the azure.json of its control plane.
func (s *Stack) startCloudController(ctx context.Context) error {
	if s.without(CloudController) {
		return nil
	}
	meta := metav1.ObjectMeta{Name: cloudControllerUser}
	group := rbacv1.SchemeGroupVersion.String()
	rbac, err := unstructuredOf(
		&rbacv1.ClusterRole{
			TypeMeta: metav1.TypeMeta{APIVersion: group, Kind: "ClusterRole"}, ObjectMeta: meta,
			Rules: []rbacv1.PolicyRule{
				{APIGroups: []string{"cluster.x-k8s.io"}, Resources: []string{"clusters"}, Verbs: []string{"get", "list"}},
				{APIGroups: []string{"controlplane.cluster.x-k8s.io"}, Resources: []string{"kubeadmcontrolplanes"}, Verbs: []string{"get"}},
				{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
			},
		},
		&rbacv1.ClusterRoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: group, Kind: "ClusterRoleBinding"}, ObjectMeta: meta,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: cloudControllerUser}},
		},
	)
	if err != nil {
		return err
	}
	if err := s.apply(ctx, rbac); err != nil {
		return err
	}
	return s.runAndSay(ctx, CloudController)
}
