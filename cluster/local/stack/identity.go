package stack

import (
	"context"
	"crypto/x509/pkix"
	"fmt"
	"os"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Namespaces and ServiceAccounts, as the projects' own manifests have them.
const (
	crossplaneNamespace = "crossplane-system"
	capiNamespace       = "capi-system"
	kubeadmNamespace    = "capi-kubeadm-bootstrap-system"
	controlNamespace    = "capi-kubeadm-control-plane-system"
	asoNamespace        = "azureserviceoperator-system"
	capzNamespace       = "capz-system"
)

var (
	crossplaneAccount     = types.NamespacedName{Namespace: crossplaneNamespace, Name: "crossplane"}
	crossplaneRBACAccount = types.NamespacedName{Namespace: crossplaneNamespace, Name: "rbac-manager"}
	capiAccount           = types.NamespacedName{Namespace: capiNamespace, Name: "capi-manager"}
	kubeadmAccount        = types.NamespacedName{Namespace: kubeadmNamespace, Name: "capi-kubeadm-bootstrap-manager"}
	controlAccount        = types.NamespacedName{Namespace: controlNamespace, Name: "capi-kubeadm-control-plane-manager"}
	asoAccount            = types.NamespacedName{Namespace: asoNamespace, Name: "azureserviceoperator-default"}
	capzAccount           = types.NamespacedName{Namespace: capzNamespace, Name: "capz-manager"}
	providerAccount       = types.NamespacedName{Namespace: crossplaneNamespace, Name: "provider-capz"}
)

// nodeUser is who the node is for the API server.
const nodeUser = "crossplane-capz-local:node"

// cloudControllerUser is who the stand-in of the cloud controllers is for the API server.
const cloudControllerUser = "crossplane-capz-local:cloud-controller"

// tokenLifetime of the components' ServiceAccount tokens. Nobody renews them, so they outlast the cluster.
const tokenLifetime = 365 * 24 * time.Hour

// issueCertificates makes the stack's certificates, and the kubeconfigs of those that authenticate with one.
func (s *Stack) issueCertificates() error {
	ca, err := newAuthority()
	if err != nil {
		return err
	}
	subjects := map[string]pkix.Name{
		"server":   {CommonName: "kube-apiserver"},
		"etcd":     {CommonName: "etcd"},
		"webhooks": {CommonName: "webhooks"},
		"node":     {CommonName: nodeUser},
		"cloud":    {CommonName: cloudControllerUser},
		"kcm":      {CommonName: "system:kube-controller-manager"},
		"admin":    {CommonName: "admin", Organization: []string{"system:masters"}},
	}
	for owner, subject := range subjects {
		if err := ca.issue(s.path("certs", owner), subject); err != nil {
			return fmt.Errorf("certificate of %s: %w", owner, err)
		}
	}
	// An authority of its own: whoever has a certificate of it may speak for anybody.
	frontProxy, err := newAuthority()
	if err != nil {
		return err
	}
	if err := frontProxy.issue(s.path("certs", "front-proxy"), pkix.Name{CommonName: "front-proxy"}); err != nil {
		return err
	}
	if err := writeSigningKey(s.path("certs", "service-accounts")); err != nil {
		return err
	}
	if err := s.writeKubeconfig(s.kubeconfigOf(ControllerManager), "default", s.certificateUser("kcm")); err != nil {
		return err
	}
	if err := s.writeKubeconfig(s.kubeconfigOf(Node), crossplaneNamespace, s.certificateUser("node")); err != nil {
		return err
	}
	if err := s.writeKubeconfig(s.kubeconfigOf(CloudController), "default", s.certificateUser("cloud")); err != nil {
		return err
	}
	return s.writeKubeconfig(s.Kubeconfig(), "default", s.certificateUser("admin"))
}

func (s *Stack) certificateUser(owner string) *clientcmdapi.AuthInfo {
	return &clientcmdapi.AuthInfo{ClientCertificate: s.cert(owner, "tls.crt"), ClientKey: s.cert(owner, "tls.key")}
}

// grantToken writes a component's kubeconfig with a token of its ServiceAccount, which has to exist.
func (s *Stack) grantToken(ctx context.Context, component string, account types.NamespacedName) error {
	return s.WriteAccountKubeconfig(ctx, s.kubeconfigOf(component), account)
}

// WriteAccountKubeconfig writes a kubeconfig with a token of a ServiceAccount, which has to exist, for its namespace.
func (s *Stack) WriteAccountKubeconfig(ctx context.Context, file string, account types.NamespacedName) error {
	seconds := int64(tokenLifetime.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	owner := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: account.Namespace, Name: account.Name}}
	if err := s.client.SubResource("token").Create(ctx, owner, request); err != nil {
		return fmt.Errorf("token of ServiceAccount %s: %w", account, err)
	}
	return s.writeKubeconfig(file, account.Namespace, &clientcmdapi.AuthInfo{Token: request.Status.Token})
}

func (s *Stack) writeKubeconfig(path, namespace string, user *clientcmdapi.AuthInfo) error {
	ca, err := os.ReadFile(s.cert("server", "ca.crt"))
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["local"] = &clientcmdapi.Cluster{Server: s.Server(), CertificateAuthorityData: ca}
	config.AuthInfos["local"] = user
	config.Contexts["local"] = &clientcmdapi.Context{Cluster: "local", AuthInfo: "local", Namespace: namespace}
	config.CurrentContext = "local"
	return clientcmd.WriteToFile(*config, path)
}
