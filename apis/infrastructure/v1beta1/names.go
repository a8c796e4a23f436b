package v1beta1

import (
	"regexp"
	"strings"
)

// CredentialSecretSuffix ends the name of the Secret with the credential that ASO uses for a Cluster.
const CredentialSecretSuffix = "-aso-secret"

// CredentialSecret returns the name of the Secret with the credential that ASO uses for the Cluster of the given name.
func CredentialSecret(cluster string) string { return cluster + CredentialSecretSuffix }

// OwnedTag returns the key of the tag by which CAPZ and this project know resources in Azure that were made for the Cluster of
// the given name; its value is "owned".
func OwnedTag(cluster string) string {
	return "sigs.k8s.io_cluster-api-provider-azure_cluster_" + cluster
}

var notInObjectName = regexp.MustCompile(`[^a-z0-9-]+`)

// ASOObjectName returns the name that the ASO object of something of the given name has in Kubernetes, as CAPZ gives it: it is
// empty when there is no letter and no digit.
func ASOObjectName(name string) string {
	return strings.Trim(notInObjectName.ReplaceAllString(strings.ToLower(name), "-"), "-")
}
