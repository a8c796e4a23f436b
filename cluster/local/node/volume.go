package node

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tokenLifetime of the processes' ServiceAccount tokens. Nobody renews them, so they outlast the cluster.
const tokenLifetime = 365 * 24 * time.Hour

// mount writes the volumes of a Deployment's pod below the folder of the process and returns where each path leads.
func (n *Node) mount(ctx context.Context, name string, d *appsv1.Deployment) (mounts, error) {
	pod := &d.Spec.Template.Spec
	folders := map[string]string{}
	for _, v := range pod.Volumes {
		if v.Secret == nil {
			return nil, fmt.Errorf("volume %s is no Secret: this node knows no other", v.Name)
		}
		dir := n.path("pods", name, v.Name)
		if err := n.writeSecret(ctx, dir, v.Secret); err != nil {
			return nil, fmt.Errorf("volume %s: %w", v.Name, err)
		}
		folders[v.Name] = dir
	}
	m := mounts{}
	for _, vm := range pod.Containers[0].VolumeMounts {
		dir, ok := folders[vm.Name]
		if !ok || vm.SubPath != "" {
			return nil, fmt.Errorf("the mount at %s has a subpath or no volume: this node cannot mount it", vm.MountPath)
		}
		m[path.Clean(vm.MountPath)] = dir
	}
	return m, nil
}

// writeSecret writes a Secret's keys as files of a folder that only the person can read.
func (n *Node) writeSecret(ctx context.Context, dir string, source *corev1.SecretVolumeSource) error {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: n.Namespace, Name: source.SecretName}
	if err := n.Client.Get(ctx, key, secret); err != nil {
		return err
	}
	items := source.Items
	if len(items) == 0 {
		for k := range secret.Data {
			items = append(items, corev1.KeyToPath{Key: k, Path: k})
		}
	}
	for _, item := range items {
		content, ok := secret.Data[item.Key]
		if !ok {
			return fmt.Errorf("the Secret %s has no key %s", source.SecretName, item.Key)
		}
		file := filepath.Join(dir, filepath.Clean("/"+item.Path))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func serviceAccount(d *appsv1.Deployment) string {
	if name := d.Spec.Template.Spec.ServiceAccountName; name != "" {
		return name
	}
	return "default"
}

// writeKubeconfig writes how a process reaches the API server, with a token of its ServiceAccount. A pod would find the
// same at a fixed path.
func (n *Node) writeKubeconfig(ctx context.Context, file, account string) error {
	seconds := int64(tokenLifetime.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	owner := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: account}}
	if err := n.Client.SubResource("token").Create(ctx, owner, request); err != nil {
		return fmt.Errorf("token of ServiceAccount %s: %w", account, err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["local"] = &clientcmdapi.Cluster{Server: n.Config.Host, CertificateAuthorityData: n.Config.CAData}
	config.AuthInfos["local"] = &clientcmdapi.AuthInfo{Token: request.Status.Token}
	config.Contexts["local"] = &clientcmdapi.Context{Cluster: "local", AuthInfo: "local", Namespace: n.Namespace}
	config.CurrentContext = "local"
	return clientcmd.WriteToFile(*config, file)
}
