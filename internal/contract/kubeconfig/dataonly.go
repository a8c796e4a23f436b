package kubeconfig

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// notData returns what of a kubeconfig makes whoever uses it run a program, read a file of its own, or act as someone else, as
// "users[].user.tokenFile"; empty if nothing does. A kubeconfig that users can write would else have provider-capz, and Cluster
// API, send its own ServiceAccount's token to a host of theirs. Values and names are never returned. Unreadable ones are reported elsewhere.
func notData(kubeconfig []byte) string {
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return ""
	}
	for _, cluster := range config.Clusters {
		if cluster.CertificateAuthority != "" {
			return "clusters[].cluster.certificate-authority"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(config.AuthInfos)) {
		if field := notDataOf(config.AuthInfos[name]); field != "" {
			return "users[].user." + field
		}
	}
	return ""
}

func notDataOf(user *clientcmdapi.AuthInfo) string {
	switch {
	case user.Exec != nil:
		return "exec"
	case user.AuthProvider != nil:
		return "auth-provider"
	case user.TokenFile != "":
		return "tokenFile"
	case user.ClientCertificate != "":
		return "client-certificate"
	case user.ClientKey != "":
		return "client-key"
	case user.Impersonate != "" || user.ImpersonateUID != "" || len(user.ImpersonateGroups)+len(user.ImpersonateUserExtra) > 0:
		return "as"
	}
	return ""
}

// dataOnly returns a mistake unless the kubeconfig, which is in the Secret of the name, has all that it needs in itself.
func dataOnly(name string, kubeconfig []byte) error {
	field := notData(kubeconfig)
	if field == "" {
		return nil
	}
	return mistake("the kubeconfig in Secret %s has %s, but must have only data, such as token or client-certificate-data, because controllers "+
		"neither run programs nor read files for it, nor act as others; it is not used", name, field)
}

// A DataOnlyReader reads Secrets, but no kubeconfig of a Cluster with more than data in it.
type DataOnlyReader struct {
	client.Reader
}

// Get implements client.Reader.
func (r DataOnlyReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object, options ...client.GetOption) error {
	if err := r.Reader.Get(ctx, key, obj, options...); err != nil {
		return err
	}
	found, ok := obj.(*corev1.Secret)
	if _, purpose, _ := secret.ParseSecretName(key.Name); !ok || purpose != secret.Kubeconfig {
		return nil
	}
	return dataOnly(found.Name, found.Data[secret.KubeconfigDataName])
}
