package specs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cluster-api/cmd/clusterctl/client/yamlprocessor"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// variables are what clusterctl puts into the templates.
var variables = map[string]string{
	"AZURE_LOCATION": "westus", "AZURE_SUBSCRIPTION_ID": Subscription, "AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY": "client",
	"AZURE_NODE_MACHINE_TYPE": "Standard_D2s_v3", "AZURE_SSH_PUBLIC_KEY_B64": sshKey,
	"CLUSTER_NAME": "blue", "CLUSTER_CLASS_NAME": "class", "CLUSTER_IDENTITY_NAME": "identity", "KUBERNETES_VERSION": "v1.33.2",
	"BUILD_PROVENANCE": "build", "JOB_NAME": "job", "TIMESTAMP": "2026-01-02T03:04:05Z",
}

// Published returns the clusters of the typed AKS kinds in the templates that come with CAPZ.
func Published(sources string) ([]*Spec, error) {
	return eachTemplate(sources, "*aks*.yaml", func(file string) (*Spec, error) {
		if strings.Contains(filepath.Base(file), "aks-aso") {
			return nil, nil
		}
		return published(file)
	})
}

// eachTemplate returns what read returns of each template of CAPZ whose file name matches, but for nil. An error names the file.
func eachTemplate[T any](sources, pattern string, read func(file string) (*T, error)) ([]*T, error) {
	var all []*T
	for _, folder := range []string{"templates", "templates/test/*"} {
		files, err := filepath.Glob(filepath.Join(sources, folder, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			s, err := read(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if s != nil {
				all = append(all, s)
			}
		}
	}
	return all, nil
}

// processed returns the objects in a template, with the variables that clusterctl would put in.
func processed(content []byte, variable func(name string) (string, error)) ([]*unstructured.Unstructured, error) {
	content, err := yamlprocessor.NewSimpleProcessor().Process(content, variable)
	if err != nil {
		return nil, err
	}
	return kubeyaml.Parse(content)
}

// published returns the cluster in a template, or the one that is made of the class in it; nil if there is neither.
func published(file string) (*Spec, error) {
	content, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, err
	}
	objects, err := processed(content, func(name string) (string, error) {
		if value, set := variables[name]; set {
			return value, nil
		}
		return "", fmt.Errorf("nobody says what %s is", name)
	})
	if err != nil {
		return nil, err
	}
	s := &Spec{Name: filepath.Base(file), Cluster: variables["CLUSTER_NAME"], Version: "1.33.2", Count: 2}
	for _, o := range objects {
		s.take(o)
	}
	if s.ControlPlane == nil {
		return nil, nil
	}
	s.setVersions(objects)
	return s, nil
}

// take takes from an object what it says of the cluster.
func (s *Spec) take(o *unstructured.Unstructured) {
	spec := inner(o.Object, "spec")
	switch o.GetKind() {
	case "Cluster":
		s.ServiceCIDRs, _, _ = unstructured.NestedStringSlice(spec, "clusterNetwork", "services", "cidrBlocks")
		s.PodCIDRs, _, _ = unstructured.NestedStringSlice(spec, "clusterNetwork", "pods", "cidrBlocks")
	case "AzureManagedControlPlane":
		s.ControlPlane = object(o.GetKind(), o.GetName(), s.Cluster, spec)
	case "AzureManagedMachinePool":
		s.Pools = append(s.Pools, Pool{Object: object(o.GetKind(), o.GetName(), s.Cluster, spec)})
	case "AzureManagedControlPlaneTemplate":
		s.ControlPlane = object("AzureManagedControlPlane", s.Cluster+"-x7k2p", s.Cluster, inner(spec, "template", "spec"))
	case "AzureManagedMachinePoolTemplate":
		s.Pools = append(s.Pools, Pool{Object: object("AzureManagedMachinePool", o.GetName()+"-x7k2p", s.Cluster, inner(spec, "template", "spec"))})
	}
}

// setVersions gives each pool what its MachinePool says; those of a class have none in the file.
func (s *Spec) setVersions(objects []*unstructured.Unstructured) {
	for i, p := range s.Pools {
		for _, o := range objects {
			ref, _, _ := unstructured.NestedString(o.Object, "spec", "template", "spec", "infrastructureRef", "name")
			if o.GetKind() != "MachinePool" || ref != p.Name() {
				continue
			}
			s.Pools[i].Version, _, _ = unstructured.NestedString(o.Object, "spec", "template", "spec", "version")
			if replicas, found, _ := unstructured.NestedInt64(o.Object, "spec", "replicas"); found {
				s.Pools[i].Replicas = pointer(int32(replicas)) //nolint:gosec // Templates have a handful of nodes.
			}
		}
	}
}
