package templates

import (
	"maps"
	"slices"
	"strings"
)

// The versions of Kubernetes: that of machines is the one that simulated images have, that of AKS is one that AKS offers.
const (
	machineVersion = "v1.36.3"
	// oldestVersion is the first that simulated machines have.
	oldestVersion = "v1.33.0"
	aksVersion    = "v1.33.6"
)

const (
	// identityName is the AzureClusterIdentity, secretName the Secret of those that have one, of ASO's credential too.
	identityName = "cluster-identity"
	secretName   = "cluster-identity-secret"
	location     = "westeurope"
	// machinesGroup and machinesIdentity are what CAPZ's users make for their machines before.
	machinesGroup    = "capz-ci"
	machinesIdentity = "cloud-provider-user-identity"
	// customNetwork is a virtual network that is there before, in customGroup.
	customNetwork = "company"
	customGroup   = "company-network"
)

// variables are what the templates are given, as their users do. The identity is one of those that need no Secret: the simulated Azure
// has its tokens where a virtual machine finds them.
var variables = map[string]string{
	"AZURE_LOCATION": location, "AZURE_TENANT_ID": "00000000-0000-0000-0000-000000000002",
	"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY": "00000000-0000-0000-0000-000000000004",
	"CLUSTER_IDENTITY_NAME":                  identityName, "CLUSTER_IDENTITY_TYPE": "UserAssignedMSI",
	"ASO_CREDENTIAL_SECRET_NAME": secretName,
	"CLUSTER_CLASS_NAME":         "default",
	// Cluster API takes no empty key.
	"AZURE_SSH_PUBLIC_KEY": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGHxyd2uXvXvGzM4yvKxL7Jr0v7bmZ0m0u0Q3sZ8c1qV templates",
	"CI_RG":                machinesGroup, "USER_IDENTITY": machinesIdentity,
	"AZURE_CONTROL_PLANE_MACHINE_TYPE": "Standard_D2s_v3", "AZURE_NODE_MACHINE_TYPE": "Standard_D2s_v3",
	"CONTROL_PLANE_MACHINE_COUNT": "1", "WORKER_MACHINE_COUNT": "1",
	// CAPZ's tests.
	"TIMESTAMP": "2026-01-02T03:04:05Z", "BUILD_PROVENANCE": "local", "JOB_NAME": "templates",
	"CALICO_VERSION": "v3.30.0", "CI_VERSION": machineVersion, "IMAGE_TAG_ACR_CREDENTIAL_PROVIDER": "v1.36.0",
	"AZURE_STORAGE_ACCOUNT": "capzci", "AZURE_BLOB_CONTAINER_NAME": "builds",
	"WINDOWS_WORKER_MACHINE_COUNT": "1", "WINDOWS_SERVER_VERSION": "windows-2022", "WINDOWS_CONTAINERD_URL": "https://containerd.example/windows.tar.gz",
	// Own builds of Kubernetes.
	"REGISTRY": "capzci.azurecr.io", "KUBE_IMAGE_TAG": machineVersion, "KUBE_GIT_VERSION": machineVersion,
	"KUBE_APISERVER_IMAGE": "", "KUBE_CONTROLLER_MANAGER_IMAGE": "", "KUBE_SCHEDULER_IMAGE": "", "KUBE_PROXY_IMAGE": "",
	"KUBEADM_REVISION": "", "KUBECTL_REVISION": "", "KUBELET_REVISION": "",
	"DALEC_KUBERNETES_VERSION": machineVersion, "CAPZ_GALLERY_VERSION": strings.TrimPrefix(machineVersion, "v"),
	"AZL3_VERSION": strings.TrimPrefix(machineVersion, "v"), "AZL3_WORKER_MACHINE_COUNT": "1",
	"FLATCAR_VERSION": "4230.2.1",
	// What is about single things.
	"AZURE_SERVER_APP_ID":         "00000000-0000-0000-0000-000000000005",
	"AZURE_EXTENDEDLOCATION_NAME": "losangeles", "AZURE_EXTENDEDLOCATION_TYPE": "EdgeZone", "AZURE_LOCATION_EDGEZONE": "westus",
	"AZURE_LOCATION_GPU": location, "UAMI_CLIENT_ID": "00000000-0000-0000-0000-000000000006",
	"AZURE_CLIENT_ID": "00000000-0000-0000-0000-000000000003",
	// An identity with a Secret.
	"AZURE_CLUSTER_IDENTITY_SECRET_NAME": secretName,
	// A virtual network that is there before, and one that is peered with it.
	"AZURE_CUSTOM_VNET_NAME": customNetwork, "AZURE_CUSTOM_VNET_RESOURCE_GROUP": customGroup,
	"AZURE_PRIVATE_VNET_CIDR": "10.128.0.0/9", "AZURE_INTERNAL_LB_IP": "10.128.0.100", "AZURE_BASTION_SUBNET_CIDR": "10.255.255.224/27",
	"AZURE_CP_SUBNET_CIDR": "10.128.0.0/16", "AZURE_NODE_SUBNET_CIDR": "10.129.0.0/16",
}

// withInternalBalancer are the variables of templates whose API servers have an address in their network besides the public one.
var withInternalBalancer = map[string]string{
	"AZURE_VNET_CIDR": "40.0.0.0/8", "AZURE_CP_SUBNET_CIDR": "40.0.0.0/16", "AZURE_NODE_SUBNET_CIDR": "40.1.0.0/16",
	"AZURE_INTERNAL_LB_PRIVATE_IP": "40.0.0.100",
}

// special are the variables of single templates.
var special = map[string]map[string]string{
	"cluster-template-nvidia-gpu.yaml":                               {"AZURE_NODE_MACHINE_TYPE": "Standard_NC4as_T4_v3"},
	"test/ci/cluster-template-prow-apiserver-ilb.yaml":               withInternalBalancer,
	"test/ci/cluster-template-prow-apiserver-ilb-custom-images.yaml": withInternalBalancer,
	"test/ci/cluster-template-prow-dalec-custom-builds.yaml":         withInternalBalancer,
}

// assignments returns the variables of a template in the form of an environment.
func (t Template) assignments(w *world) []string {
	values := maps.Clone(variables)
	maps.Copy(values, special[t.Path])
	if strings.Contains(t.text, "${AZURE_VNET_NAME}") {
		values["AZURE_VNET_NAME"] = w.cluster + "-private-vnet"
	}
	values["AZURE_SUBSCRIPTION_ID"] = w.subscription
	values["AZURE_CLUSTER_IDENTITY_SECRET_NAMESPACE"] = w.namespace
	// The public name of an API server is one's own in its region.
	values["APISERVER_LB_DNS_SUFFIX"] = w.subscription[:8]
	var all []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, name+"="+values[name])
	}
	return all
}

// version returns the version of Kubernetes for the template.
func (t Template) version() string {
	if strings.Contains(t.Path, "-aks") {
		return aksVersion
	}
	return machineVersion
}
