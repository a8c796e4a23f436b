package specs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cluster-api/cmd/clusterctl/client/yamlprocessor"
)

// selfManagedVariables are what clusterctl puts into the templates of self-managed clusters. Others stand in scripts for the machines.
var selfManagedVariables = map[string]string{
	"AZURE_CONTROL_PLANE_MACHINE_TYPE": "Standard_All_v5", "AZURE_NODE_MACHINE_TYPE": "Standard_All_v5", "AZURE_GPU_NODE_MACHINE_TYPE": "Standard_All_v5",
	"AZURE_VNET_CIDR": "10.0.0.0/8", "AZURE_PRIVATE_VNET_CIDR": "10.0.0.0/8", "AZURE_NODE_SUBNET_CIDR": "10.1.0.0/16", "AZURE_CP_SUBNET_CIDR": "10.0.0.0/16",
	"AZURE_BASTION_SUBNET_CIDR": "10.255.255.224/27", "AZURE_CUSTOM_VNET_NAME": "custom-vnet",
	"AZURE_EXTENDEDLOCATION_NAME": "losangeles", "AZURE_EXTENDEDLOCATION_TYPE": "EdgeZone", "AZURE_NODE_STORAGE_TYPE": "Premium_LRS",
	"APISERVER_LB_DNS_SUFFIX": "suffix", "USER_IDENTITY": "cloud-provider-user-identity", "CI_RG": "capz-ci",
}

// PublishedSelfManaged returns the self-managed clusters in the templates that come with CAPZ, with one machine of each of their templates.
func PublishedSelfManaged(sources string) ([]*SelfManaged, error) {
	return eachTemplate(sources, "*.yaml", publishedSelfManaged)
}

// publishedSelfManaged returns the cluster in a template, or the one that is made of the class in it; nil if there is neither.
func publishedSelfManaged(file string) (*SelfManaged, error) {
	content, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(content), "kind: AzureCluster\n") && !strings.Contains(string(content), "kind: AzureClusterTemplate\n") {
		return nil, nil
	}
	defaults, err := yamlprocessor.NewSimpleProcessor().GetVariableMap(content)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(variables)
	maps.Copy(all, selfManagedVariables)
	objects, err := processed(content, func(name string) (string, error) {
		if value, set := all[name]; set {
			return value, nil
		}
		if defaults[name] == nil {
			return "10.0.0.100", nil // An address where it is one, and any text in the scripts.
		}
		return "", fmt.Errorf("%s has a default", name)
	})
	if err != nil {
		return nil, err
	}
	s := &SelfManaged{Name: filepath.Base(file), Cluster: variables["CLUSTER_NAME"], Zones: []string{"1", "2", "3"}, FaultDomains: 3}
	for _, o := range objects {
		s.take(o)
	}
	return s, nil
}

// take takes from an object what it says of the cluster.
func (s *SelfManaged) take(o *unstructured.Unstructured) {
	spec := inner(o.Object, "spec")
	switch o.GetKind() {
	case "Cluster":
		if port, found, _ := unstructured.NestedInt64(spec, "clusterNetwork", "apiServerPort"); found {
			s.APIServerPort = int32(port) //nolint:gosec // It is a port.
		}
	case "AzureCluster":
		s.AzureCluster = object(o.GetKind(), s.Cluster, s.Cluster, spec)
	case "AzureClusterTemplate":
		s.AzureCluster = object("AzureCluster", s.Cluster, s.Cluster, inner(spec, "template", "spec"))
		// Patches of the class say the rest.
		maps.Copy(inner(s.AzureCluster, "spec"), map[string]any{"resourceGroup": s.Cluster, "location": "westus", "subscriptionID": Subscription})
	case "AzureMachineTemplate":
		machine := inner(spec, "template", "spec")
		if machine["vmSize"] == nil {
			machine["vmSize"] = "Standard_All_v5" // Patches of the class say this and the key.
		}
		if machine["sshPublicKey"] == nil {
			machine["sshPublicKey"] = sshKey
		}
		m := Machine{Object: object("AzureMachine", o.GetName()+"-x7k2p", s.Cluster, machine), Version: "v1.33.2",
			ControlPlane: strings.HasSuffix(o.GetName(), "-control-plane"), SSHPort: 22}
		if !m.ControlPlane {
			m.Deployment = o.GetName()
		}
		if annotations, _, _ := unstructured.NestedMap(spec, "template", "metadata", "annotations"); annotations != nil {
			inner(m.Object, "metadata")["annotations"] = annotations
		}
		s.Machines = append(s.Machines, m)
	}
}
