package workload

import (
	"fmt"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kind tells the two credentials of a cluster apart.
type Kind string

const (
	// Admin is the local admin account.
	Admin Kind = "clusterAdmin"
	// User signs in with Entra on a cluster that is integrated with it, else it is a local account too.
	User Kind = "clusterUser"
)

const (
	// entraClientID is the public client of kubelogin, "Azure Kubernetes Service AAD Client".
	entraClientID = "80faf920-1908-4b52-b5ef-a8e7bedfc67a"
	execVersion   = "client.authentication.k8s.io/v1beta1"
)

// Kubeconfig returns a kubeconfig of the cluster. Its proxy-url lets any client reach the API server.
func (s *Servers) Kubeconfig(id string, kind Kind) ([]byte, error) {
	s.mu.Lock()
	one := s.byID[strings.ToLower(id)]
	s.mu.Unlock()
	if one == nil {
		return nil, fmt.Errorf("cluster %s has no API server", id)
	}
	c := one.cluster()
	names := c.names()
	if len(names) == 0 {
		return nil, fmt.Errorf("the API server of cluster %s has no name", id)
	}
	group := groupOf(c.ID)
	context := c.Name
	if kind == Admin {
		context += "-admin"
	}
	user := fmt.Sprintf("%s_%s_%s", kind, group, c.Name)
	config := clientcmdapi.NewConfig()
	config.Clusters[c.Name] = &clientcmdapi.Cluster{
		Server:                   "https://" + names[0] + ":443",
		CertificateAuthorityData: s.AuthorityPEM,
		ProxyURL:                 s.ProxyURL,
	}
	config.AuthInfos[user] = authInfo(c, kind, one.adminToken())
	config.Contexts[context] = &clientcmdapi.Context{Cluster: c.Name, AuthInfo: user}
	config.CurrentContext = context
	return clientcmd.Write(*config)
}

func authInfo(c Cluster, kind Kind, token string) *clientcmdapi.AuthInfo {
	if kind == Admin || !c.Entra {
		return &clientcmdapi.AuthInfo{Token: token}
	}
	return &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
		APIVersion: execVersion,
		Command:    "kubelogin",
		Args: []string{"get-token", "--environment", c.Cloud, "--server-id", Audience,
			"--client-id", entraClientID, "--tenant-id", c.TenantID, "--login", "devicecode"},
		InstallHint:     "kubelogin is not installed which is required to connect to AAD enabled cluster. See https://aka.ms/aks/kubelogin",
		InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode,
	}}
}

func groupOf(id string) string {
	parts := strings.Split(strings.Trim(id, "/"), "/")
	if len(parts) < 4 {
		return ""
	}
	return parts[3]
}
